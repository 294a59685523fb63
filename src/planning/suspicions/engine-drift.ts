import { ENTITIES, nameSeveral } from '../../model/entity.js';
import type { ContextOf } from '../../store/state/link-store.js';
import type { DeriveContext } from '../derive-context.js';

/**
 * A run compares only candidates that have changed, and maps only new rows. If everything is mapped again and compared
 * from scratch, both results must agree. Differences that only the second derivation finds are included in this run,
 * and reported as a defect.
 */
export function* holdDrift(
  { config, stores: { work } }: Pick<DeriveContext, 'config' | 'stores'>,
  contextOf: ContextOf,
): Generator<void, void> {
  for (const entity of ENTITIES) {
    if (config.mappings[entity] === undefined) continue;
    const overlooked = yield* work.putOverlooked(entity, contextOf(entity));
    const rows = work.driftedRows(entity);
    if (rows + overlooked === 0) continue;
    work.hold({
      entity,
      key: '?',
      place: 'mirror.db',
      code: 'SYNC_ENGINE_DRIFT',
      about: 'engine drift',
      reason: `Calculated from scratch, ${rows} ${nameSeveral(entity)} have other values than those stored for the same rows, and ${overlooked} had not been recognised as changed.`,
      remedy:
        'Report this defect of talent-sync, with its log. This run includes all of them, so no other action is needed.',
    });
  }
}
