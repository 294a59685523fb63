import type { Clock } from '../base/clock.js';
import { isoNow } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { VERSION } from '../base/version.js';
import type { Config } from '../config/config.js';
import { findWriteBack } from '../config/write-back/find-write-back.js';
import { createConnectors } from '../connectors/create-connectors.js';
import { createPace } from '../connectors/http/pace.js';
import { openNoSockets } from '../connectors/offline.js';
import { buildMappers } from '../mapping/mapper.js';
import { buildWriteBackMappers } from '../mapping/write-back.js';
import { createLookUps } from '../mirror/look-up.js';
import type { PreviewApp } from '../planning/derive-preview.js';
import { createTalentService } from '../service/talent-service.js';
import { openStores } from '../store/open-stores.js';
import { closeAll, connectionsOf, createProtection, stagingOf } from './open-sources.js';
import { readToday } from './wire.js';

/** A preview sends no calls, so it needs no API key. */
const NO_KEY = 'none';

export interface PreviewOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens everything needed to derive a plan for a preview, based on a copy of the state.
 *
 * @param config a configuration with the copy as its `state`, and without secrets
 */
export async function wirePreview(
  config: Config,
  { clock, logger }: PreviewOptions,
): Promise<PreviewApp & { close(): Promise<void> }> {
  const stores = openStores(config.state, { lockedAt: isoNow(clock) });
  const nobody = { clock, openSockets: openNoSockets, fence: null, pace: createPace(clock), onUnsettled: null };
  const connections = { ...nobody, ...connectionsOf(config, stores, clock), isOffline: true };
  const connectors = await createConnectors(config, connections, stores.pushed);
  const service = createTalentService({ ...config.service, apiKey: NO_KEY, clock, openSockets: openNoSockets });
  const { planning: reader } = service;
  const signal = undefined;
  const today = readToday(null, config.timezone, clock);
  return {
    stores,
    mappers: buildMappers(config),
    // Rows that an earlier run mapped under the same configuration are reused.
    stageContext: stagingOf({ config, connectors, stores, today, signal }, `${VERSION} ${config.digest}`),
    refreshContext: {
      config,
      reader,
      mirror: stores.mirror,
      clock,
      logger,
      serviceTime: () => null,
      callsLeft: () => 0,
      signal,
      lookUps: createLookUps({ reader, mirror: stores.mirror, signal }),
      once: new Map(),
    },
    protectedBy: createProtection(config),
    writeBackPlanning: {
      config,
      stores,
      writeBackMappers: buildWriteBackMappers(config),
      lapseMs: (source) => findWriteBack(config.sources, source)?.lapseMs ?? 0,
      writesFormulas: (source) => findWriteBack(config.sources, source)?.formulas === 'write',
    },
    async close() {
      await closeAll(connectors);
      await service.close();
      stores.close();
    },
  };
}
