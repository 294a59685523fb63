import type { Signal } from '../model/signal.js';
import type { UndoRequest } from '../model/undo.js';

/** A plan or run that a command requests, here or from a daemon elsewhere. */
export interface WorkOrder {
  /** `user:jane@example.com`: that object and everything it needs. */
  readonly only: string | null;
  /** Reads the complete account, even if it is not due. */
  readonly full: boolean;
  /** The day that expressions see as today, `2026-11-20`. */
  readonly asOf: string | null;
  readonly ignoreQuietHours: boolean;
  /** Exit with 2 if the plan has changes. */
  readonly isDetailed: boolean;
  /** The signalled changes that led to the request. */
  readonly signals?: readonly Signal[];
  /** Undoes a run instead of reading the sources. */
  readonly undo?: UndoRequest;
  /** A saved plan: only its changes are carried out. */
  readonly plan?: string;
  /** How to render the text; null if no one reads it. */
  readonly look: WorkLook | null;
}

/** A run as the schedule starts it, without text. */
export const PLAIN_ORDER: WorkOrder = {
  ...{ only: null, full: false, asOf: null },
  ...{ ignoreQuietHours: false, isDetailed: false, look: null },
};

export interface WorkLook {
  readonly color: boolean;
  /** Columns of the terminal; null without one. */
  readonly width: number | null;
  /** List every change, not just the first few of each kind. */
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
