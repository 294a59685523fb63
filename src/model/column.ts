export type ColumnTypeName = 'string' | 'int' | 'number' | 'bool' | 'date' | 'datetime' | 'list' | 'map';
export interface Column {
  readonly type: ColumnTypeName;
  readonly optional: boolean;
  /** For dates: `dd.MM.yyyy`, `yyyy-MM-dd'T'HH:mm` …; null for ISO 8601. */
  readonly format: string | null;
  /** For `bool`: the cells that mean true, ignoring case; null for the default words (true, yes, 1, y). */
  readonly trueWords: readonly string[] | null;
  /** For `list`: the text between the items of one cell. */
  readonly separator: string;
  /** Cells that count as empty, such as `0000-00-00` for a missing date. */
  readonly empty?: readonly string[];
  /** JSON pointer to the value in a row that is an object. Without it, the column's name is the key. */
  readonly from?: string;
  /** Set for an address or user name of the service: comparisons ignore case on both sides. */
  readonly ignoresCase?: boolean;
}
export type Columns = Readonly<Record<string, Column>>;
