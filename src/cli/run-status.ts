import { isoNow } from '../clock.js';
import { listStreams } from '../model/stream.js';
import { countMirrored } from '../operations/count-mirrored.js';
import { describeWaiting } from '../operations/find-hold.js';
import { withStores } from '../operations/with-stores.js';
import { listOutbox } from '../planning/holds/list-outbox.js';
import { listWaiting } from '../planning/holds/list-waiting.js';
import { readOverlooked, readUnreadableNames } from '../planning/reads/overlooked.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { describeUnderWay, renderPastRun } from '../report/texts/run-lines.js';
import { renderWaiting, summariseWaiting } from '../report/texts/waiting-text.js';
import { joinLines, type TerminalLook } from '../report/writers/style.js';
import type { Stores } from '../store/open-stores.js';
import { findUnderWay } from '../store/run-lock.js';
import { listDeliveryStates } from '../writeback/reports/deliver-due.js';
import { type CommandContext, type CommandResult, lookFor } from './context.js';
import { describeDeliveryState, renderDeliveryStatus } from './delivery-status.js';
import { describeRun, describeWork } from './run-runs.js';

/** `status`: what the last runs did, what waits, and how fresh everything is. Works during a run. */
export function runStatus(context: CommandContext): Promise<CommandResult> {
  return withStores(context, (stores) => {
    const json = describeStatus(context, stores);
    return { json, text: renderStatus(json, context.clock.now(), lookFor(context)) };
  });
}

/** As `--json` tells it. */
function describeStatus({ config, clock }: CommandContext, stores: Stores) {
  const { history, journal, audit, mirror, links } = stores;
  const now = findUnderWay(config.state);
  const outbox = listOutbox(config, stores);
  const waiting = listWaiting({ config, stores }, isoNow(clock));
  const overlooked = readOverlooked(stores);
  const unreadable = readUnreadableNames(stores);
  return {
    service: config.service.baseUrl,
    state: config.state,
    under_way: now === null ? null : describeWork(now),
    runs: history.lastRuns(5).map((run) => describeRun(run, now)),
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
    ...(config.reports.length + config.documents.length === 0
      ? {}
      : { deliveries: listDeliveryStates(config, stores, clock.now()).map(describeDeliveryState) }),
    ...(outbox.length === 0 ? {} : { outbox }),
    waiting: describeWaiting(waiting),
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

function renderNow(work: Status['under_way']): readonly string[] {
  if (work === null) return [];
  const since = work.since === null ? '' : ` since ${formatMinute(work.since)}`;
  return [`Now      ${work.holder}${since}: ${describeUnderWay(work)}`];
}

function renderStatus(status: Status, nowMs: number, look: TerminalLook): string {
  const { runs, sources, links, mirror, audit } = status;
  const { style } = look;
  const names = Math.max(0, ...sources.map(({ source }) => source.length));
  const counts = sources.map(({ rows }) => (rows === null ? '' : plural(rows, 'row')));
  const widest = Math.max(0, ...counts.map((count) => count.length));
  const summary = summariseWaiting(status.waiting);
  return joinLines([
    `Service  ${status.service}`,
    `State    ${status.state}`,
    ...renderNow(status.under_way),
    '',
    style.bold('Last runs'),
    ...(runs.length === 0 ? ['  none yet'] : runs.flatMap(renderPastRun)),
    '',
    style.bold('Sources'),
    ...sources.map(({ source, last_complete_read: at }, i) => {
      const read =
        at === null ? 'not read whole yet' : `${counts[i]?.padStart(widest)}, read whole ${formatMinute(at)}`;
      return `  ${source.padEnd(names)}  ${read}`;
    }),
    '',
    ...renderDeliveryStatus(status.deliveries ?? []),
    style.bold('Service copy'),
    `  links     ${Object.entries(links)
      .map(([entity, count]) => `${count} ${entity}`)
      .join(', ')}`,
    `  mirror    ${mirror.full_read_at === null ? 'never read whole' : `read whole ${formatMinute(mirror.full_read_at)}`}`,
    '',
    style.bold(`Waiting${summary === '' ? '' : `: ${summary}`}`),
    ...renderWaiting(status.waiting, nowMs, look),
    '',
    `Audit    ${plural(audit.entries, 'entry', 'entries')}, head ${audit.head ?? 'none yet'}`,
  ]);
}
