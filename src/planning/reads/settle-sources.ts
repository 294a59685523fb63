import { goInSteps } from '../../base/clock.js';
import type { Failure } from '../../model/failure.js';
import type { Stores } from '../../store/open-stores.js';
import { noteFirstLoads } from '../holds/first-load.js';
import { settleDeliveries } from '../staging/settle-deliveries.js';
import type { StageContext, StagedEntity } from '../staging/stage-sources.js';
import { rememberSources } from '../suspicions/hold-sources.js';
import { learnWords } from '../vocabulary.js';

export interface SettlingTenant {
  readonly stageContext: StageContext;
  readonly mappers: Parameters<typeof learnWords>[0];
  readonly stores: Stores;
  readonly logger: Parameters<typeof settleDeliveries>[2];
}

/** After a run has used its sources, remembers the data that the next reads are compared with, and archives the used deliveries. */
export async function settleSources(
  { stageContext, mappers, stores, logger }: SettlingTenant,
  staged: readonly StagedEntity[],
  failed: readonly Failure[],
): Promise<void> {
  const { config, connectors, signal } = stageContext;
  learnWords(mappers, staged, stores);
  noteFirstLoads(stores, staged, failed);
  await goInSteps(rememberSources(config, stores, staged), undefined);
  await settleDeliveries(staged, connectors, logger, signal);
}
