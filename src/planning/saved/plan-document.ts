import type { NamedHold } from '../../model/desired.js';
import type { PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import { checkPlan, type PlanMeta, type PlanSummary, readLines } from './plan-file.js';

/** A saved plan with all that is in it; what may be long is streamed from the file, and may be walked several times. */
export interface PlanDocument extends Omit<PlanSummary, 'toSources' | 'held' | 'heldCounts' | 'waiting'> {
  readonly file: string;
  readonly meta: PlanMeta;
  readonly fingerprint: string;
  readonly changes: () => AsyncIterable<PlannedChange>;
  readonly holds: () => AsyncIterable<NamedHold>;
  /** Source or stream → what is written back to it; plans of earlier versions lack it. */
  readonly sourceCounts: PlanSummary['toSources'];
  readonly toSources: () => AsyncIterable<PlannedSourceChange>;
}

/** The last line of the file; plans of earlier versions lack some of it. */
interface Tail
  extends Pick<PlanSummary, 'counts' | 'guards' | 'evidence' | 'cost'>,
    Partial<Pick<PlanSummary, 'adoption' | 'deliveries'>> {
  readonly bulk_load?: PlanSummary['bulkLoad'];
  readonly source_counts?: PlanSummary['toSources'];
  readonly near_misses?: PlanSummary['nearMisses'];
}

/** @throws SyncError SYNC_PLAN_DAMAGED when the file was cut short or edited, or is not sealed with the key */
export async function openPlanDocument(file: string, key: string): Promise<PlanDocument> {
  const { meta, fingerprint, tail } = await checkPlan(file, key, null);
  // The last line closes a list and goes on with the members after it.
  const last = JSON.parse(`{${tail.replace(/^\],/, '')}`) as Tail;
  const { counts, guards, evidence, cost, adoption = null, deliveries = [] } = last;
  return {
    file,
    meta,
    fingerprint,
    counts,
    guards,
    evidence,
    cost,
    adoption,
    bulkLoad: last.bulk_load ?? null,
    sourceCounts: last.source_counts ?? {},
    deliveries,
    nearMisses: last.near_misses ?? [],
    changes: () => readRows<PlannedChange>(file, 'toService'),
    toSources: () => readRows<PlannedSourceChange>(file, 'toSources'),
    holds: () => readRows<NamedHold>(file, 'held'),
  };
}

/** The rows of one list, which stand one a line between the line that opens it and the one that closes it. */
async function* readRows<T>(file: string, list: string): AsyncIterable<T> {
  let isInside = false;
  for await (const line of readLines(file)) {
    if (isInside && line.startsWith(']')) return;
    if (isInside) yield JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as T;
    else isInside = line.endsWith(`"${list}":[`);
  }
}
