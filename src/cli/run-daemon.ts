import { setTimeout } from 'node:timers/promises';
import { type Clock, systemClock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { Secret } from '../base/secrets/secret.js';
import { VERSION } from '../base/version.js';
import { loadBackend } from '../config/load-backend.js';
import { startMinuteTick } from '../config/schedule/minute-tick.js';
import { Daemon } from '../daemon/daemon.js';
import type { SignalPort } from '../daemon/signals/signals.js';
import { watchAll } from '../daemon/signals/watch-all.js';
import { type Backend, openBackend } from '../daemon/tenants/backend.js';
import { createHookSources } from '../daemon/tenants/hook-sources.js';
import { createPushSources } from '../daemon/tenants/push-sources.js';
import type { Registered } from '../daemon/tenants/registry.js';
import { type Health, openHealthServer } from '../daemon/web/health-server.js';
import type { HookReceiverOptions } from '../daemon/web/hooks/hook-receiver.js';
import { createMetrics, type Metrics } from '../daemon/web/metrics.js';
import type { PushEvent, ReceiverOptions } from '../daemon/web/scim/receiver.js';
import { type Console, describeHolder, printing } from './context.js';
import { openLogger } from './open-logger.js';
import type { OpenPages } from './open-pages.js';
import { type StopSignal, untilStopped } from './stop-signal.js';
import { tellHooks, tellPushes } from './tell-requests.js';

export interface DaemonFlags {
  readonly config: string;
  readonly host: string;
  readonly port: number;
  /** Grace period in milliseconds. */
  readonly grace: number;
  readonly parallel: number;
  readonly wait: boolean;
  readonly insecureLoopback?: boolean;
}

/** How often the daemon looks for changed configurations and released states between ticks. */
const POLL_MS = 5_000;
/** How often a daemon with shared states claims due tenants. */
const CLAIM_MS = 1_000;
/** A daemon counts as dead after this long without a tick. */
const DEAD_AFTER_MS = 3 * 60_000;

/**
 * `daemon`: runs until SIGTERM or SIGINT. The first signal lets the calls in flight end within the grace period. Calls
 * without an answer by then are open intents in the journal, and the next run looks for them.
 */
export async function runDaemon(console: Console, flags: DaemonFlags, stop: StopSignal): Promise<void> {
  await printing(console, false, async () => {
    const { clock = systemClock, env } = console;
    const logger = openLogger(console, 'info');
    const releases: (() => unknown)[] = [stop.release];
    // The daemon and the metrics depend on each other: metrics read the tenants at a scrape, and tenants report to the
    // metrics.
    const list = (): ReturnType<Daemon['list']> => daemon.list();
    const { config: target, parallel, wait } = flags;
    const holder = describeHolder('daemon');
    let pages: OpenPages | null = null;
    const pagesLink = (): string | null => pages?.link ?? null;
    const backend = openBackendOf(target, env, { holder, clock, logger });
    releases.push(() => backend?.close());
    const metrics: Metrics = createMetrics({
      ...{ clock, version: VERSION },
      list: () => daemon.listFresh(),
      backendAnswers: () => backend?.answers() ?? null,
    });
    const { watcher } = metrics;
    const tenants = { watcher, parallel, wait, backend, pagesLink };
    const daemon = new Daemon({ target, env, clock, logger, holder, ...tenants });
    const reload = (): void => {
      daemon.reload();
      pages?.reload();
    };
    process.on('SIGHUP', reload);
    releases.push(() => process.off('SIGHUP', reload));
    try {
      const sources = createPushSources(list, backend);
      releases.push(() => sources.close());
      const now = (): number => clock.now();
      const tell = tellPushes(logger, now);
      const tellHook = tellHooks(logger, now);
      const isStarting = (): boolean => !daemon.isStarted();
      const { signals } = daemon;
      const watch = watchAll(daemon, { clock, logger, claim: backend?.watch ?? null });
      releases.push(watch.close);
      const receiver: ReceiverOptions = {
        find: sources.find,
        proxies: sources.proxies,
        clock,
        isStarting,
        onRequest(event) {
          metrics.onPush(event);
          signalPush(event, signals);
          tell(event);
        },
      };
      const hooks: HookReceiverOptions = {
        ...createHookSources(list),
        clock,
        signals,
        isStarting,
        onHook(event) {
          metrics.onHook(event);
          tellHook(event);
        },
      };
      const { host, port } = flags;
      const health = describeHealth(daemon, now, backend !== null);
      const server = await openHealthServer({ host, port, token: readToken(env), health, metrics, receiver, hooks });
      releases.push(() => server.close());
      const isLocal = flags.insecureLoopback === true;
      const { openPages } = await import('./open-pages.js');
      const share = backend?.share ?? null;
      const { signal } = stop;
      pages = await openPages({ target, env, isLocal, clock, logger, daemon, besides: port, share, signal });
      if (pages !== null) releases.push(() => pages?.close());
      logger.info({ url: server.url, ...(pages === null ? {} : { pages: pages.url }) }, 'listening');
      await Promise.race([daemon.start(), untilStopped(stop)]);
      releases.push(...startTimers(daemon, () => pages?.reload()));
      await untilStopped(stop);
      // Unfinished work would keep the process alive beyond the grace period.
      if (!(await isStoppedWithin(flags.grace, daemon, logger))) console.exit(0);
      return null;
    } finally {
      for (const release of releases.toReversed()) await release();
    }
  });
}

/** Returns null if each state is a local folder. */
function openBackendOf(
  target: string,
  env: NodeJS.ProcessEnv,
  { clock, ...options }: { readonly holder: string; readonly clock: Clock; readonly logger: Logger },
): Backend | null {
  const settings = loadBackend(target, env);
  if (settings === null) return null;
  const clocks = { now: () => clock.now(), monotonic: () => performance.now() };
  return openBackend({ settings, clock: clocks, ...options });
}

/** Starts the timers of a daemon. @returns functions that end them */
function startTimers(daemon: Daemon, onPoll: () => void): (() => unknown)[] {
  const tick = startMinuteTick(() => daemon.tick());
  const claim = setInterval(() => void daemon.claim(), CLAIM_MS);
  const poll = setInterval(() => {
    daemon.poll();
    onPoll();
  }, POLL_MS);
  return [() => tick.close(), () => clearInterval(claim), () => clearInterval(poll)];
}

function readToken({ TALENT_SYNC_METRICS_TOKEN: token = '' }: NodeJS.ProcessEnv): Secret | null {
  return token.trim() === '' ? null : new Secret(token.trim());
}

async function isStoppedWithin(graceMs: number, daemon: Daemon, logger: Logger): Promise<boolean> {
  logger.info({ grace_ms: graceMs }, 'stopping: calls in flight are finished');
  const late = new AbortController();
  try {
    const isDone = await Promise.race([
      daemon.stop().then(() => true),
      setTimeout(graceMs, false, { signal: late.signal }),
    ]);
    logger.info(isDone ? 'stopped' : 'stopped with unanswered calls: the next run looks them up');
    return isDone;
  } finally {
    late.abort();
  }
}

function signalPush({ source, result }: PushEvent, signals: SignalPort): void {
  if (source === null || result !== 'taken') return;
  signals.signal({ tenant: source.tenant, source: source.name, kind: 'push' });
}

/**
 * @param isShared true if other daemons serve the same tenants. A tenant that cannot run here must then not make this
 * daemon unready
 */
function describeHealth(daemon: Daemon, now: () => number, isShared: boolean): Health {
  return {
    whyDead() {
      const silentMs = now() - daemon.lastTickMs();
      return silentMs <= DEAD_AFTER_MS ? null : `no tick for ${Math.round(silentMs / 1_000)} s`;
    },
    whyNotReady() {
      if (daemon.isStopping()) return [{ tenant: null, because: 'stopping' }];
      if (!daemon.isStarted()) return [{ tenant: null, because: 'configurations are being loaded' }];
      if (isShared) return [];
      return daemon.list().flatMap((one) => {
        const because = explainUnready(one);
        return because === null ? [] : [{ tenant: one.name, because }];
      });
    },
  };
}

function explainUnready({ problem, status }: Registered): string | null {
  // The configuration was rejected, and there was none before. `config_good` reports this, and the other tenants continue.
  if (status === null) return problem === null ? 'starting' : null;
  const { phase, facts, because } = status;
  // If a person holds an open state for a while, the daemon has not failed.
  const isWell = phase === 'idle' || phase === 'running' || (phase === 'locked' && facts !== null);
  return isWell ? null : (because ?? 'starting');
}
