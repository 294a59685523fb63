export type ColumnTypeName = 'string' | 'int' | 'number' | 'bool' | 'date' | 'datetime' | 'list' | 'map';
export interface Column {
  readonly type: ColumnTypeName;
  readonly optional: boolean;
  /** dates: `dd.MM.yyyy`, `yyyy-MM-dd'T'HH:mm` …; null for ISO 8601. */
  readonly format: string | null;
  /** bool: the cells that mean true, compared without case; null for the usual ones (true, yes, 1, y). */
  readonly trueWords: readonly string[] | null;
  /** list: the text between the items of one cell. */
  readonly separator: string;
  /** Cells that mean nothing, such as `0000-00-00` for a missing date. */
  readonly empty?: readonly string[];
  /** JSON pointer to the value in a row that is an object. Without one, the column's name is the key. */
  readonly from?: string;
  /** An address or user name of the service: comparisons ignore case on both sides. */
  readonly ignoresCase?: boolean;
}
export type Columns = Readonly<Record<string, Column>>;
