import type { Entity } from './entity.js';
import { FIELDS } from './fields.js';
import type { Json, Values } from './json.js';
import type { Place } from './place.js';

/**
 * The state that the sources ask for, for one object.
 *
 * `values` uses the vocabulary of `fields.ts`. An absent field is not managed for this record: its value in the service
 * stays. `null` clears it (only if the configuration says `when_empty: clear`). Examples of shapes other than plain text:
 * `office: { country: 'no', name: 'Oslo' }` · `title: { en: 'Consultant' }` · `roles: ['consultant', 'countrymanager']` ·
 * `tags: { business_unit: 'cloud' }` (category external id → tag external id) · `owners: ['jane@example.com']` ·
 * `custom_fields: { volume: { amount: 42, unit: 'm2' } }`.
 */
export interface Desired {
  readonly entity: Entity;
  /** Key in the existence source. */
  readonly key: string;
  readonly place: Place;
  readonly values: Values;
  /** True when the source itself says the person has left (users only). */
  readonly leaver: boolean;
  /**
   * True while the person must not be created or reactivated: the first day of work is too far away, or the row may not be a
   * colleague.
   */
  readonly early?: boolean;
  /** ISO 8601: the first day of work, while `early`; absent if the row is doubtful (`users.doubtful`). */
  readonly starts?: string;
  /** For a leaver that only a date marks as one. */
  readonly left?: Left;
  /** Rank among several rows with one key, the greatest wins; null if the configuration has no `prefer`. */
  readonly preference: number | string | null;
  /** The records to write back to, if write-back is configured. */
  readonly writeBack?: Backing;
}

/** Since when a person has left, according to a date of the source. */
export interface Left {
  /** A day such as 2026-01-31, or the text in the source. */
  readonly on: string;
  /** `hr.end_date`. */
  readonly column: string;
  /** The latest day that `scope` or `joiner` uses in the same row; null without one. */
  readonly begins: string | null;
}

/** A moment, or a day from its first moment to its last. ISO 8601. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** The source records behind a staged record, as far as write-back needs them. */
export interface Backing {
  /** Stream → its record with the values of its columns. Dates are ISO 8601, an empty cell is absent. */
  readonly records: Readonly<Record<string, { readonly record: string; readonly cells: Values }>>;
  /** When the record last changed, according to its source; null if the source does not say. */
  readonly modified: Stretch | null;
}

/** Fields of people that name offices → the service's fields with their ids. */
export const OFFICE_IDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FIELDS.users).flatMap(([name, { shape, ids }]) =>
    ids !== undefined && ['office', 'offices'].includes(shape) ? [[name, ids]] : [],
  ),
);

const OFFICE_FIELDS = Object.entries(OFFICE_IDS);

/**
 * The values in which a source record and its object agree. Office ids are stored as well: an office that is renamed later
 * does not look like a move of its people or a change of their scope.
 */
export function valuesAgreed({ values }: Desired, observed: Values): Values {
  const agreed: Record<string, Json> = { ...values };
  for (const [field, name] of OFFICE_FIELDS) {
    const id = observed[name] ?? null;
    if (values[field] !== undefined && id !== null) agreed[name] = id;
  }
  return agreed;
}

/** Why a record was set aside: where it is, the reason, and the remedy. */
export interface Hold {
  readonly entity: string;
  /** Source key, or `?` if the row has no reliable one. */
  readonly key: string;
  readonly place: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  /** The held part, if the rest of the record is still processed: `tags.unit`, or several as `roles, email`. */
  readonly field?: string;
  /** Set if a person can decide which side is right. Identifies the question, and stays the same while both sides keep their values. */
  readonly conflict?: string;
  /** The record that could take over an object, if a person confirms that they are the same. */
  readonly relink?: { readonly key: string; readonly id: string };
  /** The held content, if the reason says less or contains values that vary from run to run (a count, a time). */
  readonly about?: string;
  /** The value of a field that its author most likely meant. */
  readonly means?: { readonly field: string; readonly value: string };
}

/** A hold with the id that people use for it. The id stays the same from run to run while the same content is held. */
export interface NamedHold extends Hold {
  readonly id: string;
  /** The reason without this record's own details: the same for all holds with one cause. Plans of earlier versions lack it. */
  readonly cause?: string;
  /** The number of holds with one cause that this hold stands for because they are not listed one by one. */
  readonly count?: number;
  /** Set once a person has acknowledged the hold. */
  readonly acknowledged?: Acknowledgement;
}

/** Code of a hold on a field that both sides changed: a person must decide which side is right. */
export const CONFLICT = 'SYNC_CONFLICT';

/** Code of a note about text left out of the cells of a column. Nothing is held, and no action is needed. */
export const NOTE = 'SYNC_CELL_NOTED';

/** The number of held records, of held fields in other records, and of conflicts between the two sides. */
export interface HeldCounts {
  readonly records: number;
  readonly fields: number;
  readonly conflicts: number;
}

/** A hold as documents of earlier versions contain it too. */
export type ReportedHold = Hold & Pick<NamedHold, 'acknowledged' | 'cause' | 'count'>;

export interface Acknowledgement {
  readonly who: string;
  readonly reason: string;
  /** ISO 8601; null: until the held content changes. */
  readonly until: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A field for which the service's response differs from the value sent. */
export interface UntakenField {
  readonly sent: Json;
  readonly got: Json;
}
export type UntakenFields = Readonly<Record<string, UntakenField>>;

/** A staged record that may need a change, with its link and base if it has them. */
export interface Candidate {
  readonly desired: Desired;
  readonly desiredHash: string;
  readonly linkedId: string | null;
  /** The record is the same as when the pair was last found equal, so any difference comes from the service. */
  readonly sourceUnchanged: boolean;
  /** Managed values when both sides last agreed. */
  readonly base: Values | null;
  /** Last written values of fields that the service never shows. */
  readonly written: Values | null;
  /** Fields that did not stay after their last write. */
  readonly untaken?: UntakenFields;
  /** Id → the record's own word for a person; see `meanPeople`. */
  readonly ownWords?: ReadonlyMap<string, string>;
}

/** A link whose source key no source delivered, and whose object is active. */
export interface MissingLink {
  readonly key: string;
  readonly id: string;
}

/** A link whose record was merged into another record of its source. */
export interface MergedLink extends MissingLink {
  readonly into: string;
}

/** A link whose row the source delivered out of scope or as deleted, and whose object is active. */
export interface OutOfScopeLink extends MissingLink {
  readonly place: Place;
}
