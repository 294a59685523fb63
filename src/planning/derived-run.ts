import type { MirrorEvidence } from '../mirror/refresh.js';
import type { HeldCounts } from '../model/desired.js';
import type { BulkLoad, GuardTrip } from '../model/plan.js';
import type { UndoRequest } from '../model/undo.js';
import type { Derivation } from './derive-plan.js';
import type { MappedRows } from './understanding/mapped-rows.js';

/** The counts of holds of objects other than the requested one, and of their changes that need approval. */
export interface OthersWaiting extends HeldCounts {
  readonly waiting: number;
}

/** The result of a derivation, before anything is saved. */
export interface DerivedRun extends Derivation {
  readonly guards: readonly GuardTrip[];
  readonly bulkLoad: BulkLoad | null;
  readonly mirrorRead: MirrorEvidence;
  /** Facts that only the rows show; null once a person has a link. */
  readonly mapped: MappedRows | null;
  /** True if this run has read every user of the account. */
  readonly usersFresh: boolean;
  /** The run that is undone; an undo reads no source. */
  readonly undoes: UndoRequest | null;
  readonly only: string | null;
  /** The reads that commands report and that set their exit code: all, or only those that the requested object depends on. */
  readonly told: Pick<Derivation, 'staged' | 'stopped' | 'unread'>;
  /** The counts of pending items of all other objects, if one object is requested; null otherwise. */
  readonly others: OthersWaiting | null;
}
