import { isOfTheAsker, type SyncError } from '../../base/errors.js';
import { nameGuardKind } from '../../model/held-source.js';
import type { EventKind, OngoingEvent } from '../../model/notification.js';
import { describePause, type Pause } from '../../model/pause.js';
import type { WaitingItem, WaitingKind } from '../../model/waiting.js';
import { type AskedTenant, listWaiting } from '../../planning/holds/list-waiting.js';

/** Maps waiting items to events. The digest covers the other items. */
const EVENT_OF: Readonly<Record<WaitingKind, (item: WaitingItem) => EventKind | null>> = {
  guard: () => 'guard',
  source: ({ code }) => (isKeyRefused(code) ? 'key' : 'source'),
  conflict: () => 'conflict',
  record: ({ code }) => (code === 'SYNC_ENGINE_DRIFT' ? 'engine_drift' : null),
  field: () => null,
  refused: () => null,
  delivery: () => 'delivery',
  write_back: ({ code }) => (code === 'SYNC_WRITE_BACK_REFUSED' ? 'write_back' : null),
  channel: () => 'channel',
  call: () => null,
  approved: () => null,
  decided: () => null,
  undo: () => null,
  joiner: () => null,
  declined: () => null,
  undone: () => null,
};

function isKeyRefused(code: string | null): boolean {
  return code === 'SYNC_SERVICE_UNAUTHENTICATED' || code === 'SYNC_SERVICE_FORBIDDEN';
}

/**
 * The reason why nothing can run: a rejected configuration, or an unusable state. `unknown` means that the daemon has just
 * started.
 */
export type Hindrance = Pick<SyncError, 'code' | 'message'> | 'unknown' | null;
/** Kinds of events that only a hindrance can show. While the hindrance is unknown, they count as ongoing. */
export const OF_HINDRANCE: ReadonlySet<EventKind> = new Set(['configuration', 'audit', 'run', 'key']);

/**
 * Lists ongoing events. Everything except `hindrance` comes from the state folder. If a process dies before it sends
 * anything, the next process finds the same events.
 *
 * @param now ISO 8601
 */
export function listOngoing(tenant: AskedTenant, hindrance: Hindrance, now: string): readonly OngoingEvent[] {
  const waiting = listWaiting(tenant, now).flatMap((item) => {
    const kind = EVENT_OF[item.kind](item);
    return kind === null ? [] : [toEvent(kind, item)];
  });
  const pause = tenant.stores.pauses.find(now);
  const paused = pause === null ? [] : [describePaused(pause)];
  const found = [
    ...paused,
    ...waiting,
    ...(hindrance === null || hindrance === 'unknown' ? [] : [describeHindrance(hindrance)]),
  ];
  return joinEqual([...found, ...listFailing(tenant, found)]);
}

function toEvent(kind: EventKind, item: WaitingItem): OngoingEvent {
  const { id, of, code, count, since, until: due, cause, keys, acknowledged } = item;
  const isAcknowledged = acknowledged !== undefined;
  return {
    kind,
    of: kind === 'key' ? '' : nameGuardKind(of),
    code,
    count,
    since,
    acknowledged: isAcknowledged,
    item: id,
    due,
    cause,
    keys,
  };
}

const ALONE = { of: '', count: 1, since: null, acknowledged: false, item: null, due: null, keys: [] } as const;

function describePaused(pause: Pause): OngoingEvent {
  const { at: since, until: due } = pause;
  return { ...ALONE, kind: 'paused', code: null, since, due, cause: `The tenant is ${describePause(pause)}.` };
}

function describeHindrance({ code, message }: Exclude<Hindrance, 'unknown' | null>): OngoingEvent {
  return { ...ALONE, kind: kindOfHindrance(code), code, cause: message };
}

function kindOfHindrance(code: string): EventKind {
  if (code.startsWith('SYNC_CONFIG_')) return 'configuration';
  if (code === 'SYNC_STATE_DAMAGED') return 'audit';
  return isKeyRefused(code) ? 'key' : 'run';
}

interface FailedRun {
  readonly error?: unknown;
  readonly code?: string;
  readonly stopped?: string | null;
}

/**
 * Reports the newest run if it failed and nothing else explains the failure. Ignores runs that were stopped by a signal or
 * started with wrong input.
 */
function listFailing({ stores }: AskedTenant, found: readonly OngoingEvent[]): readonly OngoingEvent[] {
  const [last] = stores.history
    .lastRuns(RUNS_LOOKED_AT)
    .filter(({ endedAt, command }) => endedAt !== null && RUNS.has(command))
    .map((run) => ({ ...run, document: JSON.parse(run.result ?? '{}') as FailedRun }))
    .filter(({ document }) => !isOfTheAsker(document));
  if (last === undefined || last.exitCode !== 1) return [];
  const { error, code = null, stopped } = last.document;
  const kind = isKeyRefused(code) ? 'key' : 'run';
  const says = found.some((event) => EXPLAINING.has(event.kind));
  if (kind === 'run' && says) return [];
  const cause = typeof error === 'string' ? error : (stopped ?? 'The run failed.');
  return [{ ...ALONE, kind, code, cause, since: last.endedAt }];
}

/** Number of runs to examine, because stopped runs may have come in between. */
const RUNS_LOOKED_AT = 10;
const RUNS: ReadonlySet<string> = new Set(['sync', 'apply', 'daemon', 'undo']);
const EXPLAINING: ReadonlySet<EventKind> = new Set(['source', 'key', 'configuration', 'audit', 'run']);

/** Joins causes of one kind to one event. If some causes are acknowledged, only the others count. */
function joinEqual(events: readonly OngoingEvent[]): readonly OngoingEvent[] {
  const joined = new Map<string, OngoingEvent>();
  for (const event of events) {
    const known = joined.get(nameEvent(event));
    joined.set(nameEvent(event), known === undefined ? event : joinEvents(known, event));
  }
  return [...joined.values()];
}

/** Identifies an event at each look, even if its count and text change. */
export function nameEvent({ kind, of, code }: Pick<OngoingEvent, 'kind' | 'of' | 'code'>): string {
  return [kind, of, ...(kind === 'source' ? [code ?? ''] : [])].join(' ').trim();
}

function joinEvents(one: OngoingEvent, other: OngoingEvent): OngoingEvent {
  if (one.acknowledged !== other.acknowledged) return one.acknowledged ? other : one;
  const [since = null] = [one.since, other.since].filter((at) => at !== null).sort();
  return { ...one, item: null, count: one.count + other.count, since, keys: [...one.keys, ...other.keys].slice(0, 5) };
}
