import { isoNow } from '../clock.js';
import { describeOverlooked, describeUnreadableNames } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import { readOverlooked, readUnreadableNames } from '../planning/reads/overlooked.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { renderPastRun } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import type { Stores } from '../store/open-stores.js';
import type { WaitingSource } from '../store/state/outbox-store.js';
import { listWaiting } from '../writeback/list-waiting.js';
import { listDeliveryStates } from '../writeback/reports/deliver-due.js';
import type { CommandContext, CommandResult } from './context.js';
import { countMirrored } from './count-mirrored.js';
import { describeDeliveryState, renderDeliveryStatus } from './delivery-status.js';
import { describeRun } from './run-runs.js';
import { withStores } from './with-stores.js';

/** `status`: what the last runs did, what waits, and how fresh everything is. Works during a run. */
export function runStatus(context: CommandContext): Promise<CommandResult> {
  return withStores(context, (stores) => {
    const json = describeStatus(context, stores);
    return { json, text: renderStatus(json) };
  });
}

/** As `--json` tells it. */
function describeStatus({ config, clock }: CommandContext, stores: Stores) {
  const { history, journal, audit, mirror, links } = stores;
  const outbox = listWaiting(config, stores);
  const overlooked = readOverlooked(stores);
  const unreadable = readUnreadableNames(stores);
  return {
    service: config.service.baseUrl,
    state: config.state,
    runs: history.lastRuns(5).map(describeRun),
    sources: listStreams(config.sources).map(({ name }) => {
      const { readAt = null, rows = null, at = null } = history.lastCompleteRead(name) ?? {};
      return { source: name, last_complete_read: readAt, rows, at };
    }),
    mirror: {
      ...countMirrored(stores),
      cursor: mirror.mark('users.cursor'),
      full_read_at: mirror.mark('users.full_read_at'),
    },
    links: { users: links.count('users'), customers: links.count('customers'), projects: links.count('projects') },
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
}

type Status = ReturnType<typeof describeStatus>;

function renderStatus(status: Status): string {
  const { runs, sources, links, mirror, approvals, audit } = status;
  const names = Math.max(0, ...sources.map(({ source }) => source.length));
  const counts = sources.map(({ rows }) => (rows === null ? '' : plural(rows, 'row')));
  const widest = Math.max(0, ...counts.map((count) => count.length));
  const waiting = [
    ...status.held_sources.map(({ guard, detail }) => `${guard}: ${detail}`),
    ...(status.overlooked ?? []).map(
      ({ source, at, arrived, files }) => `${source}: ${describeOverlooked({ at, arrivedAt: arrived, files })}`,
    ),
    ...(status.unreadable_names ?? []).map((one) => `${one.source}: ${describeUnreadableNames(one)}`),
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

function renderOutbox(outbox: readonly WaitingSource[]): readonly string[] {
  return outbox.map(({ source, records, refused, lost, since }) => {
    const parts = [...(refused > 0 ? [`${refused} refused`] : []), ...(lost > 0 ? [`${lost} lost`] : [])];
    const bad = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
    return `${plural(records, 'record')} written back to ${source} and not shown by it yet${bad}, the oldest since ${formatMinute(since)}`;
  });
}
