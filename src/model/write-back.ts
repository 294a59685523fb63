import type { Entity } from './entity.js';
import type { Json } from './json.js';
import type { Withheld } from './plan.js';

/**
 * A value that one column of a source record should get. If the value is known only after the plan is applied (the id of a new
 * account), it is `known: 'after apply'`, and the outcome provides it.
 */
export interface CellChange {
  readonly column: string;
  /** The value in the source; null if it is empty or the column is not read. */
  readonly before: Json;
  /** The new value; null clears the cell. */
  readonly after: Json;
  readonly known: 'now' | 'after apply';
  /** The leaf of a mapping that the value comes from (`telephone`, `title.en`); null for a column with its own expression. */
  readonly field: string | null;
  /** Hash of the service's value from which it was computed; null for a column with its own expression. */
  readonly serviceHash: string | null;
}

/** The values that are written back to one record of a source. A plan has at most one such change per record. */
export interface SourceChange {
  /** Hash of the source, the record, its object, and the columns with their values. */
  readonly id: string;
  /** The stream, named as in expressions and reports: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  /** The key of the record in the source. */
  readonly record: string;
  /** The entity that the record stands for. */
  readonly entity: Entity;
  readonly key: string;
  readonly label: string;
  /** Source row: `hr employees-2025.csv:17`. */
  readonly place: string;
  readonly cells: readonly CellChange[];
  /** The reason as a sentence for people. */
  readonly reason: string;
  /** Changes to the service that must succeed first, as `entity:key`. */
  readonly needs: readonly string[];
}

export interface PlannedSourceChange extends SourceChange {
  readonly withheld: Withheld | null;
  readonly approval: string | null;
}

/** One record to write back. */
export interface SourceWrite {
  /** The key of the record in the source. */
  readonly record: string;
  /** Column → new value; null clears it. Empty if the record is only repeated (`rows: all`). */
  readonly cells: Readonly<Record<string, Json>>;
  /** For rows that are written back completely: all columns with the new values; null for an empty column. */
  readonly row: Readonly<Record<string, Json>>;
}

/** The response of a source for one record. */
export interface WriteOutcome {
  readonly record: string;
  /** `lost`: the outcome is unknown. */
  readonly status: 'done' | 'refused' | 'lost';
  /** The destination: `talent-r2026….csv`, `PATCH /Users/42`. */
  readonly at: string;
  /** The source's id of the request, if it returns one. */
  readonly requestId: string | null;
  /** Why the record was rejected or lost, for people. */
  readonly message?: string;
  /** Set if the rejection is temporary, such as a lock. The source accepted nothing, so the next run sends the record again. */
  readonly mayBeRepeated?: true;
}

/** Numbers of records that were written back to one source. */
export interface WrittenSource {
  readonly source: string;
  readonly done: number;
  readonly refused: number;
  /** Number of records with an unknown outcome. */
  readonly lost: number;
  readonly left: number;
  /** The file, or the call if all records used the same one; otherwise null. */
  readonly at: string | null;
  /** Some of the records that the source did not accept: `E1 refused`. */
  readonly examples: readonly string[];
}

/** The side that owns a field. Its changes are carried to the other side. `newest`: the side that changed last. */
export type Authority = 'source' | 'service' | 'newest';
export const AUTHORITIES: readonly Authority[] = ['source', 'service', 'newest'];

/** Which side wins if both changed: the field's owner, neither until a person decides, the source, or the service. */
export type Conflicts = 'owner' | 'hold' | 'source' | 'service';

/** A column of a source that receives a value of the service. */
export interface WriteBackColumn {
  /** Stream: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  readonly column: string;
  /** The leaf that provides the value, such as `title.en`; null for a column with its own expression. */
  readonly leaf: string | null;
  /** CEL expression over the service's object; null if the value of the leaf is used. */
  readonly value: string | null;
  /** How an empty value in the service affects the column. */
  readonly whenEmpty: 'keep' | 'clear';
  /** True if reads of the source show the column. */
  readonly isRead: boolean;
}

/** A column that shows the written value in another form, such as a telephone number with other spaces. This counts as equal. */
export interface NearMisses {
  readonly source: string;
  readonly column: string;
  readonly records: number;
  /** Keys of some of the records. */
  readonly examples: readonly string[];
}

/** The last value that was sent to a column of a record, until it is settled. */
export interface SentValue {
  readonly value: Json;
  /** The value of the source at the time of sending. */
  readonly shown: Json;
  /** Hash of the service's value from which it was computed; null for a column with its own expression. */
  readonly serviceHash: string | null;
  /** `sending`: no outcome was recorded. `again`: rejected for a temporary reason. */
  readonly status: 'sending' | 'sent' | 'refused' | 'lost' | 'again';
  /** ISO 8601. */
  readonly at: string;
  /** How often the same value was sent. */
  readonly times: number;
  readonly message: string | null;
}
