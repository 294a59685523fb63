import type { DueDelivery } from '../../model/delivery.js';
import type { NamedHold } from '../../model/desired.js';
import type {
  AdoptionReport,
  BulkLoad,
  Cost,
  Counts,
  GuardTrip,
  PlanEvidence,
  PlannedChange,
} from '../../model/plan.js';
import type { NearMisses, PlannedSourceChange } from '../../model/write-back.js';
import type { WriteBackCount } from '../../store/work/planned-write-back-store.js';
import { checkPlan, type PlanMeta, readLines } from './plan-file.js';

/** A saved plan with all that is in it; what may be long is streamed from the file, and may be walked several times. */
export interface PlanDocument {
  readonly file: string;
  readonly meta: PlanMeta;
  readonly fingerprint: string;
  readonly counts: Counts;
  readonly guards: readonly GuardTrip[];
  readonly evidence: PlanEvidence;
  readonly cost: Cost;
  /** First contact; null where nothing is adopted. */
  readonly adoption: readonly AdoptionReport[] | null;
  /** How a first load travels; null where no import is in question. */
  readonly bulkLoad: BulkLoad | null;
  readonly changes: () => AsyncIterable<PlannedChange>;
  readonly holds: () => AsyncIterable<NamedHold>;
  /** Source or stream → what it is told; plans of earlier versions lack it. */
  readonly sourceCounts: Readonly<Record<string, WriteBackCount>>;
  readonly toSources: () => AsyncIterable<PlannedSourceChange>;
  /** Reports that were due, and values that a source shows in a form of its own. */
  readonly deliveries: readonly DueDelivery[];
  readonly nearMisses: readonly NearMisses[];
}

/** The last line of the file; plans of earlier versions lack some of it. */
interface Tail extends Pick<PlanDocument, 'counts' | 'guards' | 'evidence' | 'cost'> {
  readonly adoption?: PlanDocument['adoption'];
  readonly bulk_load?: PlanDocument['bulkLoad'];
  readonly source_counts?: PlanDocument['sourceCounts'];
  readonly deliveries?: PlanDocument['deliveries'];
  readonly near_misses?: PlanDocument['nearMisses'];
}

/** @throws SyncError SYNC_PLAN_DAMAGED when the file was cut short or edited, or is not sealed with the key */
export async function openPlanDocument(file: string, key: string): Promise<PlanDocument> {
  const { meta, fingerprint, tail } = await checkPlan(file, key, () => undefined);
  // The last line closes a list and goes on with the members after it.
  const {
    counts,
    guards,
    evidence,
    cost,
    adoption,
    bulk_load: bulkLoad,
    source_counts: sourceCounts,
    deliveries,
    near_misses: nearMisses,
  } = JSON.parse(`{${tail.replace(/^\],/, '')}`) as Tail;
  return {
    file,
    meta,
    fingerprint,
    counts,
    guards,
    evidence,
    cost,
    adoption: adoption ?? null,
    bulkLoad: bulkLoad ?? null,
    sourceCounts: sourceCounts ?? {},
    deliveries: deliveries ?? [],
    nearMisses: nearMisses ?? [],
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
