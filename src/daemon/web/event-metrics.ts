import { Histogram, type Registry } from 'prom-client';
import type { DeliveryResult, DocumentCounts } from '../../model/delivery.js';
import { nameGuardKind } from '../../model/held-source.js';
import { SIGNAL_KINDS } from '../../model/signal.js';
import type { WrittenSource } from '../../model/write-back.js';
import type { TenantWatcher } from '../tenants/tenant-watcher.js';
import type { MetricShape } from './series.js';
import { TenantCounter } from './tenant-counter.js';

/** Result of a run, by its exit code. */
const RUN_RESULTS: Readonly<Record<number, string>> = { 0: 'done', 1: 'broken', 3: 'waiting', 4: 'faults' };

/** Result of writing back a record; `left` means that the write was not attempted. */
const TOLD_RESULTS = ['done', 'refused', 'lost', 'left'] as const;

const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIGNAL_BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300];
const RUN_BUCKETS = [1, 5, 15, 60, 300, 900, 3_600];

export class EventMetrics {
  readonly counters: TenantCounter[] = [];
  readonly histograms: { readonly shape: MetricShape }[] = [];
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** @param labels the labels in addition to the tenant */
  counter(name: string, help: string, ...labels: readonly string[]): TenantCounter {
    const counter = new TenantCounter(`talent_sync_${name}`, help, labels);
    this.counters.push(counter);
    return counter;
  }

  createWatcher(): TenantWatcher {
    const missed = this.counter('slots_missed_total', 'Slots of the schedule that passed without a separate run.');
    const changes = this.counter('changes_total', 'Changes ended.', 'entity', 'action', 'result');
    const calls = this.counter('calls_total', 'Calls sent to the service, repeats included.', 'endpoint', 'status');
    const inCalls = this.counter('tenant_call_seconds_total', 'Total time of all calls.');
    const callSeconds = this.#histogram('call_seconds', 'How long calls took.', CALL_BUCKETS, 'kind');
    for (const kind of ['read', 'write']) callSeconds.zero({ kind });
    const signalSeconds = this.#histogram(
      'signal_seconds',
      'From a signal to the end of its run.',
      SIGNAL_BUCKETS,
      'kind',
    );
    for (const kind of SIGNAL_KINDS) signalSeconds.zero({ kind });
    const reloads = this.counter('config_reloads_total', 'Configurations read, by result.', 'result');
    return {
      onRun: this.#createRunCounter(),
      onCall(tenant, { template, status, ms, kind }) {
        calls.add(tenant, [template, String(status ?? 'none')]);
        inCalls.add(tenant, [], ms / 1_000);
        callSeconds.observe({ kind }, ms / 1_000);
      },
      onChange: (tenant, { entity, action }, result) =>
        changes.add(tenant, [entity, action, result.replaceAll(' ', '_')]),
      onMissed: (tenant, slots) => missed.add(tenant, [], slots),
      onSignal: (_tenant, kind, seconds) => signalSeconds.observe({ kind }, seconds),
      onReload: (tenant, isGood) => reloads.add(tenant, [isGood ? 'taken' : 'refused']),
    };
  }

  /** One histogram for all tenants together, because a histogram has ten series or more. */
  #histogram(name: string, help: string, buckets: number[], ...labels: string[]): Histogram {
    const shape: MetricShape = { name: `talent_sync_${name}`, type: 'histogram', labels };
    this.histograms.push({ shape });
    return new Histogram({ name: shape.name, help, labelNames: labels, buckets, registers: [this.#registry] });
  }

  #createRunCounter(): TenantWatcher['onRun'] {
    const runs = this.counter('runs_total', 'Finished runs, by result.', 'result');
    const inRuns = this.counter('tenant_run_seconds_total', 'Total time of all runs.');
    const runSeconds = this.#histogram('run_seconds', 'How long runs took.', RUN_BUCKETS);
    const told = this.counter('told_records_total', 'Records that were written back, by result.', 'source', 'result');
    const reports = this.counter('reports_total', 'Deliveries of the service, by result.', 'report', 'result');
    const documents = this.counter('documents_total', 'Documents of the service, by result.', 'delivery', 'result');
    const trips = this.counter('guard_trips_total', 'Guards tripped.', 'guard', 'cause');

    function countTold(tenant: string, { source, ...ended }: WrittenSource): void {
      for (const result of TOLD_RESULTS) if (ended[result] > 0) told.add(tenant, [source, result], ended[result]);
    }

    function countDelivered(tenant: string, { report, status, documents: counts }: DeliveryResult): void {
      reports.add(tenant, [report, status]);
      for (const [result, count] of Object.entries(countResults(counts)))
        if (count > 0) documents.add(tenant, [report, result], count);
    }

    return (tenant, end, seconds) => {
      runs.add(tenant, [RUN_RESULTS[end?.exitCode ?? 1] ?? 'broken']);
      inRuns.add(tenant, [], seconds);
      runSeconds.observe(seconds);
      if (end === null) return;
      for (const { guard, cause } of end.document.guards)
        trips.add(tenant, [nameGuardKind(guard), cause.replaceAll(' ', '_')]);
      for (const written of end.bySource) countTold(tenant, written);
      for (const one of end.document.deliveries ?? []) countDelivered(tenant, one);
    };
  }
}

function countResults(counts: DocumentCounts | undefined): Readonly<Record<string, number>> {
  if (counts === undefined) return {};
  const { delivered, unchanged, removed, failed } = counts;
  return { delivered, unchanged, removed, failed: failed.length };
}
