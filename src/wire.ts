import { join } from 'node:path';
import type { App } from './app.js';
import type { ApplyContext } from './apply/apply-plan.js';
import type { Execution } from './apply/execute-change.js';
import { type Clock, isoNow } from './clock.js';
import type { Config } from './config/config.js';
import { describeDeciding } from './config/digest.js';
import { listEditedPaths, restoreConfig } from './config/earlier.js';
import { findWriteBack, repeatsAllRows } from './config/write-back/find-write-back.js';
import { createWallTimeResolver } from './connectors/cells/zoned-time.js';
import type { ConnectorContext } from './connectors/connector.js';
import { createConnectors } from './connectors/create-connectors.js';
import { createWriters } from './connectors/create-writers.js';
import { createTransferLimit, openDropStore } from './connectors/drop/open-store.js';
import { createPace } from './connectors/http/pace.js';
import { SyncError } from './errors.js';
import type { Logger } from './logger.js';
import { buildMappers, buildWriteBackMappers } from './mapping/build-mappers.js';
import { createProtector, describeUser } from './mapping/protector.js';
import { loadDirectory } from './mirror/directory.js';
import { createLookUps } from './mirror/look-up.js';
import { readAllUsers } from './mirror/refresh.js';
import type { JsonObject } from './model/json.js';
import type { Observed } from './model/observed.js';
import { explainQuiet } from './model/quiet-hours.js';
import { openState } from './open-state.js';
import { CONFIG_FACT, MAPPING_FACT, RUN_FACT, rowsFact } from './planning/guard-facts.js';
import type { Earlier, EarlierApp } from './planning/holds/preview.js';
import { loadVocabulary } from './planning/vocabulary.js';
import type { CallRecord } from './service/call.js';
import type { Limiter } from './service/limiter.js';
import { createTalentService } from './service/talent-service.js';
import type { StageContext } from './staging/stage-sources.js';
import { openStores, type Stores } from './store/open-stores.js';
import { acquireRunLock, type RunLock } from './store/run-lock.js';
import type { ContextOf } from './store/state/link-store.js';
import { VERSION } from './version.js';
import { buildDeliverySetup } from './writeback/reports/deliver-one.js';

export interface WireOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who holds the run lock, for those who find it taken: `sync, process 4711`. */
  readonly holder: string;
  /** The account that typed the command, for the audit; none where a schedule starts the runs. */
  readonly operator?: string;
  /** Told once who holds the lock, then waited for it; without it a held lock is an error at once. */
  readonly onLocked?: (error: SyncError) => void;
  /** Told which file is waited for; without it nothing waits for a file that may still be being written. */
  readonly onUnsettled?: (message: string) => void;
  /** `--as-of`: the day expressions see as `today`; null for the clock's. */
  readonly asOf: string | null;
  readonly signal?: AbortSignal;
  /** `--ignore-quiet-hours`: an operator asks to write within them. */
  readonly ignoreQuietHours?: boolean;
  readonly onChange?: ApplyContext['onChange'];
  readonly onCall?: (call: CallRecord) => void;
  /** The limiter of the runs before, with what it has learnt of the service; a new one without it. */
  readonly limiter?: Limiter;
  readonly fetch?: typeof globalThis.fetch;
}

/** After a lost answer a call may still be running in the service for about this long. */
const SETTLE_MS = 5_000;

/** The composition root: from a configuration to everything its runs work with. */
export async function wireApp(config: Config, options: WireOptions): Promise<App> {
  const { clock, logger, signal } = options;
  const releases: (() => unknown)[] = [];
  try {
    const lock = await waitForRunLock(config.state, options);
    releases.push(() => lock.close());
    const stores = await openState(config.state, { at: isoNow(clock), policy: config.audit, logger });
    releases.push(() => stores.close());
    checkAccount(config, stores);
    let serviceTime: number | null = null;
    const service = createTalentService({
      ...config.service,
      apiKey: config.service.apiKey.reveal(),
      clock,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
      onCall(call) {
        serviceTime = call.dateMs ?? serviceTime;
        const { template, status, requestId, ms, attempt } = call;
        logger.debug({ call: template, status, requestId, ms, attempt }, 'call');
        options.onCall?.(call);
      },
    });
    releases.push(() => service.close());
    const fetch: typeof globalThis.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const shared = { clock, fetch, pace: createPace(clock), onUnsettled: options.onUnsettled ?? null };
    const connections = { ...shared, ...connectionsOf(config, stores, clock) };
    const connectors = await createConnectors(config, connections, stores.pushed);
    releases.push(() => Promise.all([...connectors.values()].map((connector) => connector.close())));
    const writers = await createWriters(config, connections);
    releases.push(() => Promise.all([...writers.values()].map((writer) => writer.close())));
    const backMappers = buildWriteBackMappers(config);
    const writesFormulas = (source: string): boolean => findWriteBack(config.sources, source)?.formulas === 'write';
    const protector = createProtector(config);
    const protectedBy = (user: Observed): string | null => protector(describeUser(user));
    const today = readToday(options.asOf, config.timezone, clock);
    const mappedUnder = `${VERSION} ${config.digest} ${today.toISOString()}`;
    const { reader, writer, planning } = service;
    const { mirror, work } = stores;
    const refreshContext = {
      ...{ config, reader: planning, mirror, clock, logger, signal, serviceTime: () => serviceTime },
      lookUps: createLookUps({ reader: planning, mirror, signal }),
      once: new Map<string, Promise<void>>(),
    };
    const cvIds = new Map<string, Promise<string | null>>();
    const execution = (run: string, contextOf: ContextOf, read = reader): Execution => ({
      run,
      stores,
      clock,
      contextOf,
      settleMs: Math.min(SETTLE_MS, config.service.timeoutMs),
      readEverybody: () => readAllUsers(refreshContext),
      confirmWithinMs: config.users?.bulkLoad?.confirmWithinMs ?? 0,
      signal,
      calls: {
        reader: read,
        writer,
        directory: loadDirectory(mirror),
        mirrored: (entity, id) => mirror.get(entity, id),
        linkedKey: (entity, id) => stores.links.findByServiceId(entity, id)?.sourceKey ?? null,
        cvIds,
        notify: config.notifyPeople,
        conflicts: config.conflicts,
      },
    });
    const startedBy = options.operator === undefined ? options.holder : `${options.operator}: ${options.holder}`;
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
      earlier: () => findEarlier(config, stores, (then) => openEarlier(then, { ...shared, today, signal })),
      today,
      protectedBy,
      refreshContext,
      stageContext: {
        ...{ config, connectors, work, today, signal, mappedUnder },
        vocabulary: (entity) => loadVocabulary(stores, entity),
      },
      writeBackPlanning: {
        config,
        stores,
        writeBackMappers: backMappers,
        lapseMs: (source) => findWriteBack(config.sources, source)?.lapseMs ?? 0,
        writesFormulas,
      },
      callsToSource: (source, records) => writers.get(source)?.forecast(records) ?? {},
      writeBackContext: (run) => ({
        ...{ run, stores, clock, logger, signal, writers, writeBackMappers: backMappers },
        repeatsAllRows: (source) => repeatsAllRows(config.sources, source),
        writesFormulas,
        pause: () =>
          options.ignoreQuietHours === true
            ? null
            : explainQuiet(config.quietHours, config.schedule.timezone, clock.now()),
      }),
      resumption: (run) => execution(run, () => '', service.resuming),
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
        execution: () => execution(run, contextOf),
        ignoreQuietHours: options.ignoreQuietHours === true,
        onChange: options.onChange ?? (() => undefined),
      }),
      deliveries: {
        config,
        stores,
        logger,
        startedBy,
        setup: buildDeliverySetup({
          ...{ service, mirror, clock, signal, callBudget: config.callBudget, spools: connections.downloads },
          openStore: (place) => openDropStore(place, connections, signal),
        }),
      },
      isStopped: () => signal?.aborted === true,
      close: () => releaseAll(releases),
    };
  } catch (error) {
    await releaseAll(releases);
    throw error;
  }
}

/** What connectors find in the configuration and the state folder, and share. */
function connectionsOf(
  { state, timezone }: Config,
  { sourceRows, history }: Stores,
  clock: Clock,
): Omit<ConnectorContext, 'clock' | 'fetch' | 'pace' | 'onUnsettled'> {
  return {
    timezone,
    knownRows: sourceRows,
    deliveries: {
      rowsBefore: (source) => {
        const rows = history.fact(rowsFact(source));
        return rows === null ? null : Number(rows);
      },
      isTaken: history.wasRead,
      sameSince: history.sameContentSince,
      replacedContent: history.replacedContent,
      unchangedSince: (source, name, print, nowMs) => noteLook(history, source, { name, print, nowMs }),
      isApproved: (hold) => history.approvalsAt(isoNow(clock)).has(hold),
    },
    downloads: join(state, 'downloads'),
    limitTransfers: createTransferLimit(),
  };
}

/** Files of a source that are remembered between runs while they may still be written. */
const LOOKS_KEPT = 20;

function noteLook(
  history: Stores['history'],
  source: string,
  { name, print, nowMs }: { readonly name: string; readonly print: string; readonly nowMs: number },
): number {
  const fact = `look.${source}`;
  type Look = { readonly name: string; readonly print: string; readonly at: number };
  const looks = JSON.parse(history.fact(fact) ?? '[]') as readonly Look[];
  const same = looks.find((look) => look.name === name && look.print === print && look.at <= nowMs);
  if (same !== undefined) return same.at;
  const others = looks.filter((look) => look.name !== name).slice(1 - LOOKS_KEPT);
  history.setFact(fact, JSON.stringify([...others, { name, print, at: nowMs }]));
  return nowMs;
}

/** How often a held lock is tried again. */
const LOCK_LOOK_MS = 500;

/** @throws SyncError SYNC_STATE_LOCKED when another process holds it and `onLocked` is not given */
export async function waitForRunLock(
  folder: string,
  { holder, onLocked, clock, signal }: Pick<WireOptions, 'holder' | 'onLocked' | 'clock' | 'signal'>,
): Promise<RunLock> {
  for (let told = false; ; told = true) {
    try {
      return acquireRunLock(folder, holder);
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED') || onLocked === undefined) throw error;
      if (!told) onLocked(error);
    }
    await clock.sleep(LOCK_LOOK_MS, signal);
  }
}

async function releaseAll(releases: (() => unknown)[]): Promise<void> {
  for (let release = releases.pop(); release !== undefined; release = releases.pop()) await release();
}

/** Opens what derives a plan under an earlier configuration; its own scratch over the same two files. */
async function openEarlier(
  config: Config,
  {
    today,
    signal,
    ...shared
  }: Pick<ConnectorContext, 'clock' | 'fetch' | 'pace' | 'onUnsettled'> & Pick<StageContext, 'today' | 'signal'>,
): Promise<EarlierApp> {
  const mappers = buildMappers(config);
  const protector = createProtector(config);
  const stores = openStores(config.state);
  const connections = { ...shared, ...connectionsOf(config, stores, shared.clock) };
  const connectors = await createConnectors(config, connections, stores.pushed);
  return {
    config,
    stores,
    mappers,
    stageContext: {
      ...{ config, connectors, work: stores.work, today, signal, mappedUnder: null },
      vocabulary: (entity) => loadVocabulary(stores, entity),
    },
    protectedBy: (user) => protector(describeUser(user)),
    close: () =>
      releaseAll([
        () => stores.close(),
        () => Promise.all([...connectors.values()].map((connector) => connector.close())),
      ]),
  };
}

function findEarlier(config: Config, { history }: Stores, open: (then: Config) => Promise<EarlierApp>): Earlier | null {
  const [digest, text] = [history.fact(CONFIG_FACT), history.fact(MAPPING_FACT)];
  if (digest === null || digest === config.digest || text === null) return null;
  const then = JSON.parse(text) as JsonObject;
  return {
    paths: listEditedPaths(then, describeDeciding(config)),
    run: history.fact(RUN_FACT),
    open: () => open(restoreConfig(config, then, digest)),
  };
}

/** Links and base of one account are wrong for every other: the ids in them belong to it. */
function checkAccount(config: Config, stores: Stores): void {
  const { hostname } = new URL(config.service.baseUrl);
  const known = stores.history.fact('account');
  if (known === null) stores.history.setFact('account', hostname);
  else if (known !== hostname) {
    throw new SyncError('SYNC_STATE_OTHER_ACCOUNT', {
      message: `This state belongs to ${known}, but the configuration names ${hostname}.`,
      place: config.state,
      remedy: 'Give each account its own `state` folder, or correct `service.base_url`.',
    });
  }
}

/** Midnight in the zone, of the given day or the clock's. */
function readToday(asOf: string | null, timezone: string, clock: Clock): Date {
  const day = asOf ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(clock.now());
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  // `Date` would take 30 February for a day in March.
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
