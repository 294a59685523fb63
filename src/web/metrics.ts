import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { nameGuardKind } from '../model/held-source.js';
import type { Registered } from '../tenants/registry.js';
import type { TenantWatcher } from '../tenants/tenant-watcher.js';
import type { PushEvent } from './scim/receiver.js';

export interface MetricsOptions {
  readonly clock: Clock;
  readonly version: string;
  /** The tenants as they are at the moment of a scrape. */
  readonly list: () => readonly Pick<Registered, 'name' | 'problem' | 'status'>[];
}

export interface Metrics {
  readonly watcher: TenantWatcher;
  /** Counts what identity providers push. */
  onPush(event: PushEvent): void;
  readonly contentType: string;
  /** Text in Prometheus' exposition format. */
  render(): Promise<string>;
  /** Name, kind and labels of every metric of talent-sync's own, for the documentation's test. */
  describe(): readonly MetricShape[];
}

export interface MetricShape {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** How a run ended, by its exit code. */
const RUN_RESULTS: Readonly<Record<number, string>> = { 0: 'done', 1: 'broken', 3: 'waiting', 4: 'faults' };

/** How a source took a record; `left` was not tried. */
const TOLD_RESULTS = ['done', 'refused', 'lost', 'left'] as const;

/**
 * What happens is counted as it happens; what is so at the moment (ages, sizes, rates) is asked for at each scrape, so
 * that nothing stale is told. Ages are in seconds by the daemon's clock.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, list } = options;
  const registry = new Registry();
  const registers = [registry];
  const shapes: MetricShape[] = [];

  function note<T>(type: string, config: { name: string; help: string; labelNames?: readonly string[] }, made: T): T {
    shapes.push({ name: config.name, type, labels: config.labelNames ?? [] });
    return made;
  }
  function counter(name: string, help: string, ...labelNames: string[]): Counter {
    const config = { name: `talent_sync_${name}`, help, labelNames, registers };
    return note('counter', config, new Counter(config));
  }
  function gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    const config = { name: `talent_sync_${name}`, help, labelNames, registers };
    return note('gauge', config, new Gauge(config));
  }
  function histogram(name: string, help: string, buckets: number[], ...labelNames: string[]): Histogram {
    const config = { name: `talent_sync_${name}`, help, labelNames, registers, buckets };
    return note('histogram', config, new Histogram(config));
  }

  const runs = counter('runs_total', 'Runs ended, by how they ended.', 'tenant', 'result');
  const runSeconds = histogram('run_seconds', 'How long runs took.', [1, 5, 15, 60, 300, 900, 3_600], 'tenant');
  const missed = counter(
    'slots_missed_total',
    'Slots of the schedule that passed without a run of their own.',
    'tenant',
  );
  const changes = counter('changes_total', 'Changes ended.', 'tenant', 'entity', 'action', 'result');
  const told = counter(
    'told_records_total',
    'Records that sources were told, by how they took them.',
    'tenant',
    'source',
    'result',
  );
  const delivered = counter('reports_total', 'Reports of the service, by how they went.', 'tenant', 'report', 'result');
  const trips = counter('guard_trips_total', 'Guards tripped.', 'tenant', 'guard', 'cause');
  const calls = counter('calls_total', 'Calls sent to the service, repeats included.', 'tenant', 'endpoint', 'status');
  const callSeconds = histogram(
    'call_seconds',
    'How long calls took.',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    'tenant',
    'kind',
  );
  const reloads = counter(
    'config_reloads_total',
    'Configurations read, by whether they could be used.',
    'tenant',
    'result',
  );

  const pushes = counter(
    'pushes_total',
    'Writes of identity providers, by how they ended.',
    'tenant',
    'source',
    'result',
  );

  const info = gauge('build_info', 'Always 1; the label has the version.', 'version');
  const ready = gauge('tenant_ready', '1 when the tenant has a configuration and an open state, else 0.', 'tenant');
  const active = gauge('run_active', '1 while a run goes on, else 0.', 'tenant');
  const configGood = gauge('config_good', '1 when the configuration on disk is the one in force, else 0.', 'tenant');
  const goodRunAge = gauge('last_good_run_age_seconds', 'Age of the last run that went through.', 'tenant');
  const nextRun = gauge('next_run_seconds', 'Time until the next run.', 'tenant');
  const contentAge = gauge(
    'source_content_age_seconds',
    'How long every read of a source has found the same content.',
    'tenant',
    'source',
  );
  const sourceAge = gauge(
    'source_complete_age_seconds',
    'Age of the last complete read of a source.',
    'tenant',
    'source',
  );
  const overlooked = gauge(
    'source_overlooked_files',
    'Files that came after the one in use, but sort before it.',
    'tenant',
    'source',
  );
  const mirror = gauge('mirror_objects', 'Objects in the local copy of the service.', 'tenant', 'entity');
  const holds = gauge('held_records', 'Records held by the last run.', 'tenant', 'entity', 'code');
  const guarded = gauge('guard_held_changes', 'Changes that guards held in the last run.', 'tenant', 'guard');
  const conflicts = gauge(
    'conflicts_waiting',
    'Questions between the two sides that the last run left to a person.',
    'tenant',
  );
  const near = gauge('near_misses', 'Values that sources show in a form of their own, in the last run.', 'tenant');
  const outbox = gauge(
    'outbox_waiting_records',
    'Records that a source was told and does not show yet.',
    'tenant',
    'source',
  );
  const outboxAge = gauge('outbox_oldest_age_seconds', 'Age of the oldest of them.', 'tenant', 'source');
  const rate = gauge(
    'limiter_requests_per_second',
    'Rate the limiter has found; absent while it need not slow down.',
    'tenant',
  );
  const waited = counter(
    'limiter_waited_seconds_total',
    'Time that calls have waited for their turn, summed.',
    'tenant',
  );
  const limited = counter('limiter_refused_calls_total', 'Calls the service refused for coming too fast.', 'tenant');
  const inFlight = gauge('limiter_calls_in_flight', 'Calls under way.', 'tenant');
  const atScrape = [
    ready,
    active,
    configGood,
    goodRunAge,
    nextRun,
    sourceAge,
    contentAge,
    overlooked,
    mirror,
    holds,
    guarded,
    conflicts,
    near,
    outbox,
    outboxAge,
    rate,
    waited,
    limited,
    inFlight,
  ];
  info.set({ version: options.version }, 1);
  collectDefaultMetrics({ register: registry });

  function observe(): void {
    for (const metric of atScrape) metric.reset();
    const nowMs = clock.now();
    for (const { name: tenant, problem, status } of list()) {
      configGood.set({ tenant }, problem === null ? 1 : 0);
      ready.set({ tenant }, status !== null && (status.phase === 'idle' || status.phase === 'running') ? 1 : 0);
      if (status === null) continue;
      const { facts, limiter, nextMs } = status;
      active.set({ tenant }, status.phase === 'running' ? 1 : 0);
      if (nextMs !== null) nextRun.set({ tenant }, Math.max(0, nextMs - nowMs) / 1_000);
      if (limiter.requestsPerSecond !== null) rate.set({ tenant }, limiter.requestsPerSecond);
      waited.inc({ tenant }, limiter.waitedMs / 1_000);
      limited.inc({ tenant }, limiter.limited);
      inFlight.set({ tenant }, limiter.inFlight);
      if (facts === null) continue;
      if (facts.lastGoodRunMs !== null) goodRunAge.set({ tenant }, (nowMs - facts.lastGoodRunMs) / 1_000);
      for (const { source, completeMs, sameMs, overlooked: files } of facts.sources) {
        if (completeMs !== null) overlooked.set({ tenant, source }, files);
        if (completeMs !== null) sourceAge.set({ tenant, source }, (nowMs - completeMs) / 1_000);
        if (sameMs !== null) contentAge.set({ tenant, source }, (nowMs - sameMs) / 1_000);
      }
      for (const { entity, objects } of facts.mirror) mirror.set({ tenant, entity }, objects);
      for (const { entity, code, count } of facts.lastRun?.held ?? []) holds.set({ tenant, entity, code }, count);
      for (const { guard, held } of facts.lastRun?.guards ?? []) guarded.set({ tenant, guard }, held);
      for (const { source, records, sinceMs } of facts.outbox) {
        outbox.set({ tenant, source }, records);
        outboxAge.set({ tenant, source }, Math.max(0, nowMs - sinceMs) / 1_000);
      }
      if (facts.lastRun === null) continue;
      conflicts.set({ tenant }, facts.lastRun.conflicts);
      near.set({ tenant }, facts.lastRun.nearMisses);
    }
  }

  return {
    watcher: {
      onCall(tenant, { template, status, ms, kind }) {
        calls.inc({ tenant, endpoint: template, status: status ?? 'none' });
        callSeconds.observe({ tenant, kind }, ms / 1_000);
      },
      onChange: (tenant, { entity, action }, result) =>
        changes.inc({ tenant, entity, action, result: result.replaceAll(' ', '_') }),
      onRun(tenant, end, seconds) {
        runs.inc({ tenant, result: RUN_RESULTS[end?.exitCode ?? 1] ?? 'broken' });
        runSeconds.observe({ tenant }, seconds);
        for (const { guard, cause } of end?.document.guards ?? [])
          trips.inc({ tenant, guard: nameGuardKind(guard), cause: cause.replaceAll(' ', '_') });
        for (const { source, ...ended } of end?.bySource ?? [])
          for (const result of TOLD_RESULTS) if (ended[result] > 0) told.inc({ tenant, source, result }, ended[result]);
        for (const { report, status } of end?.document.deliveries ?? [])
          delivered.inc({ tenant, report, result: status });
      },
      onMissed: (tenant, slots) => missed.inc({ tenant }, slots),
      onReload: (tenant, isGood) => reloads.inc({ tenant, result: isGood ? 'taken' : 'refused' }),
    },
    // Whoever names a source that there is not must not make a label of it.
    onPush: ({ source, result }) => {
      if (result !== 'read') pushes.inc({ tenant: source?.tenant ?? 'none', source: source?.name ?? 'none', result });
    },
    contentType: registry.contentType,
    render() {
      observe();
      return registry.metrics();
    },
    describe: () => shapes,
  };
}
