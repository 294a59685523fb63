import { isoNow } from '../clock.js';
import type { GuardTrip } from '../model/plan.js';
import { type OverlookedFile, tellOverlooked, tellUnreadableNames, type UnreadableNamesOf } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import { readOverlooked, readUnreadableNames } from '../planning/reads/overlooked.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { type PastRun, renderPastRun } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import { openStores } from '../store/open-stores.js';
import type { WaitingSource } from '../store/state/outbox-store.js';
import { listWaiting } from '../writeback/list-waiting.js';
import { listDeliveryStates } from '../writeback/reports/deliver-due.js';
import { type CommonOptions, type Console, runCommand } from './context.js';
import { type DeliveryStatus, describeDeliveryState, renderDeliveryStatus } from './delivery-status.js';
import { renderOutbox } from './outbox-status.js';
import { countAll } from './run-mirror.js';
import { describeRun } from './run-runs.js';

/** `status`: what the last runs did, what waits, and how fresh everything is. Works during a run. */
export async function runStatus(console: Console, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async ({ config, clock }) => {
    const stores = openStores(config.state);
    try {
      const { history, journal, audit, mirror } = stores;
      const outbox = listWaiting(config, stores);
      const overlooked = readOverlooked(stores);
      const unreadable = readUnreadableNames(stores);
      const runs = history.lastRuns(5).map(describeRun);
      const sources = listStreams(config.sources).map(({ name }) => {
        const read = history.lastCompleteRead(name);
        return {
          source: name,
          last_complete_read: read?.readAt ?? null,
          rows: read?.rows ?? null,
          at: read?.at ?? null,
        };
      });
      const json = {
        service: config.service.baseUrl,
        state: config.state,
        runs,
        sources,
        mirror: {
          ...countAll(stores),
          cursor: mirror.mark('users.cursor'),
          full_read_at: mirror.mark('users.full_read_at'),
        },
        links: {
          users: stores.links.count('users'),
          customers: stores.links.count('customers'),
          projects: stores.links.count('projects'),
        },
        ...(config.reports.length === 0
          ? {}
          : { deliveries: listDeliveryStates(config, stores, clock.now()).map(describeDeliveryState) }),
        ...(outbox.length === 0 ? {} : { outbox }),
        held_sources: readHeldSources(stores),
        ...(overlooked.length === 0 ? {} : { overlooked }),
        ...(unreadable.length === 0 ? {} : { unreadable_names: unreadable }),
        open_intents: journal.open().length,
        pins: stores.pins.count(),
        approvals: [...history.approvalsAt(isoNow(clock)).values()].length,
        audit: { entries: audit.count(), head: audit.last()?.hash ?? null },
      };
      return { json, text: renderStatus(json), exitCode: 0 };
    } finally {
      stores.close();
    }
  });
}

interface Status {
  readonly service: string;
  readonly state: string;
  readonly runs: readonly PastRun[];
  readonly sources: readonly {
    readonly source: string;
    readonly last_complete_read: string | null;
    readonly rows: number | null;
  }[];
  readonly mirror: { readonly cursor: string | null; readonly full_read_at: string | null };
  readonly links: Readonly<Record<string, number>>;
  readonly deliveries?: readonly DeliveryStatus[];
  readonly outbox?: readonly WaitingSource[];
  /** Sources that the newest plan could not use before somebody has looked. */
  readonly held_sources: readonly GuardTrip[];
  /** Newer files that the newest plan did not read, because they sort before the one in use. */
  readonly overlooked?: readonly OverlookedFile[];
  /** Files that it did not read, because their names are not UTF-8. */
  readonly unreadable_names?: readonly UnreadableNamesOf[];
  readonly open_intents: number;
  readonly pins: number;
  readonly approvals: number;
  readonly audit: { readonly entries: number; readonly head: string | null };
}

function renderStatus(status: Status): string {
  const { runs, sources, links, mirror, approvals, audit } = status;
  const names = Math.max(0, ...sources.map(({ source }) => source.length));
  const counts = sources.map(({ rows }) => (rows === null ? '' : plural(rows, 'row')));
  const widest = Math.max(0, ...counts.map((count) => count.length));
  const waiting = [
    ...status.held_sources.map(({ guard, detail }) => `${guard}: ${detail}`),
    ...(status.overlooked ?? []).map(
      ({ source, at, arrived, files }) => `${source}: ${tellOverlooked({ at, arrivedAt: arrived, files })}`,
    ),
    ...(status.unreadable_names ?? []).map((one) => `${one.source}: ${tellUnreadableNames(one)}`),
    approvals === 0 ? '' : `${plural(approvals, 'approved change')} not carried out yet`,
    status.pins === 0 ? '' : `${plural(status.pins, 'value')} undone, and not done again`,
    status.open_intents === 0
      ? ''
      : `${plural(status.open_intents, 'call')} begun, whose outcome the next run looks up`,
    ...renderOutbox(status.outbox ?? []),
  ].filter((line) => line !== '');
  return joinLines([
    `Service  ${status.service}`,
    `State    ${status.state}`,
    '',
    'Last runs',
    ...(runs.length === 0 ? ['  none yet'] : runs.flatMap(renderPastRun)),
    '',
    'Sources',
    ...sources.map(({ source, last_complete_read: at }, i) => {
      const read =
        at === null ? 'not read whole yet' : `${counts[i]?.padStart(widest)}, read whole ${formatMinute(at)}`;
      return `  ${source.padEnd(names)}  ${read}`;
    }),
    '',
    ...renderDeliveryStatus(status.deliveries ?? []),
    'Service copy',
    `  links     ${Object.entries(links)
      .map(([entity, count]) => `${count} ${entity}`)
      .join(', ')}`,
    `  mirror    ${mirror.full_read_at === null ? 'never read whole' : `read whole ${formatMinute(mirror.full_read_at)}`}`,
    '',
    'Waiting',
    ...(waiting.length === 0 ? ['  nothing'] : waiting.map((line) => `  ${line}`)),
    '',
    `Audit    ${plural(audit.entries, 'entry', 'entries')}, head ${audit.head ?? 'none yet'}`,
  ]);
}
