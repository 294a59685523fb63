import type { Entity } from './entity.js';
import type { Json } from './json.js';
import type { Withheld } from './plan.js';

/**
 * A value that one column of a record is to have in its source. What only the service knows after the plan is applied (the
 * id of a new account) is `known: 'after apply'`, and is filled from the outcome.
 */
export interface CellChange {
  readonly column: string;
  /** What the source shows; null where it shows nothing, or the column is not among those that are read. */
  readonly before: Json;
  /** null empties it. */
  readonly after: Json;
  readonly known: 'now' | 'after apply';
  /** The leaf of a mapping it comes from (`telephone`, `title.en`); null for a column of its own. */
  readonly field: string | null;
  /** Hash of the service's value that it was made of; null for a column of its own. */
  readonly serviceHash: string | null;
}

/** What is written back to one record of a source: at most one per record in a plan. */
export interface SourceChange {
  /** Hash of source, record, columns with their values, and what it stands for. */
  readonly id: string;
  /** Stream as expressions and reports name it: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  /** The record's key there. */
  readonly record: string;
  /** What the record stands for. */
  readonly entity: Entity;
  readonly key: string;
  readonly label: string;
  /** Source row: `hr employees-2025.csv:17`. */
  readonly place: string;
  readonly cells: readonly CellChange[];
  /** Why, in a sentence for people. */
  readonly reason: string;
  /** Changes to the service that must succeed first, as `entity:key`. */
  readonly needs: readonly string[];
}

export interface PlannedSourceChange extends SourceChange {
  readonly withheld: Withheld | null;
  readonly approval: string | null;
}

/** One record as it is written back. */
export interface SourceWrite {
  /** The record's key in the source. */
  readonly record: string;
  /** Column → value to set; null empties it. Empty where the record is only repeated (`rows: all`). */
  readonly cells: Readonly<Record<string, Json>>;
  /** The columns of rows that are written back whole, with the new values in their places; null where there is none. */
  readonly row: Readonly<Record<string, Json>>;
}

/** How the source took one record. */
export interface WriteOutcome {
  readonly record: string;
  /** `lost`: whether it was taken is unknown. */
  readonly status: 'done' | 'refused' | 'lost';
  /** Where it went: `talent-r2026….csv`, `PATCH /Users/42`. */
  readonly at: string;
  /** The source's own id of the request, where it tells one. */
  readonly requestId: string | null;
  /** Why it was refused or lost, for people. */
  readonly message?: string;
  /** Refused for what passes, such as a lock: it is sent again by the next run, as nothing of it was taken. */
  readonly mayBeRepeated?: true;
}

/** What was written back to one source, in records. */
export interface WrittenSource {
  readonly source: string;
  readonly done: number;
  readonly refused: number;
  /** Whether they were taken is unknown. */
  readonly lost: number;
  readonly left: number;
  /** The file it went by, or the call where all went by the same one; else null. */
  readonly at: string | null;
  /** A few of those that were not taken: `E1 refused`. */
  readonly examples: readonly string[];
}

/** Which side a field belongs to: that one's changes are carried to the other. `newest`: whichever changed last. */
export type Authority = 'source' | 'service' | 'newest';
export const AUTHORITIES: readonly Authority[] = ['source', 'service', 'newest'];

/** What wins when both sides changed: the side that owns the field, neither until a person decides, the source, the service. */
export type Conflicts = 'owner' | 'hold' | 'source' | 'service';

/** A column of a source to which a value of the service is written back. */
export interface WriteBackColumn {
  /** Stream: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  readonly column: string;
  /** The leaf whose value it is, as in `title.en`; null for a column that says something else of the object. */
  readonly leaf: string | null;
  /** CEL over the service's object; null: the value of the leaf. */
  readonly value: string | null;
  /** Whether an emptiness in the service empties the column. */
  readonly whenEmpty: 'keep' | 'clear';
  /** Whether reads of the source show it. */
  readonly isRead: boolean;
}

/** A column that shows what was written back in another form, as a telephone number with other spaces: near enough. */
export interface NearMisses {
  readonly source: string;
  readonly column: string;
  readonly records: number;
  /** Keys of a few of them. */
  readonly examples: readonly string[];
}

/** What was sent to a column of a record last, and has not been settled. */
export interface SentValue {
  readonly value: Json;
  /** What the source showed when it was sent. */
  readonly shown: Json;
  /** Hash of the service's value that it was made of; null for a column of its own. */
  readonly serviceHash: string | null;
  /** `sending`: the outcome was never noted. `again`: refused for what passes. */
  readonly status: 'sending' | 'sent' | 'refused' | 'lost' | 'again';
  /** ISO 8601. */
  readonly at: string;
  /** How often the same value was sent. */
  readonly times: number;
  readonly message: string | null;
}
