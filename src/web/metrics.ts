import PQueue from 'p-queue';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { breathe, type Clock } from '../clock.js';
import type { DeliveryResult, DocumentCounts } from '../model/delivery.js';
import { nameGuardKind } from '../model/held-source.js';
import type { WrittenSource } from '../model/write-back.js';
import type { Registered } from '../tenants/registry.js';
import type { TenantWatcher } from '../tenants/tenant-watcher.js';
import { OBSERVED_METRICS, type ObservedMetric, type TenantScrape } from './observed-metrics.js';
import type { PushEvent } from './scim/receiver.js';

export interface MetricsOptions {
  readonly clock: Clock;
  readonly version: string;
  /** The tenants as they are at the moment of a scrape. */
  readonly list: () => readonly ListedTenant[] | Promise<readonly ListedTenant[]>;
}

type ListedTenant = Pick<Registered, 'name' | 'problem' | 'status'>;

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

/** Makes metrics in one registry, and notes what each is. */
class MetricFactory {
  readonly registry = new Registry();
  readonly shapes: MetricShape[] = [];
  private readonly metrics: (Counter | Gauge | Histogram)[] = [];

  counter(name: string, help: string, ...labels: string[]): Counter {
    return this.keep(new Counter(this.describe('counter', name, help, labels)));
  }

  gauge(name: string, help: string, ...labels: string[]): Gauge {
    return this.keep(new Gauge(this.describe('gauge', name, help, labels)));
  }

  histogram(name: string, help: string, buckets: number[], ...labels: string[]): Histogram {
    return this.keep(new Histogram({ ...this.describe('histogram', name, help, labels), buckets }));
  }

  /** What was counted of them is gone. */
  async forget(tenants: ReadonlySet<string>): Promise<void> {
    for (const metric of this.metrics) {
      const { values } = await metric.get();
      for (const { labels } of values) {
        const { le: _bound, ...own } = labels as Record<string, string | number>;
        if (tenants.has(String(own.tenant))) metric.remove(own);
      }
    }
  }

  private keep<M extends Counter | Gauge | Histogram>(metric: M): M {
    this.metrics.push(metric);
    return metric;
  }

  private describe(type: string, name: string, help: string, labelNames: string[]) {
    const config = { name: `talent_sync_${name}`, help, labelNames, registers: [this.registry] };
    this.shapes.push({ name: config.name, type, labels: labelNames });
    return config;
  }
}

/**
 * Events are counted as they happen. Values of the moment (ages, sizes, rates) are read at each scrape, so that none is
 * stale. Ages are in seconds by the daemon's clock.
 */
export function createMetrics({ clock, list, version }: MetricsOptions): Metrics {
  const factory = new MetricFactory();
  const { registry, shapes } = factory;
  const writes = 'Writes of identity providers, by how they ended.';
  const pushes = factory.counter('pushes_total', writes, 'tenant', 'source', 'result');
  factory.gauge('build_info', 'Always 1; the label has the version.', 'version').set({ version }, 1);
  const observed = OBSERVED_METRICS.map((metric) => createObserved(metric, factory));
  const watcher = createWatcher(factory);
  collectDefaultMetrics({ register: registry });
  let known: ReadonlySet<string> = new Set();
  // Scrapes have pauses, in which another one would count everything again.
  const scrapes = new PQueue({ concurrency: 1 });

  async function forgetGone(names: ReadonlySet<string>): Promise<void> {
    const gone = new Set([...known].filter((name) => !names.has(name)));
    known = names;
    if (gone.size > 0) await factory.forget(gone);
  }

  /** Metric by metric: of a thousand tenants all of it takes most of a second, in which nobody else would be answered. */
  async function render(): Promise<string> {
    const [tenants, nowMs] = [await list(), clock.now()];
    await forgetGone(new Set(tenants.map(({ name }) => name)));
    for (const { reset, observe } of observed) {
      reset();
      for (const { name, problem, status } of tenants) observe(name, { problem, status, nowMs });
      await breathe(undefined);
    }
    const blocks: string[] = [];
    for (const { name } of registry.getMetricsAsArray()) {
      const block = await registry.getSingleMetricAsString(name);
      if (hasSeries(block)) blocks.push(block);
      await breathe(undefined);
    }
    return `${blocks.join('\n\n')}\n`;
  }

  return {
    watcher,
    // A caller that names an unknown source must not make a label of it.
    onPush: ({ source, result }) => {
      if (result !== 'read') pushes.inc({ tenant: source?.tenant ?? 'none', source: source?.name ?? 'none', result });
    },
    contentType: registry.contentType,
    render: () => scrapes.add(render),
    describe: () => shapes,
  };
}

/** Metrics of what is not configured have no series: their names alone say nothing. */
function hasSeries(block: string): boolean {
  return /^[^#\n]/m.test(block);
}

function createObserved({ type, name, help, labels, read }: ObservedMetric, factory: MetricFactory) {
  const metric = factory[type](name, help, 'tenant', ...labels);
  return {
    reset: () => metric.reset(),
    observe(tenant: string, scrape: TenantScrape) {
      for (const [value, ...named] of read(scrape)) {
        const own = Object.fromEntries(labels.map((label, i) => [label, named[i] ?? '']));
        // Both are empty by now: to add is to set.
        if (value !== null) metric.inc({ tenant, ...own }, value);
      }
    },
  };
}

/** Counts what happens to tenants. */
function createWatcher(factory: MetricFactory): TenantWatcher {
  const slots = 'Slots of the schedule that passed without a run of their own.';
  const missed = factory.counter('slots_missed_total', slots, 'tenant');
  const changes = factory.counter('changes_total', 'Changes ended.', 'tenant', 'entity', 'action', 'result');
  const calls = factory.counter(
    'calls_total',
    'Calls sent to the service, repeats included.',
    'tenant',
    'endpoint',
    'status',
  );
  const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
  const callSeconds = factory.histogram('call_seconds', 'How long calls took.', seconds, 'tenant', 'kind');
  const read = 'Configurations read, by whether they could be used.';
  const reloads = factory.counter('config_reloads_total', read, 'tenant', 'result');
  return {
    onRun: createRunCounter(factory),
    onCall(tenant, { template, status, ms, kind }) {
      calls.inc({ tenant, endpoint: template, status: status ?? 'none' });
      callSeconds.observe({ tenant, kind }, ms / 1_000);
    },
    onChange: (tenant, { entity, action }, result) =>
      changes.inc({ tenant, entity, action, result: result.replaceAll(' ', '_') }),
    onMissed: (tenant, slots) => missed.inc({ tenant }, slots),
    onReload: (tenant, isGood) => reloads.inc({ tenant, result: isGood ? 'taken' : 'refused' }),
  };
}

function countResults(counts: DocumentCounts | undefined): Readonly<Record<string, number>> {
  if (counts === undefined) return {};
  const { delivered, unchanged, removed, failed } = counts;
  return { delivered, unchanged, removed, failed: failed.length };
}

function createRunCounter(factory: MetricFactory): TenantWatcher['onRun'] {
  const runs = factory.counter('runs_total', 'Runs ended, by how they ended.', 'tenant', 'result');
  const runSeconds = factory.histogram('run_seconds', 'How long runs took.', [1, 5, 15, 60, 300, 900, 3_600], 'tenant');
  const back = 'Records that were written back, by result.';
  const told = factory.counter('told_records_total', back, 'tenant', 'source', 'result');
  const delivered = factory.counter(
    'reports_total',
    'Deliveries of the service, by how they went.',
    'tenant',
    'report',
    'result',
  );
  const documents = factory.counter(
    'documents_total',
    'Documents of the service, by what became of them.',
    'tenant',
    'delivery',
    'result',
  );
  const trips = factory.counter('guard_trips_total', 'Guards tripped.', 'tenant', 'guard', 'cause');

  function countTold(tenant: string, { source, ...ended }: WrittenSource): void {
    for (const result of TOLD_RESULTS) if (ended[result] > 0) told.inc({ tenant, source, result }, ended[result]);
  }

  function countDelivered(tenant: string, { report, status, documents: counts }: DeliveryResult): void {
    delivered.inc({ tenant, report, result: status });
    for (const [result, count] of Object.entries(countResults(counts)))
      if (count > 0) documents.inc({ tenant, delivery: report, result }, count);
  }

  return (tenant, end, seconds) => {
    runs.inc({ tenant, result: RUN_RESULTS[end?.exitCode ?? 1] ?? 'broken' });
    runSeconds.observe({ tenant }, seconds);
    if (end === null) return;
    for (const { guard, cause } of end.document.guards)
      trips.inc({ tenant, guard: nameGuardKind(guard), cause: cause.replaceAll(' ', '_') });
    for (const written of end.bySource) countTold(tenant, written);
    for (const one of end.document.deliveries ?? []) countDelivered(tenant, one);
  };
}
