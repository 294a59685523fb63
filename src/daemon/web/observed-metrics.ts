import { nameGuardKind } from '../../model/held-source.js';
import type { WaitingItem, WaitingKind } from '../../model/waiting.js';
import type { ChannelFacts } from '../../operations/notify/notifier.js';
import { findLag } from '../../store/remote/tenant-rows.js';
import type { Registered } from '../tenants/registry.js';
import { type MetricShape, writeLabels, writeLine } from './series.js';

/** A tenant at the moment of a scrape. */
export interface TenantScrape extends Pick<Registered, 'name' | 'problem' | 'status'> {
  readonly nowMs: number;
}

/** A value, and the values of its labels after `tenant`. Null if the value is currently unknown. */
type MetricReading = readonly [value: number | null, ...labels: readonly string[]];

/** A metric that is read at each scrape, so it is never stale. */
export interface ObservedMetric {
  readonly shape: MetricShape;
  readonly help: string;
  readonly read: (scrape: TenantScrape) => readonly MetricReading[];
}

export const OBSERVED_METRICS: readonly ObservedMetric[] = [
  gauge('tenant_ready', '1 when the tenant has a configuration and an open state, else 0.', [], ({ status }) => [
    [status?.phase === 'idle' || status?.phase === 'running' ? 1 : 0],
  ]),
  gauge('tenant_phase', 'Always 1; the label has the phase.', ['phase'], ({ status, problem }) => {
    if (status !== null) return [[1, status.phase]];
    return [[1, problem === null ? 'starting' : 'refused']];
  }),
  gauge('run_active', '1 while a run is in progress, else 0.', [], ({ status }) =>
    status === null ? [] : [[status.phase === 'running' ? 1 : 0]],
  ),
  gauge('config_good', '1 when the configuration on disk is the active one, else 0.', [], ({ problem }) => [
    [problem === null ? 1 : 0],
  ]),
  gauge('paused_seconds', 'Time until the pause of the tenant ends; 0 if it is not paused.', [], (scrape) => {
    const pause = factsOf(scrape)?.pause ?? null;
    return [[pause === null ? 0 : Math.max(0, -(ageOf(Date.parse(pause.until), scrape) ?? 0))]];
  }),
  gauge(
    'away_in_a_row',
    'Newest runs in a row that ended because the service or a source did not answer.',
    [],
    ({ status }) => [[status?.awayInARow ?? null]],
  ),
  gauge('last_good_run_age_seconds', 'Age of the last successful run.', [], (scrape) => [
    [ageOf(factsOf(scrape)?.lastGoodRunMs ?? null, scrape)],
  ]),
  gauge('next_run_seconds', 'Time until the next run.', [], ({ status, nowMs }) => [
    [status === null || status.nextMs === null ? null : Math.round(Math.max(0, status.nextMs - nowMs) / 1_000)],
  ]),
  // If states are in PostgreSQL, each daemon reports the next metrics for every tenant.
  gauge('tenant_next_slot_seconds', 'Time until the tenant is due; negative if it is overdue.', [], (scrape) => {
    const nextMs = scrape.status?.row?.nextMs ?? null;
    return [[nextMs === null ? null : -(ageOf(nextMs, scrape) ?? 0)]];
  }),
  gauge(
    'tenant_last_good_age_seconds',
    'Age of the last successful run of the tenant, on any daemon.',
    [],
    (scrape) => {
      const row = scrape.status?.row ?? null;
      // If the holder died after its run, only the state records the run.
      const lastMs = Math.max(row?.lastGoodMs ?? 0, factsOf(scrape)?.lastGoodRunMs ?? 0);
      return [[row === null || lastMs === 0 ? null : ageOf(lastMs, scrape)]];
    },
  ),
  gauge(
    'tenant_lag_seconds',
    'How long a run has been due without being started by any daemon.',
    [],
    ({ status, nowMs }) => {
      const row = status?.row ?? null;
      return [[row === null ? null : Math.round(findLag(row, { seenMs: row.seenMs, nowMs }) / 1_000)]];
    },
  ),
  gauge(
    'source_content_age_seconds',
    'How long every read of a source has found the same content.',
    ['source'],
    (scrape) => sourcesOf(scrape).map(({ source, sameMs }) => [ageOf(sameMs, scrape), source]),
  ),
  gauge('source_complete_age_seconds', 'Age of the last complete read of a source.', ['source'], (scrape) =>
    sourcesOf(scrape).map(({ source, completeMs }) => [ageOf(completeMs, scrape), source]),
  ),
  gauge(
    'source_overlooked_files',
    'Newer files that arrived after the current file and are not read.',
    ['source'],
    (scrape) =>
      sourcesOf(scrape).map(({ source, completeMs, overlooked }) => [completeMs === null ? null : overlooked, source]),
  ),
  gauge('mirror_objects', 'Objects in the local copy of the service.', ['entity'], (scrape) =>
    (factsOf(scrape)?.mirror ?? []).map(({ entity, objects }) => [objects, entity]),
  ),
  gauge('waiting', 'Pending items by kind, as `status` shows them.', ['kind'], (scrape) =>
    sumBy(waitingOf(scrape), ({ kind }) => [kind]),
  ),
  gauge('waiting_oldest_age_seconds', 'Age of the oldest pending item of each kind.', ['kind'], (scrape) =>
    [...oldestOf(scrape)].map(([kind, sinceMs]) => [ageOf(sinceMs, scrape), kind]),
  ),
  gauge('held_records', 'Records that are held.', ['entity', 'code'], (scrape) => listHeld(scrape, 'record')),
  gauge('held_fields', 'Records with a held field; their other fields continue.', ['entity', 'code'], (scrape) =>
    listHeld(scrape, 'field'),
  ),
  gauge('guard_held_changes', 'Changes that wait for an approval.', ['guard'], (scrape) =>
    sumBy(
      waitingOf(scrape).filter(({ kind, of }) => kind === 'guard' || (kind === 'source' && of.startsWith('sources.'))),
      ({ of }) => [nameGuardKind(of)],
    ),
  ),
  gauge('near_misses', 'Values that sources showed in another format, in the last run.', [], (scrape) => [
    [factsOf(scrape)?.nearMisses ?? null],
  ]),
  gauge(
    'outbox_waiting_records',
    'Records that were written back and that the source does not show yet.',
    ['source'],
    (scrape) => (factsOf(scrape)?.outbox ?? []).map(({ source, records }) => [records, source]),
  ),
  gauge('documents_left', 'Documents that are due and were not fetched yet.', ['delivery'], (scrape) =>
    (factsOf(scrape)?.documents ?? []).map(({ delivery, left }) => [left, delivery]),
  ),
  gauge('documents_failing', 'Documents that could not be fetched and are tried again.', ['delivery'], (scrape) =>
    (factsOf(scrape)?.documents ?? []).map(({ delivery, failing }) => [failing, delivery]),
  ),
  gauge('outbox_oldest_age_seconds', 'Age of the oldest record in the outbox.', ['source'], (scrape) =>
    (factsOf(scrape)?.outbox ?? []).map(({ source, sinceMs }) => [Math.max(0, ageOf(sinceMs, scrape) ?? 0), source]),
  ),
  gauge('messages_waiting', 'News that a channel has not accepted yet.', ['channel'], (scrape) =>
    channelsOf(scrape).map(({ channel, waiting = 0 }) => [waiting, channel]),
  ),
  gauge(
    'messages_oldest_age_seconds',
    'Age of the oldest news that a channel has not accepted yet.',
    ['channel'],
    (scrape) =>
      channelsOf(scrape).map(({ channel, oldest }) => [
        ageOf(oldest === undefined ? null : Date.parse(oldest), scrape),
        channel,
      ]),
  ),
  messageCounter('messages_sent_total', 'Messages that a channel has accepted.', ({ sent }) => sent),
  messageCounter('messages_failed_total', 'Attempts that a channel did not accept.', ({ failed }) => failed),
  messageCounter('messages_lapsed_total', 'News dropped after waiting too long.', ({ lapsed }) => lapsed),
  gauge(
    'limiter_requests_per_second',
    'Rate that the limiter has found; absent while it need not slow down.',
    [],
    ({ status }) => [[status?.limiter.requestsPerSecond ?? null]],
  ),
  counter('limiter_waited_seconds_total', 'Total time that calls have waited for their turn.', [], ({ status }) => [
    [status === null ? null : status.limiter.waitedMs / 1_000],
  ]),
  counter(
    'limiter_refused_calls_total',
    'Calls that the service rejected because they came too fast.',
    [],
    ({ status }) => [[status?.limiter.limited ?? null]],
  ),
  gauge('limiter_calls_in_flight', 'Calls under way.', [], ({ status }) => [[status?.limiter.inFlight ?? null]]),
];

export function* writeObserved({ shape, read }: ObservedMetric, scrapes: Iterable<TenantScrape>): Iterable<string> {
  for (const scrape of scrapes) {
    for (const [value, ...named] of read(scrape)) {
      if (value !== null) yield writeLine(shape, writeLabels(shape.labels, [scrape.name, ...named]), value);
    }
  }
}

function gauge(name: string, help: string, labels: readonly string[], read: ObservedMetric['read']): ObservedMetric {
  return { shape: { name: `talent_sync_${name}`, type: 'gauge', labels: ['tenant', ...labels] }, help, read };
}

function counter(name: string, help: string, labels: readonly string[], read: ObservedMetric['read']): ObservedMetric {
  return { shape: { name: `talent_sync_${name}`, type: 'counter', labels: ['tenant', ...labels] }, help, read };
}

/** Counts from the state, which cover all processes that send messages. */
function messageCounter(name: string, help: string, read: (channel: ChannelFacts) => number): ObservedMetric {
  return counter(name, help, ['channel'], (scrape) => channelsOf(scrape).map((one) => [read(one), one.channel]));
}

function channelsOf({ status }: TenantScrape): readonly ChannelFacts[] {
  return status?.channels ?? [];
}

function factsOf({ status }: TenantScrape) {
  return status?.facts ?? null;
}

function waitingOf(scrape: TenantScrape): readonly WaitingItem[] {
  return factsOf(scrape)?.waiting ?? [];
}

function oldestOf(scrape: TenantScrape): ReadonlyMap<WaitingKind, number> {
  const oldest = new Map<WaitingKind, number>();
  for (const { kind, since } of waitingOf(scrape)) {
    if (since !== null) oldest.set(kind, Math.min(oldest.get(kind) ?? Number.POSITIVE_INFINITY, Date.parse(since)));
  }
  return oldest;
}

function listHeld(scrape: TenantScrape, kind: WaitingKind): readonly MetricReading[] {
  const held = waitingOf(scrape).filter((one) => one.kind === kind);
  return sumBy(held, ({ of, code }) => [of, code ?? '']);
}

/** Adds up the values of causes with the same labels. */
function sumBy(
  facts: readonly WaitingItem[],
  labelsOf: (fact: WaitingItem) => readonly string[],
): readonly MetricReading[] {
  const sums = new Map<string, number>();
  for (const fact of facts) {
    const labels = JSON.stringify(labelsOf(fact));
    sums.set(labels, (sums.get(labels) ?? 0) + fact.count);
  }
  return [...sums].map(([labels, count]) => [count, ...(JSON.parse(labels) as readonly string[])]);
}

function sourcesOf(scrape: TenantScrape) {
  return factsOf(scrape)?.sources ?? [];
}

/** The age in seconds, rounded, by the daemon's clock. */
function ageOf(sinceMs: number | null, { nowMs }: TenantScrape): number | null {
  return sinceMs === null ? null : Math.round((nowMs - sinceMs) / 1_000);
}
