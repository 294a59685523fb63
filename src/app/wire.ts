import type { ApplyContext } from '../apply/apply-plan.js';
import type { Execution } from '../apply/execution.js';
import { type Clock, isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Fence } from '../base/fence.js';
import { openFetchSockets } from '../base/http/fetch-sockets.js';
import { openHttpSockets } from '../base/http/http-sockets.js';
import type { Logger } from '../base/logger.js';
import { VERSION } from '../base/version.js';
import type { Config } from '../config/config.js';
import { describeDeciding } from '../config/digest.js';
import { mayRest } from '../config/may-rest.js';
import { findWriteBack, repeatsAllRows } from '../config/write-back/find-write-back.js';
import { createWallTimeResolver } from '../connectors/cells/zoned-time.js';
import { createConnectors } from '../connectors/create-connectors.js';
import { createWriters } from '../connectors/create-writers.js';
import { openDropStore } from '../connectors/drop/open-store.js';
import { fenceSockets } from '../connectors/fence.js';
import { createPace } from '../connectors/http/pace.js';
import { buildMappers } from '../mapping/mapper.js';
import { buildWriteBackMappers } from '../mapping/write-back.js';
import { loadDirectory } from '../mirror/directory.js';
import { createLookUps } from '../mirror/look-up.js';
import { type RefreshContext, readAllUsers } from '../mirror/refresh.js';
import type { OnProgress } from '../model/progress.js';
import type { Signal } from '../model/signal.js';
import type { CallRecord } from '../service/call.js';
import type { Limiter } from '../service/limiter.js';
import { openSocketsBy } from '../service/open-sockets.js';
import { createTalentService, type TalentService } from '../service/talent-service.js';
import { checkShare } from '../store/network-share.js';
import type { RunLock } from '../store/run-lock.js';
import type { ContextOf } from '../store/state/link-store.js';
import { buildDeliverySetup, type DeliverySetup } from '../writeback/reports/deliver-one.js';
import type { App } from './app.js';
import { closeAll, connectionsOf, createProtection, findEarlier, stagingOf } from './open-sources.js';
import { type LockOptions, openLocked, waitForRunLock } from './open-state.js';
import { findStandStill, refusePaused } from './stand-still.js';
import { watchMirror, watchSources } from './watch-progress.js';

export interface WireOptions extends LockOptions {
  readonly logger: Logger;
  /** The user account that ran the command, for the audit log; absent if a schedule starts the runs. */
  readonly operator?: string;
  /** Called when the run waits for a file that may still be growing. Without this callback, runs do not wait. */
  readonly onUnsettled?: (message: string) => void;
  /** `--as-of`: the day that expressions use as `today`; null for the clock's day. */
  readonly asOf: string | null;
  /** `--ignore-quiet-hours`: an operator allows writing during quiet hours. */
  readonly ignoreQuietHours?: boolean;
  /** `--during-pause`: an operator allows the run although the tenant is paused. */
  readonly duringPause?: boolean;
  /** The signals that started the run; absent if its schedule did. */
  readonly signals?: readonly Signal[] | undefined;
  readonly onChange?: ApplyContext['onChange'];
  /** Called with the progress of reading the sources and the service. */
  readonly onProgress?: OnProgress;
  readonly onCall?: (call: CallRecord) => void;
  /** A limiter from earlier runs that already knows the service's rate; a new one by default. */
  readonly limiter?: Limiter;
  readonly fetch?: typeof globalThis.fetch;
  /** Set if the state is in PostgreSQL. All calls to other systems check it first. */
  readonly fence?: Fence | null;
}

/** Time in milliseconds that the service may still need for a call after its answer was lost. */
const SETTLE_MS = 5_000;

/**
 * The composition root, which creates everything that a configuration's runs use.
 *
 * @throws SyncError SYNC_CONFIG_SECRET if secrets are missing; `problems` lists all of them
 */
export async function wireApp(config: Config, options: WireOptions): Promise<App> {
  if (config.missingSecrets !== undefined) throw config.missingSecrets;
  const releases: Releases = [];
  try {
    return buildApp(await openParts(config, options, releases), () => releaseAll(releases));
  } catch (error) {
    await releaseAll(releases);
    throw error;
  }
}

/** Functions that close what is open; they are called in reverse order. */
type Releases = (() => unknown)[];

/** Everything that stays open until the app is closed, with its options. */
type OpenParts = Awaited<ReturnType<typeof openParts>>;

async function openParts(config: Config, options: WireOptions, releases: Releases) {
  const { clock, logger, signal } = options;
  const share = checkShare(config.state, config.isNetworkState);
  if (share !== null)
    logger.warn({ state: config.state, share }, 'the state is on a network share, where locks may be unreliable');
  const lock = await waitForRunLock(config.state, options);
  releases.push(() => lock.close());
  const stores = await openLocked(config, options);
  releases.push(() => stores.close());
  const { service, serviceTime } = openService(config, options);
  releases.push(() => service.close());
  const { fence = null } = options;
  const openSockets = options.fetch === undefined ? openHttpSockets : openFetchSockets(options.fetch);
  const shared = {
    clock,
    openSockets: fence === null ? openSockets : fenceSockets(openSockets, fence),
    fence,
    pace: createPace(clock),
    onUnsettled: options.onUnsettled ?? null,
    rests: (stream: string) => mayRest(stream, config, options.signals),
  };
  const connections = { ...shared, ...connectionsOf(config, stores, clock) };
  const connectors = await createConnectors(config, connections, stores.pushed);
  releases.push(() => closeAll(connectors));
  const writers = await createWriters(config, connections);
  releases.push(() => closeAll(writers));
  const today = readToday(options.asOf, config.timezone, clock);
  const refreshContext: RefreshContext = {
    config,
    reader: service.planning,
    mirror: watchMirror(stores, options.onProgress),
    clock,
    logger,
    serviceTime,
    callsLeft: () => (config.callBudget ?? Number.POSITIVE_INFINITY) - countCalls(service),
    signal,
    lookUps: createLookUps({ reader: service.planning, mirror: stores.mirror, signal }),
    once: new Map(),
    onProgress: options.onProgress,
  };
  return { lock, config, options, stores, service, shared, connections, connectors, writers, today, refreshContext };
}

/** The account at an address other than the configured one, with the same key. */
export function openAccount(
  config: Config,
  baseUrl: string,
  options: Pick<WireOptions, 'clock' | 'logger'>,
): Pick<ReturnType<typeof openService>['service'], 'reader' | 'close'> {
  if (config.missingSecrets !== undefined) throw config.missingSecrets;
  return openService({ ...config, service: { ...config.service, baseUrl } }, options).service;
}

function openService(
  config: Config,
  options: Pick<WireOptions, 'clock' | 'logger' | 'fetch' | 'limiter' | 'onCall' | 'fence'>,
) {
  const { clock, logger, fetch, limiter, onCall, fence = null } = options;
  let serviceTime: number | null = null;
  const service = createTalentService({
    ...config.service,
    apiKey: config.service.apiKey.reveal(),
    clock,
    // With PostgreSQL, committing an intent resolves once the intent is stored there (`group-commit.ts`).
    ...(fence === null ? {} : { beforeWrite: async () => fence.check() }),
    openSockets: fetch === undefined ? openSocketsBy(config.service) : openFetchSockets(fetch),
    ...(limiter === undefined ? {} : { limiter }),
    onCall(call) {
      serviceTime = call.dateMs ?? serviceTime;
      const { template, status, requestId, ms, attempt } = call;
      logger.debug({ call: template, status, requestId, ms, attempt }, 'call');
      onCall?.(call);
    },
  });
  return { service, serviceTime: (): number | null => serviceTime };
}

function buildApp(parts: OpenParts, close: App['close']): App {
  const { lock, config, options, stores, service, shared, connectors, writers, today, refreshContext } = parts;
  const { clock, logger, signal } = options;
  const startedBy = options.operator === undefined ? options.holder : `${options.operator}: ${options.holder}`;
  const protectedBy = createProtection(config);
  const buildExecution = createExecutions(parts);
  const paused = createPauseLook(parts);
  const ignoreQuietHours = options.ignoreQuietHours === true;
  const standsStill = () => findStandStill(config, { pause: paused(), ignoreQuietHours, nowMs: clock.now() });
  return {
    config,
    clock,
    logger,
    startedBy,
    stores,
    service,
    connectors,
    writeBackProbes: writers,
    mappers: buildMappers(config),
    deciding: describeDeciding(config),
    earlier: () => findEarlier(config, stores, { ...shared, today, signal }),
    today,
    asOf: options.asOf,
    signalled: options.signals !== undefined,
    protectedBy,
    refreshContext,
    stageContext: stagingOf(
      { config, connectors: watchSources(connectors, stores, options.onProgress), stores, today, signal },
      `${VERSION} ${config.digest}`,
    ),
    ...wireWriteBack(parts, standsStill),
    resumption: (run) => buildExecution(run, () => '', service.resuming),
    resumingContext: { ...refreshContext, reader: service.resuming },
    applyContext: (run, { contextOf, usersFresh, bulkLoad }) => ({
      run,
      config,
      stores,
      service,
      clock,
      logger,
      signal,
      contextOf,
      usersFresh,
      bulkLoad,
      protectedBy,
      execution: () => buildExecution(run, contextOf),
      standsStill,
      onChange: options.onChange ?? (() => undefined),
    }),
    deliveries: {
      config,
      stores,
      logger,
      startedBy,
      setup: wireDeliveries(parts),
      surveys: new Map(),
      onProgress: options.onProgress,
    },
    ...createStages(lock, options),
    paused,
    requireUnpaused: () => refusePaused(paused()),
    isStopped: () => signal?.aborted === true,
    close,
  };
}

function createPauseLook({ options, stores }: OpenParts): App['paused'] {
  return () => (options.duringPause === true ? null : stores.pauses.find(isoNow(options.clock)));
}

function createStages(lock: RunLock, { clock, logger }: WireOptions): Pick<App, 'begin' | 'enter'> {
  let run: string | null = null;
  return {
    begin(id) {
      run = id;
    },
    enter(stage, found = {}) {
      logger.debug({ stage, ...found }, 'stage');
      lock.note({ stage, run, at: isoNow(clock) });
    },
  };
}

/** Creates contexts that resolve names at the time of each call. */
function createExecutions({ config, options, stores, service, refreshContext }: OpenParts) {
  const { mirror, links } = stores;
  const cvIds = new Map<string, Promise<string | null>>();
  return (run: string, contextOf: ContextOf, reader = service.reader): Execution => ({
    run,
    stores,
    clock: options.clock,
    contextOf,
    settleMs: Math.min(SETTLE_MS, config.service.timeoutMs),
    readEverybody: () => readAllUsers(refreshContext),
    confirmWithinMs: config.users?.bulkLoad?.confirmWithinMs ?? 0,
    signal: options.signal,
    withNames: stores.rememberNames(),
    calls: {
      reader,
      writer: service.writer,
      directory: loadDirectory(mirror),
      mirrored: mirror.get,
      linkedKey: links.keyOf,
      cvIds,
      notify: config.notifyPeople,
      conflicts: config.conflicts,
    },
  });
}

/** The contexts for deriving write-backs, forecasting their calls, and carrying them out. */
function wireWriteBack(
  { config, options, stores, writers }: OpenParts,
  standsStill: ApplyContext['standsStill'],
): Pick<App, 'writeBackPlanning' | 'callsToSource' | 'writeBackContext'> {
  const { clock, logger, signal } = options;
  const { sources } = config;
  const writeBackMappers = buildWriteBackMappers(config);
  const writesFormulas = (source: string): boolean => findWriteBack(sources, source)?.formulas === 'write';
  return {
    writeBackPlanning: {
      config,
      stores,
      writeBackMappers,
      lapseMs: (source) => findWriteBack(sources, source)?.lapseMs ?? 0,
      writesFormulas,
    },
    callsToSource: (source, records) => writers.get(source)?.forecast(records) ?? {},
    writeBackContext: (run) => ({
      run,
      stores,
      clock,
      logger,
      signal,
      writers,
      writeBackMappers,
      repeatsAllRows: (source) => repeatsAllRows(sources, source),
      writesFormulas,
      standsStill,
    }),
  };
}

function wireDeliveries({ config, options, stores, service, connections, refreshContext }: OpenParts): DeliverySetup {
  const { clock, signal } = options;
  return buildDeliverySetup({
    service,
    mirror: stores.mirror,
    clock,
    signal,
    serviceTime: refreshContext.serviceTime,
    callBudget: config.callBudget,
    spools: connections.downloads,
    openStore: (place) => openDropStore(place, connections, signal),
  });
}

function countCalls({ calls }: Pick<TalentService, 'calls'>): number {
  return calls.reads.total + calls.writes.total;
}

async function releaseAll(releases: Releases): Promise<void> {
  for (let release = releases.pop(); release !== undefined; release = releases.pop()) await release();
}

/** Midnight of the given day or the clock's day, in the time zone. */
export function readToday(asOf: string | null, timezone: string, clock: Clock): Date {
  const day = asOf ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(clock.now());
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  // `Date` would accept 30 February and return a day in March.
  if (match === null || !new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `"${day}" is not a day.`,
      place: '--as-of',
      remedy: 'Write it as 2026-11-20.',
    });
  }
  const [, year, month, date] = match;
  const midnight = { hour: 0, minute: 0, second: 0, millisecond: 0 };
  const wall = { year: Number(year), month: Number(month), day: Number(date), ...midnight };
  return new Date(createWallTimeResolver(timezone)(wall));
}
