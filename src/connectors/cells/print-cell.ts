import type { Column } from '../../model/column.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { compileCell, describeColumn, USUAL_FALSE, USUAL_TRUE } from './cells.js';
import { compileDatePrinter } from './print-date.js';

/** Returns the text of a cell, or null if the column cannot hold the value. */
export type PrintCell = (value: Json) => string | null;

/** Prints the cells of a column. `expected` describes the accepted values in messages. */
export interface CellPrinter {
  readonly expected: string;
  readonly print: PrintCell;
}

/**
 * The inverse of `compileCell`: it prints a value in the column's own form. Dates use the format of the column and the
 * time zone, lists use its separator, and numbers have no exponent. Surrounding white space does not count. null and an
 * empty list give an empty cell.
 *
 * A value that reading would return differently gives null, because it would look like a change in every run.
 *
 * @param column null if the source does not show the column; values are then printed without a declared format
 */
export function compileCellPrinter(column: Column | null, timezone: string): CellPrinter {
  const expected = column === null ? 'text, a number, true or false, or a list of them' : describeColumn(column);
  const print = column === null ? printUndeclared : compileTyped(column, timezone);
  return {
    expected,
    print: (value) => {
      const text = value === null ? '' : print(value);
      // Readers treat a NUL as a damaged transfer.
      return text?.includes('\u0000') === true ? null : text;
    },
  };
}

function compileTyped(column: Column, timezone: string): PrintCell {
  const reader = compileCell({ ...column, optional: false }, timezone);
  switch (column.type) {
    case 'string':
      return printScalar;
    case 'int':
    case 'number':
      return (value) => {
        const text = typeof value === 'boolean' ? null : printScalar(value);
        const back = text === null || text === '' ? text : reader.readText(text);
        return typeof back === 'object' ? null : text;
      };
    case 'bool':
      return compileBool(column.trueWords, reader.readText);
    case 'date':
    case 'datetime': {
      const print = compileDatePrinter(column.type, column.format, timezone);
      return (value) => (typeof value === 'string' ? print(value.trim()) : null);
    }
    case 'list':
      return (value) => printList(value, column.separator);
    case 'map':
      return (value) => (isJsonObject(value) ? JSON.stringify(value) : null);
  }
}

function compileBool(trueWords: readonly string[] | null, readText: (text: string) => unknown): PrintCell {
  const yes = (trueWords ?? USUAL_TRUE).find((word) => word.trim() !== '') ?? '';
  // `1` is paired with `0`, and `ja` with `nei`.
  const words = [USUAL_FALSE[USUAL_TRUE.indexOf(yes.trim().toLowerCase())], ...USUAL_FALSE];
  const no = words.find((word) => word !== undefined && readText(word) === false) ?? '';
  return (value) => {
    if (typeof value === 'object' || value === '') return value === '' ? '' : null;
    const flag = typeof value === 'boolean' ? value : readText(String(value));
    if (typeof flag !== 'boolean') return null;
    return flag ? yes.trim() : no;
  };
}

function printUndeclared(value: Json): string | null {
  if (Array.isArray(value)) return printList(value, ';');
  return isJsonObject(value) ? JSON.stringify(value) : printScalar(value);
}

function printScalar(value: Json): string | null {
  if (value === null) return '';
  if (typeof value === 'number') return printNumber(value);
  return typeof value === 'object' ? null : String(value).trim();
}

/** Prints a number without an exponent, because some CSV readers do not understand exponents. */
function printNumber(value: number): string | null {
  if (!Number.isFinite(value)) return null;
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [sign, whole = '', fraction = ''] = /^(-?)(\d)(?:\.(\d+))?$/.exec(digits)?.slice(1) ?? [];
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction}${'0'.repeat(shift - fraction.length)}`;
}

function printList(value: Json, separator: string): string | null {
  const items = (Array.isArray(value) ? value : [value]).map((item: Json) => printScalar(item));
  const kept = items.filter((item) => item !== '');
  const text = kept.join(separator);
  const back = text.split(separator).map((item) => item.trim());
  const isSame =
    text === '' ? kept.length === 0 : back.length === kept.length && back.every((item, i) => item === kept[i]);
  return isSame ? text : null;
}
