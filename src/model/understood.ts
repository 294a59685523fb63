import type { Entity } from './entity.js';

/** How the rows of the sources are understood, by the account as it is: what documents show, before anything is planned. */
export interface Understood {
  /** null where the account could not be read. */
  readonly account: UnderstoodAccount | null;
  readonly entities: readonly UnderstoodEntity[];
}

export interface UnderstoodAccount {
  /** Deactivated ones among them. */
  readonly people: number;
  readonly offices: number;
}

/** The rows of one entity; `null` where the account was not searched for it. */
export interface UnderstoodEntity {
  readonly entity: Entity;
  readonly sources: readonly string[];
  readonly rows: number;
  /** Rows that cannot be used: they would be held. */
  readonly unusable: number;
  readonly out_of_scope: number;
  readonly in_account: number | null;
  /** By which entry of `match`, or by the link of an earlier run. */
  readonly matched_by: Readonly<Record<string, number>>;
  /** Records that match several objects. */
  readonly ambiguous: number;
  /** Those that have left already are not among them. */
  readonly new: number | null;
  readonly start_later: number;
  readonly left: UnderstoodLeavers;
  /** They are deactivated in the account, and their row does not say that they have left. */
  readonly reactivated: number;
  readonly fields: readonly UnderstoodField[];
  /** Words in the columns that decide who has left, which no rule names. */
  readonly not_understood: readonly UnknownWord[];
  readonly warnings: readonly string[];
}

export interface UnderstoodLeavers {
  readonly people: number;
  readonly not_in_account: number;
  /** Active in the account, where `policy` leaves them so. */
  readonly left_alone: number;
  readonly because: readonly LeftBecause[];
}

/** By which words of a column, the most frequent first; none where a date or a yes or no decides. */
export interface LeftBecause {
  readonly column: string;
  readonly words: readonly string[];
}

/** A mapped field of the people who are in the account and have not left. */
export interface UnderstoodField {
  readonly field: string;
  /** Columns; none for a fixed value. */
  readonly from: readonly string[];
  readonly compared: number;
  readonly equal: number;
  readonly would_change: number;
  /** The account has no value. */
  readonly would_fill: number;
  /** Different, and left alone by `apply`. */
  readonly kept: number;
  readonly examples: readonly { readonly before: string; readonly after: string }[];
}

export interface UnknownWord {
  readonly column: string;
  readonly word: string;
  readonly rows: number;
}
