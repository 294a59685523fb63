import { isoNow } from '../base/clock.js';
import { listStreams } from '../model/stream.js';
import { listOutbox } from '../planning/holds/list-outbox.js';
import { listWaiting } from '../planning/holds/list-waiting.js';
import { readOverlooked, readUnreadableNames } from '../planning/reads/overlooked.js';
import { readHeldSources } from '../planning/suspicions/hold-sources.js';
import type { Stores } from '../store/open-stores.js';
import { findUnderWay } from '../store/run-lock.js';
import { listDeliveryStates } from '../writeback/reports/deliver-due.js';
import { countMirrored } from './count-mirrored.js';
import { describeDeliveryState } from './describe-delivery.js';
import { describeRun, describeWork } from './describe-run.js';
import { describeWaiting } from './find-hold.js';
import type { Nothing, TenantOperation } from './operation.js';
import { type OperationContext, withStores } from './with-stores.js';

/** The document of `status --json`. */
export type Status = ReturnType<typeof describeStatus>;

export const STATUS: TenantOperation<Nothing, Status> = {
  name: 'readStatus',
  needs: 'a copy',
  perform: (context) => withStores(context, (stores) => describeStatus(context, stores)),
};

/** Number of latest signals to summarise. */
const SIGNALS = 100;

/** @param seconds from a signal to the end of its run */
function summariseSignals(seconds: readonly number[]) {
  const sorted = [...seconds].sort((a, b) => a - b);
  const [median, slowest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (median === undefined || slowest === undefined) return {};
  return { signals: { count: sorted.length, median_seconds: median, slowest_seconds: slowest } };
}

/** Describes the last runs, waiting items and the age of the data. */
export function describeStatus({ config, clock }: OperationContext, stores: Stores) {
  const { history, journal, audit, mirror, links, pauses } = stores;
  const now = findUnderWay(config.state);
  const outbox = listOutbox(config, stores);
  const waiting = listWaiting({ config, stores }, isoNow(clock));
  const overlooked = readOverlooked(stores);
  const unreadable = readUnreadableNames(stores);
  return {
    service: config.service.baseUrl,
    state: config.state,
    under_way: now === null ? null : describeWork(now),
    paused: pauses.find(isoNow(clock)),
    runs: history.lastRuns(5).map((run) => describeRun(run, now)),
    ...summariseSignals(history.signalSeconds(SIGNALS)),
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
