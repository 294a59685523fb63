import type { Column, Columns, ColumnTypeName } from '../../model/column.js';
import type { IncrementalConfig, ListedStreamConfig } from './listed-stream.js';

/** The settings that a vendor's systems share, so that a configuration needs only an address and a login. */
export interface Preset {
  /** null if each customer has its own address. */
  readonly baseUrl: string | null;
  /** Present if the API has several versions: the usual one, their pattern, and an example for people. */
  readonly version?: { readonly usual: string; readonly form: RegExp; readonly like: string };
  readonly listing: Pick<ListedStreamConfig, 'rows' | 'total' | 'next' | 'deleted' | 'isEndTrusted'>;
  /** A vendor with rules of its own needs no parameter; null for one that cannot report changes. */
  readonly incremental:
    | (Pick<IncrementalConfig, 'modified' | 'time'> & Partial<Pick<IncrementalConfig, 'parameter' | 'template'>>)
    | null;
  readonly hasFilter: boolean;
  /** Its changes cannot be filtered: with a filter, every read is complete. */
  readonly readsFilteredWhole?: true;
  /** Columns of every object, including a customer's own. */
  readonly everyObject: ShippedColumns;
  /** The further columns of each. */
  readonly streams: Readonly<Record<string, { readonly object: string; readonly columns: ShippedColumns }>>;
  /** Where a property is in a row. */
  place(property: string): string;
}

/** Name of a column → its type and its place; `!` after the type: in every row. */
type ShippedColumns = Readonly<Record<string, readonly [ColumnTypeName | 'string!', string]>>;

/** The columns of a vendor's stream. A stream that the vendor does not ship has the columns of every object. */
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
