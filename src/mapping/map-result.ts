import type { Desired, Hold } from '../model/desired.js';
import type { Values } from '../model/json.js';
import type { Place } from '../model/place.js';
import type { SourceRecord } from '../model/source.js';
import type { HeardWord } from './cells-view.js';

/**
 * The rows that enrich a record, by source. null: the source was read completely and has no such row. `'unknown'`: the
 * source was read incompletely, and no row was found. An omitted source counts as null.
 */
export type Enriching = Readonly<Record<string, SourceRecord | null | 'unknown'>>;

/**
 * The result of mapping a record. `until` is the number of the last day with the same result; null if the result stays
 * the same on every later day.
 */
export type MapResult =
  | {
      readonly kind: 'desired';
      readonly desired: Desired;
      readonly until: number | null;
      /** Paths of fields that depend on an incompletely read source. Their base stays unchanged. */
      readonly unread: readonly string[];
      /** Words for nothing in place of field values; these fields stay unchanged. */
      readonly heard?: readonly HeardWord[];
      /** The hold for a leaver's row with other, unusable cells. It does not apply if the account is already inactive. */
      readonly faulty?: Hold;
    }
  | {
      readonly kind: 'out_of_scope';
      readonly until: number | null;
      readonly key: string;
      readonly place: Place;
      /** Set for people only; null if the values cannot be read. */
      readonly values?: Values | null;
    }
  | {
      readonly kind: 'held';
      readonly hold: Hold;
      /** The readable values, which indicate the person that the row may belong to. */
      readonly values: Values;
    };

/** The readable part of an unusable row. */
export interface PartOfRow {
  /** Set if the row says that its person has left. */
  readonly leaving: (MapResult & { readonly kind: 'desired' }) | null;
  readonly values: Values;
}
