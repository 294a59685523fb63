import type { Signal } from '../model/signal.js';
import type { UndoRequest } from '../model/undo.js';

/** A plan or run that a command requests, locally or from a remote daemon. */
export interface WorkOrder {
  /** Restricts the work to one object and everything it needs: `user:jane@example.com`. */
  readonly only: string | null;
  /** True to read the complete account, even if no complete read is due. */
  readonly full: boolean;
  /** The day that expressions see as today: `2026-11-20`. */
  readonly asOf: string | null;
  readonly ignoreQuietHours: boolean;
  /** True to exit with 2 if the plan has changes. */
  readonly isDetailed: boolean;
  /** The signalled changes that led to the request. */
  readonly signals?: readonly Signal[];
  /** Undoes a run instead of reading the sources. */
  readonly undo?: UndoRequest;
  /** A saved plan. Only its changes are carried out. */
  readonly plan?: string;
  /** How to render the text; null if no one reads it. */
  readonly look: WorkLook | null;
}

/** An order as the schedule gives it, without text. */
export const PLAIN_ORDER: WorkOrder = {
  ...{ only: null, full: false, asOf: null },
  ...{ ignoreQuietHours: false, isDetailed: false, look: null },
};

export interface WorkLook {
  readonly color: boolean;
  /** Columns of the terminal; null without one. */
  readonly width: number | null;
  /** True to list every change, not just the first few of each kind. */
  readonly all: boolean;
  /** The key for pseudonyms, for readers who may not see names; null for others. */
  readonly veil: string | null;
}

/** The result: the document for programs, the text for people, and the exit code. */
export interface ToldWork {
  readonly json: object;
  readonly text: string;
  readonly exitCode: number;
}
