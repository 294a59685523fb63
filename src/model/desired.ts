import type { Entity } from './entity.js';
import { FIELDS } from './fields.js';
import type { Json, Values } from './json.js';
import type { Place } from './place.js';

/**
 * The state of one object that the sources ask for.
 *
 * `values` uses the vocabulary of `fields.ts`. A field that is absent is not managed for this record, and the service keeps its
 * value. `null` clears the field, which happens only if the configuration says `when_empty: clear`. Examples of shapes other
 * than plain text: `office: { country: 'no', name: 'Oslo' }` · `title: { en: 'Consultant' }` · `roles: ['consultant',
 * 'countrymanager']` · `tags: { business_unit: 'cloud' }` (category external id → tag external id) · `owners:
 * ['jane@example.com']` · `custom_fields: { volume: { amount: 42, unit: 'm2' } }`.
 */
export interface Desired {
  readonly entity: Entity;
  /** Key of the record in the existence source. */
  readonly key: string;
  readonly place: Place;
  readonly values: Values;
  /** For users only: true if the source itself says that the person has left. */
  readonly leaver: boolean;
  /**
   * True while the person must not be created or reactivated. Either the first day of work is too far away, or the row may not
   * describe a colleague.
   */
  readonly early?: boolean;
  /** ISO 8601: the first day of work. Set while `early` is true; absent if the row is doubtful (`users.doubtful`). */
  readonly starts?: string;
  /** Set for a leaver whom only a date marks as a leaver. */
  readonly left?: Left;
  /** Rank among several rows with one key; the highest wins. null if the configuration has no `prefer`. */
  readonly preference: number | string | null;
  /** The records that receive written-back values, if write-back is configured. */
  readonly writeBack?: Backing;
}

/** The date on which a person left, according to the source. */
export interface Left {
  /** A day such as 2026-01-31, or the text of the source. */
  readonly on: string;
  /** The column with the date: `hr.end_date`. */
  readonly column: string;
  /** The latest day that `scope` or `joiner` uses in the same row; null without such a day. */
  readonly begins: string | null;
}

/** A point in time, or a day from its beginning to its end. ISO 8601. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** The source records behind a staged record, with only the data that write-back needs. */
export interface Backing {
  /** Stream → its record, with the values of its columns. Dates are ISO 8601; an empty cell is absent. */
  readonly records: Readonly<Record<string, { readonly record: string; readonly cells: Values }>>;
  /** When the record last changed, according to its source; null if the source does not say. */
  readonly modified: Stretch | null;
}

/** Fields of people that name offices → the service's fields that contain the ids of those offices. */
export const OFFICE_IDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FIELDS.users).flatMap(([name, { shape, ids }]) =>
    ids !== undefined && ['office', 'offices'].includes(shape) ? [[name, ids]] : [],
  ),
);

const OFFICE_FIELDS = Object.entries(OFFICE_IDS);

/**
 * Returns the values on which a source record and its object agree. It adds the office ids, so that renaming an office does not
 * look like a move or a change of scope for its people.
 */
export function valuesAgreed({ values }: Desired, observed: Values): Values {
  return { ...values, ...officeIdsAgreed(values, observed) };
}

/** Returns the ids of the offices that the record names and the object has. */
export function officeIdsAgreed(values: Values, observed: Values): Values {
  const ids: Record<string, Json> = {};
  for (const [field, name] of OFFICE_FIELDS) {
    const id = observed[name] ?? null;
    if (values[field] !== undefined && id !== null) ids[name] = id;
  }
  return ids;
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
  /** The held part, if the rest of the record is still processed: `tags.unit`, or several parts as `roles, email`. */
  readonly field?: string;
  /** Id of the question, if a person can decide which side is right. It stays the same while both sides keep their values. */
  readonly conflict?: string;
  /** The record that could take over an object, if a person confirms that both are the same. */
  readonly relink?: { readonly key: string; readonly id: string };
  /** The held content, if the reason omits some of it or contains values that vary between runs (a count, a time). */
  readonly about?: string;
  /** The value of a field that its author most likely meant. */
  readonly means?: { readonly field: string; readonly value: string };
}

/** A hold with the id that people use for it. The id stays the same between runs while the same content is held. */
export interface NamedHold extends Hold {
  readonly id: string;
  /**
   * The reason without the details of this record, so it is the same for all holds with one cause. Plans of earlier versions
   * lack it.
   */
  readonly cause?: string;
  /** The number of holds that this one stands for, if the holds with one cause are not listed one by one. */
  readonly count?: number;
  /** Set once a person has acknowledged the hold. */
  readonly acknowledged?: Acknowledgement;
}

/** Code of a hold on a field that both sides changed: a person must decide which side is right. */
export const CONFLICT = 'SYNC_CONFLICT';

/** Code of a note about text that was removed from the cells of a column. Nothing is held, and no action is needed. */
export const NOTE = 'SYNC_CELL_NOTED';

/** The number of held records, of held fields in other records, and of conflicts between the two sides. */
export interface HeldCounts {
  readonly records: number;
  readonly fields: number;
  readonly conflicts: number;
}

/** A hold as it appears in documents, including those of earlier versions. */
export type ReportedHold = Hold & Pick<NamedHold, 'acknowledged' | 'cause' | 'count'>;

export interface Acknowledgement {
  readonly who: string;
  readonly reason: string;
  /** ISO 8601; null if the acknowledgement lasts until the held content changes. */
  readonly until: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A sent value that the service does not keep. */
export interface UntakenField {
  readonly sent: Json;
  /** The value in the answer; with `times`, the value before each write. */
  readonly got: Json;
  /** How often the value was written over the same other value. Absent if the answer already showed `got`. */
  readonly times?: number;
}

/** True if the answer to a write showed another value. */
export function isInAnswer<T extends Pick<UntakenField, 'times'>>(field: T | undefined): field is T {
  return field !== undefined && field.times === undefined;
}

export type UntakenFields = Readonly<Record<string, UntakenField>>;

/** A staged record that may need a change, with its link and base if there are any. */
export interface Candidate {
  readonly desired: Desired;
  readonly desiredHash: string;
  readonly linkedId: string | null;
  /** True if the record is the same as when the pair was last found equal, so that any difference comes from the service. */
  readonly sourceUnchanged: boolean;
  /** True if the object is the same as when the pair was last found equal. */
  readonly serviceUnchanged?: boolean;
  /** The managed values on which both sides last agreed. */
  readonly base: Values | null;
  /** The last written values of fields that the service never shows. */
  readonly written: Values | null;
  /** Fields whose last written value did not stay. */
  readonly untaken?: UntakenFields;
  /** Id → the word that the record uses for the person; see `meanPeople`. */
  readonly ownWords?: ReadonlyMap<string, string>;
}

/** A link to an active object whose source key is in no source. */
export interface MissingLink {
  readonly key: string;
  readonly id: string;
}

/** A link to a record that was merged into another record of its source. */
export interface MergedLink extends MissingLink {
  readonly into: string;
}

/** A link to an active object whose row is out of scope or deleted in the source. */
export interface OutOfScopeLink extends MissingLink {
  readonly place: Place;
}
