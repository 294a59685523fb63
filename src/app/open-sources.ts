import { join } from 'node:path';
import { type Clock, isoNow } from '../base/clock.js';
import type { Config } from '../config/config.js';
import { describeDeciding } from '../config/digest.js';
import { listEditedPaths, restoreConfig } from '../config/earlier.js';
import type { ConnectorContext } from '../connectors/connector.js';
import { createConnectors } from '../connectors/create-connectors.js';
import { createTransferLimit } from '../connectors/drop/open-store.js';
import { buildMappers } from '../mapping/mapper.js';
import { createProtector, describeUser } from '../mapping/protector.js';
import type { JsonObject } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { CONFIG_FACT, endsLines, MAPPING_FACT, RUN_FACT, readCut, rowsFact } from '../planning/guard-facts.js';
import type { Earlier, EarlierApp } from '../planning/holds/preview.js';
import type { StageContext } from '../planning/staging/stage-sources.js';
import { loadVocabulary } from '../planning/vocabulary.js';
import { openStores, type Stores } from '../store/open-stores.js';

/** The connector settings that two configurations share, with the day and the signal of their run. */
type SharedConnections = Pick<ConnectorContext, 'clock' | 'openSockets' | 'fence' | 'pace' | 'onUnsettled' | 'rests'> &
  Pick<StageContext, 'today' | 'signal'>;

/** The connector settings that come from the configuration and the state folder. */
export function connectionsOf(
  { state, timezone, users }: Config,
  { sourceRows, filledColumns, history }: Stores,
  clock: Clock,
): Omit<ConnectorContext, 'clock' | 'openSockets' | 'fence' | 'pace' | 'onUnsettled'> {
  const existence = users?.existence ?? null;
  return {
    timezone,
    knownRows: sourceRows,
    filledColumns,
    deliveries: {
      rowsBefore: (source) => {
        const rows = history.fact(rowsFact(source));
        return rows === null ? null : Number(rows);
      },
      rowsAfterCut: (source) => {
        const cut = readCut(history, source);
        return cut !== null && source === existence ? 0 : (cut?.rows ?? null);
      },
      isTaken: history.wasRead,
      sameSince: history.sameContentSince,
      replacedContent: history.replacedContent,
      unchangedSince: history.unchangedSince,
      endsLines: (source) => endsLines(history, source),
      isApproved: (hold) => history.approvalsAt(isoNow(clock)).has(hold),
    },
    downloads: join(state, 'downloads'),
    limitTransfers: createTransferLimit(),
  };
}

export function closeAll(open: ReadonlyMap<string, { close(): Promise<void> }>): Promise<unknown> {
  return Promise.all([...open.values()].map((one) => one.close()));
}

/** Returns a function that finds the expression protecting a person; null for unprotected people. */
export function createProtection(config: Config): (user: Observed) => string | null {
  const protector = createProtector(config);
  return (user) => protector(describeUser(user));
}

/** @param mappedUnder null if mapped values should not be stored for reuse */
export function stagingOf(
  { stores, ...given }: Pick<StageContext, 'config' | 'connectors' | 'today' | 'signal'> & { readonly stores: Stores },
  mappedUnder: StageContext['mappedUnder'],
): StageContext {
  return {
    ...given,
    work: stores.work,
    mappedUnder,
    vocabulary: (entity) => loadVocabulary(stores, entity),
  };
}

/**
 * Opens everything needed to derive a plan under an earlier configuration. It uses separate work tables over the same
 * files.
 */
async function openEarlier(config: Config, { today, signal, ...shared }: SharedConnections): Promise<EarlierApp> {
  const mappers = buildMappers(config);
  const protectedBy = createProtection(config);
  const stores = openStores(config.state, { lockedAt: null, isBeside: true });
  const connections = { ...shared, ...connectionsOf(config, stores, shared.clock) };
  const connectors = await createConnectors(config, connections, stores.pushed);
  return {
    config,
    stores,
    mappers,
    stageContext: stagingOf({ config, connectors, stores, today, signal }, null),
    protectedBy,
    async close() {
      await closeAll(connectors);
      stores.close();
    },
  };
}

/** The configuration of the last successful run, if it is stored and differs from the current one. */
export function findEarlier(config: Config, { history }: Stores, shared: SharedConnections): Earlier | null {
  const [digest, text] = [history.fact(CONFIG_FACT), history.fact(MAPPING_FACT)];
  if (digest === null || digest === config.digest || text === null) return null;
  const then = JSON.parse(text) as JsonObject;
  return {
    paths: listEditedPaths(then, describeDeciding(config)),
    run: history.fact(RUN_FACT),
    open: () => openEarlier(restoreConfig(config, then, digest), shared),
  };
}
