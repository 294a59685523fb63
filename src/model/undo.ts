import type { Entity } from './entity.js';
import type { Values } from './json.js';

/** The run to undo, and why. */
export interface UndoRequest {
  readonly run: string;
  /** The operator's reason; may be blank. */
  readonly reason: string;
}

/** A value that the sources ask for and that an operator undid: not written again while value and mapping stay the same. */
export interface Pin {
  /** `title.en`, `office`, `cvs.jane@example.com`, or `existence`. */
  readonly path: string;
  /** Hash of the undone value; for `existence`, of `here` or `gone`. */
  readonly value: string;
  /** Digest of the part of the configuration that produces the value. */
  readonly mapping: string;
  /** Set if a person declined the value: the plan shows it as declined. Otherwise an undo set the pin. */
  readonly declined?: DeclinedPin;
}

export interface DeclinedPin {
  /** Id of the decline. */
  readonly id: string;
  /** The configuration that produces the value has been edited since: the change waits until a person decides again. */
  readonly isEdited: boolean;
}

/** The pin of an object's existence: the undone value is `here` (created, reactivated) or `gone` (deactivated, deleted). */
export const EXISTENCE = 'existence';
export type Existence = 'here' | 'gone';

/** The pin of a link that was removed by hand: the key is not matched again automatically. The value is the object's id. */
export const LINK = 'link';

/** The effect on one record when a change is undone. */
export interface UndoneRecord {
  readonly entity: Entity;
  readonly key: string;
  readonly pins: readonly Pin[];
  /** The values on which both sides agree from then on: the restored leaves, as a tree; null for empty values. */
  readonly restores: Values;
}

/**
 * The changes that a change undoes. It is stored with the change, so that the run that finishes it after a crash can also set
 * the pins.
 */
export interface Undoes {
  readonly run: string;
  /** Ids of the changes of that run. */
  readonly changes: readonly string[];
  /** The object never had its own record: it was created because another one referred to it. */
  readonly derived: boolean;
  readonly records: readonly UndoneRecord[];
}
