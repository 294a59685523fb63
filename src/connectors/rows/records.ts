import type { Columns } from '../../model/column.js';
import { cleanCell } from '../../model/hidden-signs.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { nearestName } from '../../model/nearest.js';
import { isNothingAsKey } from '../../model/nothing.js';
import { formatPlace, type Place } from '../../model/place.js';
import { listTexts, type RawRow } from '../../model/raw-text.js';
import { shortHash } from '../../model/sha256.js';
import type { Cell, CellNote, ReadableCells, RejectedRow, SourceRecord } from '../../model/source.js';
import { BadCell, type CellReader, type CellResult, compileCell, compileEmpty, isExact } from '../cells/cells.js';
import { createLookAlikes } from './look-alike-name.js';
import { compilePointer } from './pointer.js';
import { quoteName } from './quote-names.js';

/** The rules for turning the rows of one stream into records. */
export interface RowShape {
  readonly source: string;
  readonly key: string;
  readonly columns: Columns;
  readonly timezone: string;
}

/** The result of reading a row: a record or a rejected row. */
export type ConnectorRow = { readonly record: SourceRecord } | { readonly rejected: RejectedRow };

export interface CompiledColumn extends CellReader {
  readonly name: string;
}

/** Compiles the columns, with the key column first. A row with a bad key belongs to nobody, so this fault is reported first. */
export function compileColumns(shape: RowShape): readonly CompiledColumn[] {
  return Object.entries(shape.columns)
    .sort(([a], [b]) => Number(b === shape.key) - Number(a === shape.key))
    .map(([name, column]) => ({ name, ...compileCell(column, shape.timezone) }));
}

/** The parts of a row without a key: the value in place of the key, and the readable cells. */
interface Keyless {
  readonly found?: Json | undefined;
  readonly readable?: ReadableCells;
  /** Set if the row has a name that looks like the name of the key but differs from it. */
  readonly lookAlike?: BadCell | null;
}

export function rejectKeyless(
  shape: RowShape,
  place: Place,
  raw: RawRow,
  { found, readable, lookAlike = null }: Keyless = {},
): RejectedRow {
  const word = typeof found === 'string' && found.length <= LONGEST_KEY ? cleanCell(found) : '';
  const isWord = word !== '';
  const what = isWord ? `has "${word}", a word for nothing` : `is empty, or longer than ${LONGEST_KEY} characters`;
  return {
    ...(readable === undefined ? {} : { readable }),
    key: null,
    place,
    code: 'SYNC_ROW_KEY',
    reason: `${formatPlace(place)}: the key column "${shape.key}" ${lookAlike === null ? what : `has ${lookAlike.found}`}.`,
    remedy: `Give the row its ${shape.key} in the source.${isWord ? ` If "${word}" is a key, \`empty: []\` on the column says so.` : ''}`,
    raw,
  };
}

interface RowAsRead {
  readonly key: string;
  readonly place: Place;
  readonly raw: RawRow;
}

/** Rejects a row because of one cell. With a bad key, the person of the row is unknown. */
export function rejectCell(
  shape: RowShape,
  { key, place, raw, readable }: RowAsRead & Pick<RejectedRow, 'readable'>,
  column: string,
  bad: BadCell,
): RejectedRow {
  return {
    ...(readable === undefined || readable.bad.includes(shape.key) ? {} : { readable }),
    key: column === shape.key ? null : key,
    place,
    code: 'SYNC_ROW_CELL',
    reason: `${formatPlace(place)}: column "${column}" has ${bad.found}, expected ${bad.expected}.`,
    remedy: `Correct the cell in the source, or declare the column's type, format or \`optional: true\` to match the source.`,
    raw,
  };
}

/** The unreadable cells, by column. */
type CellFaults = ReadonlyMap<string, BadCell>;

interface CellsRead {
  readonly cells: SourceRecord['cells'];
  /** null if all cells could be read. */
  readonly faults: CellFaults | null;
  readonly noted?: readonly CellNote[];
}

/**
 * Reads all cells of a row. Even if the row is rejected, its readable cells may show that the person has left.
 *
 * @param missing the result for a column that the row does not have
 */
export function readCells<T extends CompiledColumn>(
  columns: readonly T[],
  find: (column: T) => Json | undefined,
  missing: (column: T) => CellResult,
): CellsRead {
  const cells: Record<string, Cell> = {};
  let faults: Map<string, BadCell> | null = null;
  const noted: CellNote[] = [];
  for (const column of columns) {
    const value = find(column);
    const cell = value === undefined ? missing(column) : column.readJson(value);
    if (cell instanceof BadCell) faults = (faults ?? new Map<string, BadCell>()).set(column.name, cell);
    else if (cell !== undefined) cells[column.name] = cell;
    if (value !== undefined) noteCell(noted, column, value, cell);
  }
  return noted.length === 0 ? { cells, faults } : { cells, faults, noted };
}

function noteCell(noted: CellNote[], column: CompiledColumn, value: Json, cell: CellResult): void {
  const kind = column.noteOf(value, cell);
  if (kind === null) return;
  noted.push({ column: column.name, kind, text: typeof value === 'string' ? value : JSON.stringify(value) });
}

/** Returns the readable cells of a row without a key. */
export function readWithout({ key }: RowShape, cells: SourceRecord['cells'], faults: CellFaults | null): ReadableCells {
  return { cells, bad: [...new Set([key, ...(faults?.keys() ?? [])])] };
}

/** Rejects a row because of its first fault. */
export function rejectCells(
  shape: RowShape,
  row: RowAsRead,
  cells: SourceRecord['cells'],
  faults: CellFaults,
): RejectedRow {
  for (const [column, bad] of faults)
    return rejectCell(shape, { ...row, readable: { cells, bad: [...faults.keys()] } }, column, bad);
  throw new Error('a row without a fault is not rejected');
}

/**
 * Reads rows that arrive as JSON objects. Unlike a CSV file, they have no header to check. So each row must contain
 * every column that is not optional, even if its value is null. Otherwise a mistyped column name would read as empty for
 * everyone.
 */
export function compileObjectReader(shape: RowShape): (value: Json, place: Place) => ConnectorRow {
  const compileLookAlike = createLookAlikes();
  const columns = compileColumns(shape).map((column) => ({
    ...column,
    find: compileFinder(shape, column.name),
    findLookAlike: compileLookAlike(column.name, shape.columns[column.name]?.from),
  }));
  const findKey = compileFinder(shape, shape.key);
  const readKey = compileKey(shape);
  const findKeyLookAlike = compileLookAlike(shape.key, shape.columns[shape.key]?.from);

  function describeAbsent({ name, findLookAlike }: (typeof columns)[number], row: JsonObject): CellResult {
    const { optional, from } = shape.columns[name] ?? { optional: false };
    return findLookAlike(row) ?? (optional ? undefined : missingCell(name, from, row));
  }

  return (value, place) => {
    if (!isJsonObject(value)) return { rejected: rejectFormat(place, describeNoObject(value), listTexts(value)) };
    const found = findKey(value);
    const key = readKey(found);
    const { cells, faults, noted } = readCells(
      columns,
      ({ find }) => find(value),
      (column) => describeAbsent(column, value),
    );
    if (key === null) {
      const readable = readWithout(shape, cells, faults);
      const lookAlike = found === undefined ? findKeyLookAlike(value) : null;
      return { rejected: rejectKeyless(shape, place, listTexts(value), { found, readable, lookAlike }) };
    }
    if (faults !== null) return { rejected: rejectCells(shape, { key, place, raw: listTexts(value) }, cells, faults) };
    const record = new ObjectRecord({ key, place, cells }, value);
    return { record: noted === undefined ? record : Object.assign(record, { noted }) };
  };
}

function describeNoObject(value: Json): string {
  const plain = value === null ? 'null' : `a ${typeof value}`;
  return `the row is ${Array.isArray(value) ? 'a list' : plain}, expected an object { column: value }`;
}

/** A record that computes its raw row and its digest only on request. */
class ObjectRecord implements SourceRecord {
  readonly key: string;
  readonly place: Place;
  readonly cells: SourceRecord['cells'];
  readonly #row: JsonObject;

  constructor({ key, place, cells }: Pick<SourceRecord, 'key' | 'place' | 'cells'>, row: JsonObject) {
    this.key = key;
    this.place = place;
    this.cells = cells;
    this.#row = row;
  }

  get raw(): RawRow {
    return listTexts(this.#row);
  }

  get digest(): string {
    return shortHash(JSON.stringify([this.place.source, this.#row]));
  }
}

/** Finds the value of a column in a row, under the column's name or at its `from` pointer. */
function compileFinder(shape: RowShape, name: string): (row: JsonObject) => Json | undefined {
  const from = shape.columns[name]?.from;
  return from === undefined ? (row) => row[name] : compilePointer(from);
}

export function rejectFormat(place: Place, problem: string, raw: RawRow): RejectedRow {
  return {
    key: null,
    place,
    code: 'SYNC_ROW_FORMAT',
    reason: `${formatPlace(place)}: ${problem}.`,
    remedy: 'Correct the file at this place and deliver it again. Until then, this read proves no absence.',
    raw,
  };
}

/** The maximum length of a key, in characters. A key is shown wherever its record is mentioned. */
export const LONGEST_KEY = 1_000;

/**
 * Reads keys, which are texts. A number is read as written, unless JSON has rounded it. Keys that differ only in
 * invisible characters are the same. A word for nothing is not a key.
 */
export function compileKey({
  key: name,
  columns,
}: Pick<RowShape, 'key' | 'columns'>): (value: Json | undefined) => string | null {
  const words = columns[name]?.empty;
  const isNone = words === undefined ? isNothingAsKey : compileEmpty(words);
  return (value) => {
    if (isExact(value)) return String(value);
    if (typeof value !== 'string') return null;
    const key = cleanCell(value);
    return key === '' || key.length > LONGEST_KEY || isNone(key) ? null : key;
  };
}

/** The maximum number of names to compare, because a row may have any number. */
const NAMES_COMPARED = 1_000;

function missingCell(name: string, from: string | undefined, row: JsonObject): BadCell {
  if (from !== undefined) return new BadCell(`nothing at ${from}`, 'a value in every row');
  const near = nearestName(name, Object.keys(row).slice(0, NAMES_COMPARED));
  return new BadCell(
    'no value',
    near === null ? 'one in every row' : `one in every row; the row has ${quoteName(near)}`,
  );
}
