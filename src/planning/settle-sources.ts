import { settleDeliveries } from '../mirror/settle-deliveries.js';
import type { StageContext, StagedEntity } from '../mirror/stage-sources.js';
import type { Failure } from '../model/failure.js';
import type { Stores } from '../store/open-stores.js';
import { noteFirstLoads } from './first-load.js';
import { rememberSources } from './suspicions/hold-sources.js';

/** After a run has used its sources: what the next reads are compared with is remembered, and what was used is put away. */
export async function settleSources(
  { config, connectors, signal }: StageContext,
  stores: Stores,
  staged: readonly StagedEntity[],
  failed: readonly Failure[],
  logger: Parameters<typeof settleDeliveries>[2],
): Promise<void> {
  noteFirstLoads(stores, staged, failed);
  rememberSources(config, stores, staged);
  await settleDeliveries(staged, connectors, logger, signal);
}
