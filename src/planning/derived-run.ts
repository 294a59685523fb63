import type { MirrorEvidence } from '../mirror/refresh.js';
import type { BulkLoad, GuardTrip } from '../model/plan.js';
import type { Derivation } from './derive-plan.js';
import type { UndoRequest } from './undo/derive-undo.js';

/** What a run derived, before anything is saved. */
export interface DerivedRun extends Derivation {
  readonly guards: readonly GuardTrip[];
  readonly bulkLoad: BulkLoad | null;
  readonly mirrorRead: MirrorEvidence;
  /** True when this run has read every user of the account. */
  readonly usersFresh: boolean;
  /** The run that is taken back; then no source was asked. */
  readonly undoes: UndoRequest | null;
  readonly only: string | null;
}
