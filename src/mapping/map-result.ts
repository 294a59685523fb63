import type { Desired, Hold } from '../model/desired.js';
import type { Values } from '../model/json.js';
import type { Place } from '../model/place.js';
import type { SourceRecord } from '../model/source.js';
import type { HeardWord } from './cells-view.js';

/**
 * The rows that enrich a record, by source. null: the source was read completely and has none. `'unknown'`: its read was incomplete,
 * and no row was found. A source left out counts as null.
 */
export type Enriching = Readonly<Record<string, SourceRecord | null | 'unknown'>>;

/** `until` is the number of the last day on which the record gives the same result; null: on every later day. */
export type MapResult =
  | {
      readonly kind: 'desired';
      readonly desired: Desired;
      readonly until: number | null;
      /** Paths of fields that depend on a source with an incomplete read: their base stays. */
      readonly unread: readonly string[];
      /** Words for nothing in place of values; the values stay. */
      readonly heard?: readonly HeardWord[];
      /** For a leaver whose other cells are unusable: the hold of the row, unless the account is already inactive. */
      readonly faulty?: Hold;
    }
  | {
      readonly kind: 'out_of_scope';
      readonly until: number | null;
      readonly key: string;
      readonly place: Place;
      /** Only for people; null also if the values cannot be read. */
      readonly values?: Values | null;
    }
  | {
      readonly kind: 'held';
      readonly hold: Hold;
      /** The readable values, which show whose row it may be. */
      readonly values: Values;
    };

/** The readable part of a row that cannot be used. */
export interface PartOfRow {
  /** Set if the row says that its person has left. */
  readonly leaving: (MapResult & { readonly kind: 'desired' }) | null;
  readonly values: Values;
}
