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

/** What one record of a source is told: at most one per record in a plan. */
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

/** One record as a source is told it. */
export interface SourceWrite {
  /** The record's key in the source. */
  readonly record: string;
  /** Column → value to set; null empties it. Empty where the record is only repeated (`rows: all`). */
  readonly cells: Readonly<Record<string, Json>>;
  /** The columns that a source is told by whole rows, with the new values in their places; null where there is none. */
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
}
