import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Clock, goInSteps } from '../../base/clock.js';
import type { Registered } from '../tenants/registry.js';
import type { TenantWatcher } from '../tenants/tenant-watcher.js';
import { EventMetrics } from './event-metrics.js';
import type { HookEvent } from './hooks/hook-receiver.js';
import { OBSERVED_METRICS, type TenantScrape, writeObserved } from './observed-metrics.js';
import type { PushEvent } from './scim/receiver.js';
import { type MetricShape, type SeriesBlock, writeInSteps, writeLabels, writeLine } from './series.js';

export interface MetricsOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly list: () => readonly ListedTenant[] | Promise<readonly ListedTenant[]>;
  /** True if PostgreSQL answers; null if each state is a local folder. */
  readonly backendAnswers?: () => boolean | null;
}

type ListedTenant = Pick<Registered, 'name' | 'problem' | 'status'>;

export interface Metrics {
  readonly watcher: TenantWatcher;
  onPush(event: PushEvent): void;
  onHook(event: HookEvent): void;
  readonly contentType: string;
  /** Renders all metrics in Prometheus' text format. */
  render(): Promise<string>;
  /** Name, type and labels of each of talent-sync's own metrics, for the test that checks the documentation. */
  describe(): readonly MetricShape[];
}

const BUILD: MetricShape = { name: 'talent_sync_build_info', type: 'gauge', labels: ['version'] };
const BACKEND: MetricShape = { name: 'talent_sync_backend_answers', type: 'gauge', labels: [] };

/** Label for an unknown source. A name sent by a caller must not become a label. */
const NOBODY = 'none';

/**
 * Counts events as they happen. Current values (ages, sizes, rates) are read at each scrape, so they are never stale. Ages
 * are in seconds by the daemon's clock.
 */
export function createMetrics({ clock, list, version, backendAnswers = () => null }: MetricsOptions): Metrics {
  const registry = new Registry();
  const events = new EventMetrics(registry);
  const { counters, histograms } = events;
  const pushes = events.counter('pushes_total', 'Writes by identity providers, by result.', 'source', 'result');
  const hooks = events.counter('hooks_total', 'Hooks from vendors, by result.', 'source', 'result');
  const watcher = events.createWatcher();
  collectDefaultMetrics({ register: registry });
  const build = {
    ...{ shape: BUILD, help: 'Always 1; the label has the version.' },
    lines: [writeLine(BUILD, writeLabels(BUILD.labels, [version]), 1)],
  };

  function describeBackend(): SeriesBlock {
    const answers = backendAnswers();
    const lines = answers === null ? [] : [writeLine(BACKEND, '', answers ? 1 : 0)];
    return { shape: BACKEND, help: '1 when PostgreSQL answers, else 0.', lines };
  }

  function* listBlocks(scrapes: readonly TenantScrape[]): Iterable<SeriesBlock> {
    yield build;
    yield describeBackend();
    for (const metric of OBSERVED_METRICS) yield { ...metric, lines: writeObserved(metric, scrapes) };
    for (const counter of counters) yield { shape: counter.shape, help: counter.help, lines: counter.lines() };
  }

  /** Renders in steps, because a single long step would block the event loop. */
  async function render(): Promise<string> {
    const [tenants, nowMs] = [await list(), clock.now()];
    const names = new Set([...tenants.map(({ name }) => name), NOBODY]);
    for (const counter of counters) counter.keepOnly(names);
    const own = await goInSteps(writeInSteps(listBlocks(tenants.map((one) => ({ ...one, nowMs })))), undefined);
    return own + (await registry.metrics());
  }

  return {
    watcher,
    onPush({ source, result }) {
      if (result !== 'read') pushes.add(source?.tenant ?? NOBODY, [source?.name ?? NOBODY, result]);
    },
    onHook({ source, result }) {
      hooks.add(source?.tenant ?? NOBODY, [source?.name ?? NOBODY, result]);
    },
    contentType: registry.contentType,
    render,
    describe: () =>
      [build, describeBackend(), ...OBSERVED_METRICS, ...counters, ...histograms].map(({ shape }) => shape),
  };
}
