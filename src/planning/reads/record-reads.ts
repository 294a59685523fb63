import type { Config } from '../../config/config.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { CONFIG_FACT, MAPPING_FACT, RUN_FACT, readCut, rememberCut, rowsFact } from '../guard-facts.js';
import { rememberCorrection } from '../suspicions/corrections.js';
import { evidences } from './evidence.js';

/** The parts of a tenant for remembering a run. */
export interface RememberingTenant {
  readonly stores: Stores;
  readonly config: Config;
  /** The deciding parts of this configuration, without secrets. */
  readonly deciding: Json;
}

/**
 * Remembers what the sources delivered. Once a run goes through without a guard, it also remembers what the next trip
 * is compared with: while an operator still has to decide, "the source shrank" must not become the new normal.
 */
export function recordReads(
  { stores, config: { digest }, deciding }: RememberingTenant,
  run: string,
  { staged, guards, only, undoes, stopped }: DerivedRun,
): void {
  const { history } = stores;
  // A run for one object says nothing about what its configuration does to all the others. An undo rests on the audit,
  // not on the configuration. A run that left something alone does not show what its configuration does there.
  const isNormal = guards.length === 0 && only === null && undoes === null && stopped.length === 0;
  stores.state.transaction(() => {
    for (const evidence of staged.flatMap(({ deciding: existence }) => evidences(existence))) {
      rememberCorrection(stores, evidence);
    }
    for (const { deciding: existence, enriching } of staged) {
      for (const evidence of evidences([...existence, ...enriching])) {
        history.recordRead(run, evidence);
        noteRows(history, run, evidence, isNormal);
      }
    }
    const isKnown = history.fact(CONFIG_FACT) === digest && history.fact(MAPPING_FACT) !== null;
    if (!isNormal || isKnown) return;
    history.setFact(CONFIG_FACT, digest);
    history.setFact(MAPPING_FACT, canonicalJson(deciding));
    history.setFact(RUN_FACT, run);
  });
}

/** Notes what the next delivery is compared with: the rows of this one, or the cut that a person has approved. */
function noteRows(
  history: Stores['history'],
  run: string,
  { source, rows, complete, cut, readAt }: ReadEvidence,
  isNormal: boolean,
): void {
  if (isNormal && complete) {
    history.setFact(rowsFact(source), String(rows));
    if (readCut(history, source) !== null) rememberCut(history, source, null);
  } else if (cut === 'approved') rememberCut(history, source, { rows, at: readAt, run });
}
