import type { UndoWord, WeighedUndo } from './confirm-undo.js';
import type { TenantOperation } from './operation.js';
import type { ToldWork, WorkOrder } from './work-order.js';

/*
 * Work that a daemon does in turn. These operations are only sent to a daemon; a command with a local state does the work
 * itself.
 */

export const PLAN_NOW: TenantOperation<WorkOrder, ToldWork> = {
  name: 'planNow',
  needs: 'a turn',
  perform: failBesideState,
};
export const RUN_NOW: TenantOperation<WorkOrder, ToldWork> = {
  name: 'runNow',
  needs: 'a turn',
  perform: failBesideState,
};

/** The run to undo, and how its plan is derived and printed. */
export interface UndoPlanOrder extends Pick<WorkOrder, 'only' | 'full' | 'look'> {
  readonly run: string;
}
export const PLAN_UNDO: TenantOperation<UndoPlanOrder, ToldWork> = {
  name: 'planUndo',
  needs: 'a turn',
  perform: failBesideState,
};

export interface UndoOrder extends UndoWord, Pick<WorkOrder, 'look'> {}
/** A confirmed undo and the run that carried it out. The run is null while a second person has to confirm. */
export interface ToldUndo extends WeighedUndo {
  readonly told: ToldWork | null;
}
export const UNDO_NOW: TenantOperation<UndoOrder, ToldUndo> = {
  name: 'undoNow',
  needs: 'a turn',
  perform: failBesideState,
};

function failBesideState(): never {
  throw new Error('this operation needs the run lock');
}
