import type { StagedEntity } from '../mirror/stage-sources.js';
import type { GuardTrip } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import { CONFIG_FACT, evidences, rowsFact } from './derive-plan.js';

/**
 * Remembers what the sources delivered, and, once a run goes through without a guard, what the next trip is compared
 * with: while an operator still has to decide, "the source shrank" must not become the new normal.
 */
export function recordReads(
  stores: Stores,
  run: string,
  staged: readonly StagedEntity[],
  guards: readonly GuardTrip[],
  configDigest: string,
): void {
  const { history } = stores;
  stores.state.transaction(() => {
    for (const { deciding, enriching } of staged) {
      for (const evidence of evidences([...deciding, ...enriching])) {
        history.recordRead(run, evidence);
        if (guards.length === 0 && evidence.complete) history.setFact(rowsFact(evidence.source), String(evidence.rows));
      }
    }
    if (guards.length === 0) history.setFact(CONFIG_FACT, configDigest);
  });
}
