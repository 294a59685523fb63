import type { Entity } from './entity.js';
import type { Json } from './json.js';
import type { Withheld } from './plan.js';

/**
 * A value that one column of a source record should get. A value that only the service knows after the plan is applied (the
 * id of a new account) is `known: 'after apply'`, and is filled in from the outcome.
 */
export interface CellChange {
  readonly column: string;
  /** The value in the source; null if it is empty, or if the column is not read. */
  readonly before: Json;
  /** null clears it. */
  readonly after: Json;
  readonly known: 'now' | 'after apply';
  /** The leaf of a mapping that it comes from (`telephone`, `title.en`); null for a column with its own expression. */
  readonly field: string | null;
  /** Hash of the service's value that it was computed from; null for a column with its own expression. */
  readonly serviceHash: string | null;
}

/** The values written back to one record of a source: at most one per record in a plan. */
export interface SourceChange {
  /** Hash of source, record, columns with values, and its object. */
  readonly id: string;
  /** Stream as in expressions and reports: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  /** The record's key in the source. */
  readonly record: string;
  /** The entity that the record stands for. */
  readonly entity: Entity;
  readonly key: string;
  readonly label: string;
  /** Source row: `hr employees-2025.csv:17`. */
  readonly place: string;
  readonly cells: readonly CellChange[];
  /** The reason, in a sentence for people. */
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
  /** The record's key in the source. */
  readonly record: string;
  /** Column → value to set; null clears it. No columns if the record is only repeated (`rows: all`). */
  readonly cells: Readonly<Record<string, Json>>;
  /** The columns of rows that are written back completely, with the new values; null for an empty column. */
  readonly row: Readonly<Record<string, Json>>;
}

/** The source's response to one record. */
export interface WriteOutcome {
  readonly record: string;
  /** `lost`: the outcome is unknown. */
  readonly status: 'done' | 'refused' | 'lost';
  /** Destination: `talent-r2026….csv`, `PATCH /Users/42`. */
  readonly at: string;
  /** The source's own id of the request, if it returns one. */
  readonly requestId: string | null;
  /** Why it was rejected or lost, for people. */
  readonly message?: string;
  /** Rejected for a temporary reason, such as a lock. Nothing was accepted, so the next run sends it again. */
  readonly mayBeRepeated?: true;
}

/** Numbers of records written back to one source. */
export interface WrittenSource {
  readonly source: string;
  readonly done: number;
  readonly refused: number;
  /** The outcome is unknown. */
  readonly lost: number;
  readonly left: number;
  /** The file, or the call if all used the same one; else null. */
  readonly at: string | null;
  /** A few of the records that were not accepted: `E1 refused`. */
  readonly examples: readonly string[];
}

/** The side that a field belongs to: its changes are carried to the other side. `newest`: the side that changed last. */
export type Authority = 'source' | 'service' | 'newest';
export const AUTHORITIES: readonly Authority[] = ['source', 'service', 'newest'];

/** The winner when both sides changed: the owner of the field, neither until a person decides, the source, or the service. */
export type Conflicts = 'owner' | 'hold' | 'source' | 'service';

/** A column of a source that receives a value of the service. */
export interface WriteBackColumn {
  /** Stream: `hr`, `idp`, `crm.deals`. */
  readonly source: string;
  readonly column: string;
  /** The leaf whose value it is, such as `title.en`; null for a column with its own expression. */
  readonly leaf: string | null;
  /** CEL over the service's object; null: the value of the leaf. */
  readonly value: string | null;
  /** Effect of an empty value in the service on the column. */
  readonly whenEmpty: 'keep' | 'clear';
  /** True if reads of the source show it. */
  readonly isRead: boolean;
}

/** A column that shows the written value in another form, such as a telephone number with other spaces: close enough. */
export interface NearMisses {
  readonly source: string;
  readonly column: string;
  readonly records: number;
  /** Keys of a few of them. */
  readonly examples: readonly string[];
}

/** The last value sent to a column of a record, while it is not settled. */
export interface SentValue {
  readonly value: Json;
  /** The value in the source when it was sent. */
  readonly shown: Json;
  /** Hash of the service's value that it was computed from; null for a column with its own expression. */
  readonly serviceHash: string | null;
  /** `sending`: the outcome was never recorded. `again`: rejected for a temporary reason. */
  readonly status: 'sending' | 'sent' | 'refused' | 'lost' | 'again';
  /** ISO 8601. */
  readonly at: string;
  /** Number of times that the same value was sent. */
  readonly times: number;
  readonly message: string | null;
}
