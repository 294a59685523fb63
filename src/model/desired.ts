import type { Entity } from './entity.js';
import { FIELDS } from './fields.js';
import type { Json, Values } from './json.js';
import type { Place } from './place.js';

/**
 * What the sources want one object to be.
 *
 * `values` speaks the vocabulary of `fields.ts`: absent field = not managed for this record (keep what is there),
 * `null` = clear it (only where the configuration says `when_empty: clear`). Examples of the shapes that are not plain text:
 * `office: { country: 'no', name: 'Oslo' }` · `title: { en: 'Consultant' }` · `roles: ['consultant', 'countrymanager']` ·
 * `tags: { business_unit: 'cloud' }` (category external id → tag external id) · `owners: ['jane@example.com']` ·
 * `custom_fields: { volume: { amount: 42, unit: 'm2' } }`.
 */
export interface Desired {
  readonly entity: Entity;
  /** The existence source's key. */
  readonly key: string;
  readonly place: Place;
  readonly values: Values;
  /** True when the source itself says the person has left (users only). */
  readonly leaver: boolean;
  /** True while nobody is created or reactivated: the first day of work is too far away, or the row may not be a colleague. */
  readonly early?: boolean;
  /** ISO 8601: the first day of work, while `early`; absent where the row is in doubt (`users.doubtful`). */
  readonly starts?: string;
  /** Of a leaver, where a date alone says so. */
  readonly left?: Left;
  /** Rank among several rows of one key, greater wins; null when the configuration has no `prefer`. */
  readonly preference: number | string | null;
  /** Where something is written back. */
  readonly writeBack?: Backing;
}

/** Since when somebody has left, by which date of the source. */
export interface Left {
  /** A day such as 2026-01-31, or the text of the source. */
  readonly on: string;
  /** `hr.end_date`. */
  readonly column: string;
  /** The latest day that `scope` or `joiner` goes by in the same row; null without one. */
  readonly begins: string | null;
}

/** A moment, or a day: from its first to its last. ISO 8601. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** The records that are behind a staged one, as far as they are written back to. */
export interface Backing {
  /** Stream → the record there, with what its columns show; dates as ISO 8601, an empty cell is absent. */
  readonly records: Readonly<Record<string, { readonly record: string; readonly cells: Values }>>;
  /** When the record changed last, by what its source says; null where it does not tell. */
  readonly modified: Stretch | null;
}

/** Fields of people that name offices → their ids, as the service shows them. */
export const OFFICE_IDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(FIELDS.users).flatMap(([name, { shape, ids }]) =>
    ids !== undefined && ['office', 'offices'].includes(shape) ? [[name, ids]] : [],
  ),
);

const OFFICE_FIELDS = Object.entries(OFFICE_IDS);

/**
 * What a pair was found equal with. Offices go along by their ids: when one is called differently later, nobody who is in
 * it has moved, and nobody's scope.
 */
export function valuesAgreed({ values }: Desired, observed: Values): Values {
  const agreed: Record<string, Json> = { ...values };
  for (const [field, name] of OFFICE_FIELDS) {
    const id = observed[name] ?? null;
    if (values[field] !== undefined && id !== null) agreed[name] = id;
  }
  return agreed;
}

/** Why a record was set aside, for people: where, what, what to do. */
export interface Hold {
  readonly entity: string;
  /** Source key, or `?` when the row had none that could be trusted. */
  readonly key: string;
  readonly place: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  /** What of the record waits, where that is all: `tags.unit`, or several as `roles, email`. The rest of it goes on. */
  readonly field?: string;
  /** Set where a person may decide which side is right: the name of the question, the same while both sides say the same. */
  readonly conflict?: string;
  /** The record that would stand for an object, if a person says that they are the same. */
  readonly relink?: { readonly key: string; readonly id: string };
  /** What is held, where the reason tells less, or also what moves from run to run (a count, a time). */
  readonly about?: string;
  /** What somebody most likely meant who wrote a value of that field. */
  readonly means?: { readonly field: string; readonly value: string };
}

/** A hold under the name by which people ask for it: the same from run to run, as long as the same is held. */
export interface NamedHold extends Hold {
  readonly id: string;
  /** The reason without what is this record's alone: holds of one cause say the same. Plans of earlier versions lack it. */
  readonly cause?: string;
  /** It stands for so many holds of one cause that are not listed one by one. */
  readonly count?: number;
  /** Somebody knows of it, and leaves it as it is. */
  readonly acknowledged?: Acknowledgement;
}

/** Both sides have changed a field, and a person has to say which is right. */
export const CONFLICT = 'SYNC_CONFLICT';

/** Nothing is held, and nobody has to do anything: what was left out of the cells of a column. */
export const NOTE = 'SYNC_CELL_NOTED';

/** How much is held: whole records, of others a field alone, and questions between the two sides. */
export interface HeldCounts {
  readonly records: number;
  readonly fields: number;
  readonly conflicts: number;
}

/** As documents of earlier versions have it too. */
export type ReportedHold = Hold & Pick<NamedHold, 'acknowledged' | 'cause' | 'count'>;

export interface Acknowledgement {
  readonly who: string;
  readonly reason: string;
  /** ISO 8601; null: until something else is held. */
  readonly until: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A field that the service answered differently from what was sent. */
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
  /** The record is the same as when the pair was last found equal: what differs now moved in the service. */
  readonly sourceUnchanged: boolean;
  /** Managed values at the last agreement. */
  readonly base: Values | null;
  /** Last written values of fields that the service never shows. */
  readonly written: Values | null;
  /** Fields that would not stay when they were written last. */
  readonly untaken?: UntakenFields;
  /** Id → the record's own word, where ids stand for people; see `meanPeople`. */
  readonly ownWords?: ReadonlyMap<string, string>;
}

/** A link whose source key the sources did not deliver, and whose object is active. */
export interface MissingLink {
  readonly key: string;
  readonly id: string;
}

/** A link whose record people have merged into another one of its source. */
export interface MergedLink extends MissingLink {
  readonly into: string;
}

/** A link whose row the source delivered out of scope, or as deleted, and whose object is active. */
export interface OutOfScopeLink extends MissingLink {
  readonly place: Place;
}
