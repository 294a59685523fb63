import type { Entity } from './entity.js';

/** How the source rows are interpreted, compared with the account before a plan is made. */
export interface Understood {
  /** null if the account could not be read. */
  readonly account: UnderstoodAccount | null;
  readonly entities: readonly UnderstoodEntity[];
}

export interface UnderstoodAccount {
  /** Number of people, including deactivated ones. */
  readonly people: number;
  readonly offices: number;
}

/** The rows of one entity. A number is `null` if the account was not searched for this entity. */
export interface UnderstoodEntity {
  readonly entity: Entity;
  readonly sources: readonly string[];
  /** Number of rows that were read; null if no source could be read. */
  readonly rows: number | null;
  /** Sources that could not be read; absent if there are none. */
  readonly unread?: readonly string[];
  /** Number of rows that cannot be used and would be held. */
  readonly unusable: number;
  readonly out_of_scope: number;
  readonly in_account: number | null;
  /** Entry of `match` → number of records. `link` stands for the links of earlier runs. */
  readonly matched_by: Readonly<Record<string, number>>;
  /** Number of records that match several objects. */
  readonly ambiguous: number;
  /** Number of new records, without people who have already left. */
  readonly new: number | null;
  readonly start_later: number;
  /** Number of rows that may not describe colleagues (`users.doubtful`). */
  readonly doubtful: number;
  readonly left: UnderstoodLeavers;
  /** Number of people who are deactivated in the account, although their rows do not say that they have left. */
  readonly reactivated: number;
  readonly fields: readonly UnderstoodField[];
  /** Words that no rule names, in the columns that decide who has left. */
  readonly not_understood: readonly UnknownWord[];
  readonly warnings: readonly string[];
}

export interface UnderstoodLeavers {
  readonly people: number;
  readonly not_in_account: number;
  /** Number of records that are active in the account and that `policy` leaves alone. */
  readonly left_alone: number;
  readonly because: readonly LeftBecause[];
}

/** The words of a column that decided who has left, the most frequent first; empty if a date or a yes/no value decides. */
export interface LeftBecause {
  readonly column: string;
  readonly words: readonly string[];
}

/** A mapped field, compared for the people who are in the account and have not left. */
export interface UnderstoodField {
  readonly field: string;
  /** The columns that the field is read from; empty for a fixed value. */
  readonly from: readonly string[];
  readonly compared: number;
  readonly equal: number;
  readonly would_change: number;
  /** Number of values that the account lacks. */
  readonly would_fill: number;
  /** Number of differences that `apply: create` or `apply: empty` leaves alone. */
  readonly kept: number;
  readonly examples: readonly { readonly before: string; readonly after: string }[];
}

export interface UnknownWord {
  readonly column: string;
  readonly word: string;
  readonly rows: number;
}
