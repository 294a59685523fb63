import type { Batches } from '../../base/clock.js';
import type { NamedHold } from '../../model/desired.js';
import type { PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanMeta, PlanSummary } from './plan-file.js';
import { checkPlan, parsePlanRows, readLines } from './read-plan.js';

/** A saved plan with everything in it. Long parts are streamed from the file, and may be iterated several times. */
export interface PlanDocument extends Omit<PlanSummary, 'toSources' | 'held' | 'heldCounts' | 'waiting'> {
  readonly file: string;
  readonly meta: PlanMeta;
  readonly fingerprint: string;
  readonly changes: () => Batches<PlannedChange>;
  readonly holds: () => Batches<NamedHold>;
  /** Source or stream → the write-backs to it; plans of earlier versions lack this. */
  readonly sourceCounts: PlanSummary['toSources'];
  readonly toSources: () => Batches<PlannedSourceChange>;
}

/** The last line of the file; plans of earlier versions lack some of its members. */
interface Tail
  extends Pick<PlanSummary, 'counts' | 'guards' | 'evidence' | 'cost'>,
    Partial<Pick<PlanSummary, 'adoption' | 'declined' | 'deliveries' | 'understood'>> {
  readonly bulk_load?: PlanSummary['bulkLoad'];
  readonly source_counts?: PlanSummary['toSources'];
  readonly near_misses?: PlanSummary['nearMisses'];
}

/** @throws SyncError SYNC_PLAN_DAMAGED if the file was truncated or edited, or is not sealed with the key */
export async function openPlanDocument(file: string, key: string): Promise<PlanDocument> {
  const { meta, fingerprint, tail, starts } = await checkPlan(file, key, null);
  // The last line closes a list and continues with the members after that list.
  const last = JSON.parse(`{${tail.replace(/^\],/, '')}`) as Tail;
  const { counts, guards, evidence, cost, adoption = null, declined = [], deliveries = [] } = last;
  return {
    file,
    meta,
    fingerprint,
    counts,
    guards,
    declined,
    evidence,
    cost,
    adoption,
    understood: last.understood ?? null,
    bulkLoad: last.bulk_load ?? null,
    sourceCounts: last.source_counts ?? {},
    deliveries,
    nearMisses: last.near_misses ?? [],
    changes: () => readRows<PlannedChange>(file, starts.get('toService')),
    toSources: () => readRows<PlannedSourceChange>(file, starts.get('toSources')),
    holds: () => readRows<NamedHold>(file, starts.get('held')),
  };
}

/** Reads the rows of one list: one per line, until the line that closes it. Plans of earlier versions lack some lists. */
async function* readRows<T>(file: string, start: number | undefined): Batches<T> {
  if (start === undefined) return;
  for await (const lines of readLines(file, start)) {
    const { rows, isClosed } = parsePlanRows<T>(lines);
    if (rows.length > 0) yield rows;
    if (isClosed) return;
  }
}
