import type { Desired, Hold } from '../model/desired.js';
import type { Values } from '../model/json.js';
import type { Place } from '../model/place.js';
import type { SourceRecord } from '../model/source.js';
import type { HeardWord } from './cells-view.js';

/**
 * The rows that enrich a record, by source: null when the source, read completely, has none;
 * `'unknown'` when its read was incomplete and no row was found. A source left out counts as null.
 */
export type Enriching = Readonly<Record<string, SourceRecord | null | 'unknown'>>;

/** `until` is the number of the last day on which the same is made of the record; null: on every later one. */
export type MapResult =
  | {
      readonly kind: 'desired';
      readonly desired: Desired;
      readonly until: number | null;
      /** Paths of what rests on a source whose read is incomplete: what was last agreed on of it stays. */
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
      /** For people only; null also when they cannot be read. */
      readonly values?: Values | null;
    }
  | {
      readonly kind: 'held';
      readonly hold: Hold;
      /** The readable values, which show whose row it may be. */
      readonly values: Values;
    };

/** A row that cannot be used, as far as it can be read. */
export interface PartOfRow {
  /** It says that its person has left. */
  readonly leaving: (MapResult & { readonly kind: 'desired' }) | null;
  readonly values: Values;
}
