import type { MirrorEvidence } from '../mirror/refresh.js';
import type { HeldCounts } from '../model/desired.js';
import type { BulkLoad, GuardTrip } from '../model/plan.js';
import type { UndoRequest } from '../model/undo.js';
import type { Derivation } from './derive-plan.js';
import type { MappedRows } from './understanding/mapped-rows.js';

/** Holds of others than the object that is asked for, and their changes that wait for an approval. */
export interface OthersWaiting extends HeldCounts {
  readonly waiting: number;
}

/** The result of a derivation, before anything is saved. */
export interface DerivedRun extends Derivation {
  readonly guards: readonly GuardTrip[];
  readonly bulkLoad: BulkLoad | null;
  readonly mirrorRead: MirrorEvidence;
  /** Facts that only the rows show, if no person has a link yet; null otherwise. */
  readonly mapped: MappedRows | null;
  /** True when this run has read every user of the account. */
  readonly usersFresh: boolean;
  /** The run that is taken back; then no source was asked. */
  readonly undoes: UndoRequest | null;
  readonly only: string | null;
  /** Of the reads what commands tell and exit by: all, or where one object is asked for those on which that rests. */
  readonly told: Pick<Derivation, 'staged' | 'stopped' | 'unread'>;
  /** Where one object is asked for, how much of the others waits. */
  readonly others: OthersWaiting | null;
}
