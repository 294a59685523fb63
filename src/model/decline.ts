/** A change of a plan that a person has declined. Times are ISO 8601. */
export interface DeclinedChange {
  readonly id: string;
  /** Ids of the declines; several if fields of one record were declined separately. */
  readonly declines: readonly string[];
  /** The entity, or the source and stream for a write-back. */
  readonly of: string;
  readonly action: string;
  readonly key: string;
  readonly label: string;
  readonly fields: readonly string[];
  readonly who: string;
  readonly reason: string;
  readonly at: string;
  /** ISO 8601; null if the decline lasts until the source value changes. */
  readonly until: string | null;
}

/** Who declined it, why, and until when. */
export type DeclineWords = Pick<DeclinedChange, 'who' | 'reason' | 'at' | 'until'>;
