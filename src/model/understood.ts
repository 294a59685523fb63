import type { Entity } from './entity.js';

/** How the rows of the sources are understood, compared with the account before anything is planned. */
export interface Understood {
  /** null if the account could not be read. */
  readonly account: UnderstoodAccount | null;
  readonly entities: readonly UnderstoodEntity[];
}

export interface UnderstoodAccount {
  /** Including deactivated people. */
  readonly people: number;
  readonly offices: number;
}

/** The rows of one entity. `null` if the account was not searched for it. */
export interface UnderstoodEntity {
  readonly entity: Entity;
  readonly sources: readonly string[];
  readonly rows: number;
  /** Rows that are unusable and would be held. */
  readonly unusable: number;
  readonly out_of_scope: number;
  readonly in_account: number | null;
  /** Entry of `match`, or `link` for the link of an earlier run → number of records. */
  readonly matched_by: Readonly<Record<string, number>>;
  /** Records that match several objects. */
  readonly ambiguous: number;
  /** Without people who have already left. */
  readonly new: number | null;
  readonly start_later: number;
  /** Rows that may not be colleagues (`users.doubtful`). */
  readonly doubtful: number;
  readonly left: UnderstoodLeavers;
  /** People who are deactivated in the account although their row does not say that they have left. */
  readonly reactivated: number;
  readonly fields: readonly UnderstoodField[];
  /** Words that no rule names, in the columns that decide who has left. */
  readonly not_understood: readonly UnknownWord[];
  readonly warnings: readonly string[];
}

export interface UnderstoodLeavers {
  readonly people: number;
  readonly not_in_account: number;
  /** Active in the account, but left alone by `policy`. */
  readonly left_alone: number;
  readonly because: readonly LeftBecause[];
}

/** The words of a column that decided, the most frequent first; empty if a date or a yes/no value decides. */
export interface LeftBecause {
  readonly column: string;
  readonly words: readonly string[];
}

/** A mapped field of the people who are in the account and have not left. */
export interface UnderstoodField {
  readonly field: string;
  /** Its columns; empty for a fixed value. */
  readonly from: readonly string[];
  readonly compared: number;
  readonly equal: number;
  readonly would_change: number;
  /** Values that are missing in the account. */
  readonly would_fill: number;
  /** Differences that `apply: create` or `apply: empty` leaves alone. */
  readonly kept: number;
  readonly examples: readonly { readonly before: string; readonly after: string }[];
}

export interface UnknownWord {
  readonly column: string;
  readonly word: string;
  readonly rows: number;
}
