import { canonicalJson, type Json } from '../../model/json.js';
import type { GuardTrip } from '../../model/plan.js';
import type { StagedEntity } from '../../staging/stage-sources.js';
import type { Stores } from '../../store/open-stores.js';
import { CONFIG_FACT, evidences, MAPPING_FACT, RUN_FACT, rowsFact } from '../derive-plan.js';

/**
 * Remembers what the sources delivered, and, once a run goes through without a guard, what the next trip is compared
 * with: while an operator still has to decide, "the source shrank" must not become the new normal.
 */
export function recordReads(
  stores: Stores,
  run: string,
  { staged, guards, only, undoes, stopped }: ReadsOfRun,
  { digest, deciding }: { readonly digest: string; readonly deciding: Json },
): void {
  const { history } = stores;
  // A run for one object says nothing about what its configuration does to all the others.
  // An undo rests on the audit, not on the configuration.
  // Nor does one that left something alone of what its configuration does to that.
  const isNormal = guards.length === 0 && only === null && undoes === null && stopped.length === 0;
  stores.state.transaction(() => {
    for (const { deciding: existence, enriching } of staged) {
      for (const evidence of evidences([...existence, ...enriching])) {
        history.recordRead(run, evidence);
        if (isNormal && evidence.complete) history.setFact(rowsFact(evidence.source), String(evidence.rows));
      }
    }
    const isKnown = history.fact(CONFIG_FACT) === digest && history.fact(MAPPING_FACT) !== null;
    if (!isNormal || isKnown) return;
    history.setFact(CONFIG_FACT, digest);
    history.setFact(MAPPING_FACT, canonicalJson(deciding));
    history.setFact(RUN_FACT, run);
  });
}

export interface ReadsOfRun {
  readonly staged: readonly StagedEntity[];
  readonly guards: readonly GuardTrip[];
  readonly only: string | null;
  readonly undoes: object | null;
  readonly stopped: readonly object[];
}
