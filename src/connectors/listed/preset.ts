import type { Column, Columns, ColumnTypeName } from '../../model/column.js';
import type { IncrementalConfig, ListedStreamConfig } from './listed-stream.js';

/** The settings that a vendor's systems share, so that a configuration needs only an address and a login. */
export interface Preset {
  /** null if each customer has its own address. */
  readonly baseUrl: string | null;
  /** Present if the API has several versions: the default version, a pattern for versions, and an example for messages. */
  readonly version?: { readonly usual: string; readonly form: RegExp; readonly like: string };
  readonly listing: Pick<ListedStreamConfig, 'rows' | 'total' | 'next' | 'deleted' | 'isEndTrusted'>;
  /**
   * The settings for asking for changes; null if the vendor cannot report changes. A vendor with its own rules needs no
   * parameter.
   */
  readonly incremental:
    | (Pick<IncrementalConfig, 'modified' | 'time'> & Partial<Pick<IncrementalConfig, 'parameter' | 'template'>>)
    | null;
  readonly hasFilter: boolean;
  /** True if changes cannot be filtered, so that every read with a filter is complete. */
  readonly readsFilteredWhole?: true;
  /** The columns of every object, including custom objects. */
  readonly everyObject: ShippedColumns;
  /** The further columns of each stream. */
  readonly streams: Readonly<Record<string, { readonly object: string; readonly columns: ShippedColumns }>>;
  /** Returns the place of a property in a row. */
  place(property: string): string;
}

/** Column name → type and place. `!` after the type means that the column is in every row. */
type ShippedColumns = Readonly<Record<string, readonly [ColumnTypeName | 'string!', string]>>;

/** Returns the columns of a vendor's stream. A stream that is not in the preset has the columns of every object. */
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
