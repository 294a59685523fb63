/** A change of a plan that a person has declined. Times are ISO 8601. */
export interface DeclinedChange {
  /** Id of the change. */
  readonly id: string;
  /** Ids of the declines: one, or several where fields of one record were declined apart. */
  readonly declines: readonly string[];
  /** Entity, or source and stream of what is written back. */
  readonly of: string;
  readonly action: string;
  readonly key: string;
  readonly label: string;
  readonly fields: readonly string[];
  readonly who: string;
  readonly reason: string;
  readonly at: string;
  /** Null: until the source value changes. */
  readonly until: string | null;
}

/** Who declined it, why, and until when. */
export type DeclineWords = Pick<DeclinedChange, 'who' | 'reason' | 'at' | 'until'>;
