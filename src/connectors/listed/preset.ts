import type { Column, Columns, ColumnTypeName } from '../../model/column.js';
import type { IncrementalConfig, ListedStreamConfig } from './listed-stream.js';

/** What a vendor's systems have in common, so that a configuration needs no more than an address and a login. */
export interface Preset {
  /** null where each customer has an address of its own. */
  readonly baseUrl: string | null;
  /** Where its interface has several: the usual one, what they look like, and that in words. */
  readonly version?: { readonly usual: string; readonly form: RegExp; readonly like: string };
  readonly listing: Pick<ListedStreamConfig, 'rows' | 'total' | 'next' | 'deleted' | 'isEndTrusted'>;
  /** A vendor with rules of its own needs no parameter; null for one that cannot say what changed. */
  readonly incremental:
    | (Pick<IncrementalConfig, 'modified' | 'time'> & Partial<Pick<IncrementalConfig, 'parameter' | 'template'>>)
    | null;
  readonly hasFilter: boolean;
  /** Its changes take no filter: with one, the list is read completely every time. */
  readonly readsFilteredWhole?: true;
  /** What every object has, those of the customer's own too. */
  readonly everyObject: ShippedColumns;
  /** What each has besides. */
  readonly streams: Readonly<Record<string, { readonly object: string; readonly columns: ShippedColumns }>>;
  /** Where a property is in a row. */
  place(property: string): string;
}

/** Name of a column → its type and its place; `!` after the type: in every row. */
type ShippedColumns = Readonly<Record<string, readonly [ColumnTypeName | 'string!', string]>>;

/** The columns of a vendor's stream; those of every object for one that it does not ship. */
export function listShipped({ everyObject, streams }: Preset, stream: string): Columns {
  const shipped = Object.entries({ ...everyObject, ...streams[stream]?.columns });
  return Object.fromEntries(shipped.map(([name, [type, from]]) => [name, declareColumn(type, from)]));
}

export function declareColumn(type: ColumnTypeName | 'string!', from: string): Column {
  return {
    type: type === 'string!' ? 'string' : type,
    optional: type !== 'string!',
    format: null,
    trueWords: null,
    separator: ';',
    from,
  };
}
