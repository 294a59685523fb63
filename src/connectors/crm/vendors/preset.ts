import type { Column, Columns, ColumnTypeName } from '../../../model/column.js';
import type { IncrementalConfig, ListedStreamConfig } from '../listed-stream.js';

/** What a vendor's systems have in common, so that a configuration needs no more than an address and a login. */
export interface Preset {
  /** null where each customer has an address of its own. */
  readonly baseUrl: string | null;
  readonly listing: Pick<ListedStreamConfig, 'rows' | 'total' | 'next' | 'deleted'>;
  readonly incremental: Pick<IncrementalConfig, 'modified' | 'parameter' | 'template' | 'time'>;
  readonly hasFilter: boolean;
  readonly streams: Readonly<Record<string, { readonly object: string; readonly columns: Columns }>>;
  /** The columns that objects of the customer's own have too. */
  readonly everyObject: Columns;
  /** Where a property is in a row. */
  place(property: string): string;
  /** A property as a column: text that may be missing. */
  text(property: string): Column;
}

/** Name of a column → its type and where it stands; `!` after the type: there in every row. */
export type Ships = Readonly<Record<string, readonly [ColumnTypeName | 'string!', string]>>;

export function declare(ships: Ships): Columns {
  return Object.fromEntries(
    Object.entries(ships).map(([name, [type, from]]): [string, Column] => [
      name,
      {
        type: type === 'string!' ? 'string' : type,
        optional: type !== 'string!',
        format: null,
        trueWords: null,
        separator: ';',
        from,
      },
    ]),
  );
}

export function buildText(place: (property: string) => string): (property: string) => Column {
  return (property) => ({
    type: 'string',
    optional: true,
    format: null,
    trueWords: null,
    separator: ';',
    from: place(property),
  });
}

/** A vendor's rules are its own; of these words of a configuration nothing is used. */
export const NO_PARAMETER = { modified: '', parameter: '', template: '{since}', time: 'iso' } as const;
