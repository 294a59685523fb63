import type { Entity } from './entity.js';
import type { Values } from './json.js';

/** Which run is to be taken back, and why. */
export interface UndoRequest {
  readonly run: string;
  /** The operator's reason; blank for none. */
  readonly reason: string;
}

/** What the sources want and an operator has taken back: not done again while they want the same by the same mapping. */
export interface Pin {
  /** `title.en`, `office`, `cvs.jane@example.com`, or `existence`. */
  readonly path: string;
  /** Hash of the undone value; of `existence` that of `here` or `gone`. */
  readonly value: string;
  /** Digest of the part of the configuration that makes the value. */
  readonly mapping: string;
  /** Set where a person has declined the value: it is shown in the plan, as declined. Without it, an undo took it back. */
  readonly declined?: DeclinedPin;
}

export interface DeclinedPin {
  /** Id of the decline. */
  readonly id: string;
  /** The configuration that makes the value has been edited since: the change waits until a person decides again. */
  readonly isEdited: boolean;
}

/** The pin of an object's being there: the undone value is `here` (created, reactivated) or `gone` (deactivated, deleted). */
export const EXISTENCE = 'existence';
export type Existence = 'here' | 'gone';

/** The pin of a link that was taken off by hand: the key is not matched again by itself. The value is the object's id. */
export const LINK = 'link';

/** What becomes of one record when a change is undone. */
export interface UndoneRecord {
  readonly entity: Entity;
  readonly key: string;
  readonly pins: readonly Pin[];
  /** What both sides agree on from then on: the leaves that were put back, as a tree; null where there was nothing. */
  readonly restores: Values;
}

/** What a change takes back. It travels with the change, so that the run that finishes it after a crash can pin it too. */
export interface Undoes {
  readonly run: string;
  /** Ids of the changes of that run. */
  readonly changes: readonly string[];
  /** The object never had a record of its own: it was created because another one referred to it. */
  readonly derived: boolean;
  readonly records: readonly UndoneRecord[];
}
