import type { Entity } from './entity.js';
import type { Values } from './json.js';

/** The run to undo, and why. */
export interface UndoRequest {
  readonly run: string;
  /** The operator's reason; may be blank. */
  readonly reason: string;
  /** The person or program that performs the undo; absent in a plan. */
  readonly by?: string;
}

/**
 * A value that the sources ask for and an operator undid. It is not written again while the value and its mapping stay the
 * same.
 */
export interface Pin {
  /** `title.en`, `office`, `cvs.jane@example.com`, or `existence`. */
  readonly path: string;
  /** Hash of the undone value; for `existence`, of `here` or `gone`. */
  readonly value: string;
  /** Digest of the part of the configuration that produces the value. */
  readonly mapping: string;
  /** Set if a person declined the value, which the plan then shows as declined. Otherwise an undo set the pin. */
  readonly declined?: DeclinedPin;
}

export interface DeclinedPin {
  /** Id of the decline. */
  readonly id: string;
  /** True if the configuration for the value has been edited since. The change then waits until a person decides again. */
  readonly isEdited: boolean;
}

/** The pin of an object's existence. The undone value is `here` (created, reactivated) or `gone` (deactivated, deleted). */
export const EXISTENCE = 'existence';
export type Existence = 'here' | 'gone';

/** The pin of a link that was removed by hand. The key is not matched again automatically. The value is the id of the object. */
export const LINK = 'link';

/** The effect of an undone change on one record. */
export interface UndoneRecord {
  readonly entity: Entity;
  readonly key: string;
  readonly pins: readonly Pin[];
  /** The values on which both sides agree after the undo: the restored leaves, as a tree; null for empty values. */
  readonly restores: Values;
}

/**
 * The changes that a change undoes. They are stored with the change, so that a run that finishes it after a crash can also set
 * the pins.
 */
export interface Undoes {
  readonly run: string;
  /** Ids of the undone changes. */
  readonly changes: readonly string[];
  /** True if the object has no record of its own. It was created because another record referred to it. */
  readonly derived: boolean;
  readonly records: readonly UndoneRecord[];
  /** Who undoes it, and why. Changes of older versions lack both. */
  readonly by?: string;
  readonly reason?: string;
}
