import type { Column } from '../../model/column.js';
import { cleanCell, hasHidden } from '../../model/hidden-signs.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { isNothingIn } from '../../model/nothing.js';
import type { Cell, CellItem, CellNote } from '../../model/source.js';
import { parseJson } from '../rows/parse-json.js';
import { compileDate } from './dates.js';
import { compileSheetNumber } from './sheet-numbers.js';

/** A cell with a value that does not fit its column. */
export class BadCell {
  constructor(
    /** The value that was found, shortened. */
    readonly found: string,
    readonly expected: string,
  ) {}
}

/** `undefined` means that the cell is empty and its column is optional, so the record lacks this cell. */
export type CellResult = Cell | BadCell | undefined;

/** Reads the cells of one column, from the text of a CSV field or from a typed JSON value. Each column has one reader. */
export interface CellReader {
  readText(text: string): CellResult;
  readJson(value: Json): CellResult;
  /** Returns the kind of note to report about the cell in addition to its value; null if there is none. */
  noteOf(value: Json, read: CellResult): CellNote['kind'] | null;
}

type ReadWord = (text: string) => Cell | null;

export const USUAL_TRUE = ['true', 'yes', '1', 'y', 'ja'];
/** Each word has the same index as its opposite in `USUAL_TRUE`. */
export const USUAL_FALSE = ['false', 'no', '0', 'n', 'nei', 'nej', 'nein', ''];

/**
 * The longest accepted cell, in characters. No value of the service is nearly this long, and a page of records is held
 * in memory.
 */
const LONGEST_CELL = 65_536;

/** The range of CEL's `int`. A larger number would only fail in an expression, where the message could not name the cell. */
const INT_LIMIT = 2n ** 63n;

/**
 * Compiles the reader of a column. White space around a cell, including no-break spaces, never counts. White space
 * inside a cell always counts, and leading zeros stay. Invisible characters (`hidden-signs.ts`) never count.
 *
 * | empty cell of a column that is | gives |
 * |---|---|
 * | optional | no cell |
 * | `string` | `''` (the key column has a rule of its own, see `records.ts`) |
 * | `bool` | false, unless '' is one of its true words |
 * | anything else | an error: an empty cell is not a date or a number |
 *
 * A cell that contains one of the column's `empty` words is empty. If the column lists no such words, a word for nothing
 * (`NULL`, `n/a`) in a date or number column gives no cell, and is noted.
 *
 * @throws RangeError for an unsupported date format or an unknown zone
 */
export function compileCell(column: Column, timezone: string): CellReader {
  const expected = describeColumn(column);
  const readWord = compileWord(column, timezone);
  const convert = CONVERT[column.type];
  const isEmpty = compileEmpty(column.empty ?? []);
  const isNothing = (text: string): boolean => column.empty === undefined && isNothingIn(column.type, text);
  const explain = compileSheetNumber(column);
  const refuse = (value: Json, text: string): BadCell => {
    const made = explain(text);
    return new BadCell(made === null ? showValue(value) : `${showValue(value)}, ${made}`, expected);
  };
  const readEmpty = (): CellResult => {
    if (column.optional) return undefined;
    if (column.type === 'string') return '';
    if (column.type === 'bool') return readWord('') ?? false;
    return new BadCell('an empty cell', expected);
  };
  const readText = (text: string): CellResult => {
    const trimmed = cleanCell(text);
    if (isEmpty(trimmed)) return readEmpty();
    if (trimmed.length > LONGEST_CELL)
      return new BadCell(`a text of ${trimmed.length} characters`, `at most ${LONGEST_CELL}`);
    // NUL characters come from a damaged transfer; nobody types them.
    if (trimmed.includes('\u0000')) return new BadCell('a NUL character', expected);
    const cell = readWord(trimmed);
    if (cell !== null) return cell;
    return isNothing(trimmed) ? undefined : refuse(trimmed, trimmed);
  };
  return {
    readText,
    noteOf(value, read) {
      if (containsHidden(value)) return 'hidden';
      return read === undefined && typeof value === 'string' && isNothing(cleanCell(value)) ? 'nothing' : null;
    },
    readJson: (value) => {
      if (value === null) return readEmpty();
      if (typeof value === 'string') return readText(value);
      return convert(value, readWord) ?? refuse(value, String(value));
    },
  };
}

function containsHidden(value: Json): boolean {
  if (typeof value === 'string') return hasHidden(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(containsHidden);
}

/** Returns a test for empty cells. The tested text must have no white space around it. */
export function compileEmpty(words: readonly string[]): (text: string) => boolean {
  if (words.length === 0) return (text) => text === '';
  const folded = new Set(['', ...words.map((word) => word.trim().toLowerCase())]);
  return (text) => folded.has(text.toLowerCase());
}

function compileWord(column: Column, timezone: string): ReadWord {
  switch (column.type) {
    case 'string':
      return (text) => text;
    case 'int':
      return readInt;
    case 'number':
      return readNumber;
    case 'bool':
      return compileBool(column.trueWords);
    case 'date':
    case 'datetime':
      return compileDate(column.type, column.format, timezone);
    case 'list':
      return (text) => splitList(text, column.separator);
    case 'map':
      return readMap;
  }
}

function readInt(text: string): bigint | null {
  if (!/^[+-]?\d{1,19}$/.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= -INT_LIMIT && value < INT_LIMIT ? value : null;
}

function readNumber(text: string): number | null {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function compileBool(trueWords: readonly string[] | null): ReadWord {
  const words = new Map<string, boolean>();
  for (const word of USUAL_FALSE) words.set(word, false);
  for (const word of trueWords ?? USUAL_TRUE) words.set(word.trim().toLowerCase(), true);
  return (text) => words.get(text) ?? words.get(text.toLowerCase()) ?? null;
}

function splitList(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Reads a map from a text cell, which contains a JSON object. */
function readMap(text: string): Cell | null {
  const value = parseJson(text)?.value;
  return isJsonObject(value) ? convertFreely(value) : null;
}

type TypedJson = Exclude<Json, string | null>;

/**
 * Converts a JSON value by column type; null means that the value has a different type. Texts are not converted here,
 * because `readText` reads them like a CSV field.
 */
const CONVERT: Readonly<Record<Column['type'], (value: TypedJson, readWord: ReadWord) => Cell | null>> = {
  string: (value) => (isExact(value) ? String(value) : null),
  int: (value) => (isExact(value) && Number.isInteger(value) ? BigInt(value) : null),
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null),
  bool: (value, readWord) => {
    if (typeof value === 'boolean') return value;
    return typeof value === 'number' ? readWord(String(value)) : null;
  },
  date: () => null,
  datetime: () => null,
  list: (value) => (Array.isArray(value) ? convertFreely(value) : null),
  map: (value) => (isJsonObject(value) ? convertFreely(value) : null),
};

/** True for a number that JSON.parse did not round. It rounds whole numbers beyond 2^53, so two ids could become equal. */
export function isExact(value: Json | undefined): value is number {
  return (
    typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  );
}

function convertFreely(value: Exclude<Json, null>): Cell {
  if (typeof value === 'string') return cleanCell(value);
  if (typeof value !== 'object') return value;
  const convertItem = (item: Json): CellItem => (item === null ? null : convertFreely(item));
  if (Array.isArray(value)) return value.map(convertItem);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, convertItem(item)]));
}

export function describeColumn(column: Column): string {
  switch (column.type) {
    case 'string':
      return 'text';
    case 'int':
      return 'a whole number such as 42';
    case 'number':
      return 'a number with a decimal point such as 4.2';
    case 'bool':
      return `one of ${[...(column.trueWords ?? USUAL_TRUE), ...USUAL_FALSE.slice(0, -1)].join(', ')}`;
    case 'date':
      return `a date that exists, written ${column.format ?? 'yyyy-MM-dd'}`;
    case 'datetime':
      return `a time that exists, written ${column.format ?? "yyyy-MM-dd'T'HH:mm:ss"}`;
    case 'list':
      return `a list${column.separator === '' ? '' : ` separated by "${column.separator}"`}`;
    case 'map':
      return 'an object { name: value }';
  }
}

function showValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
