import type { Signal } from '../model/signal.js';
import type { UndoRequest } from '../model/undo.js';

/** A plan or a run as a command asks for it, whether here or of a daemon elsewhere. */
export interface WorkOrder {
  /** `user:jane@example.com`: that object and what it needs. */
  readonly only: string | null;
  /** Reads the whole account, whether it is due or not. */
  readonly full: boolean;
  /** The day that expressions see as today, `2026-11-20`. */
  readonly asOf: string | null;
  readonly ignoreQuietHours: boolean;
  /** A plan with changes ends with 2. */
  readonly isDetailed: boolean;
  /** Changes that were signalled, where they are why it is asked for. */
  readonly signals?: readonly Signal[];
  /** Undoes a run, instead of asking the sources. */
  readonly undo?: UndoRequest;
  /** A saved plan: nothing but its changes is carried out. */
  readonly plan?: string;
  /** How its text is made for a person; null where nobody reads it. */
  readonly look: WorkLook | null;
}

/** A run as the schedule would start it, of which nobody reads a text. */
export const PLAIN_ORDER: WorkOrder = {
  ...{ only: null, full: false, asOf: null },
  ...{ ignoreQuietHours: false, isDetailed: false, look: null },
};

export interface WorkLook {
  readonly color: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly width: number | null;
  /** Every change is listed, not the first few of each kind. */
  readonly all: boolean;
  /** What pseudonyms are made with, for somebody who may not see names; null for who may. */
  readonly veil: string | null;
}

/** What came of it: the document for programs, the same for people, and how a command ends. */
export interface ToldWork {
  readonly json: object;
  readonly text: string;
  readonly exitCode: number;
}
