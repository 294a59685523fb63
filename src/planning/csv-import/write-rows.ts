import { stringify } from 'csv-stringify/sync';
import { IMPORT_COLUMNS } from '../../model/import-columns.js';
import { disarmCell } from '../../model/spreadsheet.js';

export interface FileShape {
  readonly columns: readonly string[];
  readonly separator: ',' | ';';
  /**
   * True for a file that people read: cells that begin like a spreadsheet formula are turned into text. A file for the
   * service keeps them unchanged, because an apostrophe before the plus sign would become part of a telephone number.
   */
  readonly isForPeople?: boolean;
}

/** The columns with at least one value, in the order of the spec, followed by the columns of tags. */
export function orderColumns(
  filled: ReadonlySet<string>,
  tagColumns: Readonly<Record<string, string>>,
): readonly string[] {
  const titles = [...IMPORT_COLUMNS, ...Object.values(tagColumns)];
  return titles.filter((title) => filled.has(title));
}

export function formatHeader({ columns, separator }: FileShape): string {
  return stringify([columns as string[]], { delimiter: separator });
}

export function formatRows(
  rows: readonly ReadonlyMap<string, string>[],
  { columns, separator, isForPeople }: FileShape,
): string {
  if (rows.length === 0) return '';
  return stringify(
    rows.map((row) => columns.map((title) => (isForPeople === true ? disarmCell : String)(row.get(title) ?? ''))),
    { delimiter: separator },
  );
}
