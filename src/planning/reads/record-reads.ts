import type { Config } from '../../config/config.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { CONFIG_FACT, MAPPING_FACT, noteLineEnd, RUN_FACT, readCut, rememberCut, rowsFact } from '../guard-facts.js';
import { rememberCorrection } from '../suspicions/corrections.js';
import { evidences } from './evidence.js';

/** The parts of a tenant that are needed for remembering a run. */
export interface RememberingTenant {
  readonly stores: Stores;
  readonly config: Config;
  /** The deciding parts of this configuration, without secrets. */
  readonly deciding: Json;
}

/**
 * Remembers the deliveries of the sources. Once a run goes through without a guard, it also remembers the data that the
 * next trip is compared with. A shrunk source must not become the new normal while an operator still has to decide.
 */
export function recordReads(
  { stores, config: { digest }, deciding }: RememberingTenant,
  run: string,
  { staged, guards, only, undoes, stopped }: DerivedRun,
): void {
  const { history } = stores;
  // A run for one object says nothing about the effect of its configuration on all other objects. An undo depends on
  // the audit, not on the configuration. A run that left an entity alone does not show the effect of its configuration
  // there.
  const isNormal = guards.length === 0 && only === null && undoes === null && stopped.length === 0;
  stores.state.transaction(() => {
    for (const evidence of staged.flatMap(({ deciding: existence }) => evidences(existence))) {
      rememberCorrection(stores, evidence);
    }
    for (const { deciding: existence, enriching } of staged) {
      for (const evidence of evidences([...existence, ...enriching])) {
        history.recordRead(run, evidence);
        noteRows(history, run, evidence, isNormal);
        noteLineEnd(history, evidence);
      }
    }
    const isKnown = history.fact(CONFIG_FACT) === digest && history.fact(MAPPING_FACT) !== null;
    if (!isNormal || isKnown) return;
    history.setFact(CONFIG_FACT, digest);
    history.setFact(MAPPING_FACT, canonicalJson(deciding));
    history.setFact(RUN_FACT, run);
  });
}

/**
 * Records the number of rows that the next delivery is compared with: those of this delivery, or of the approved shorter
 * one. Until a run goes through without a guard, which may take weeks, the number can only grow.
 */
function noteRows(
  history: Stores['history'],
  run: string,
  { source, rows, complete, cut, readAt }: ReadEvidence,
  isNormal: boolean,
): void {
  const isMore = rows > Number(history.fact(rowsFact(source)) ?? -1);
  if (complete && (isNormal || isMore)) history.setFact(rowsFact(source), String(rows));
  if (isNormal && complete) {
    if (readCut(history, source) !== null) rememberCut(history, source, null);
  } else if (cut === 'approved') rememberCut(history, source, { rows, at: readAt, run });
}
