import type { Column } from '../../model/column.js';
import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import { BadCell, compileCell } from './cells.js';
import { compileDate } from './dates.js';
import { compileDatePrinter } from './print-date.js';

/** Converts a value to the form of a column in a JSON system, or returns the reason why the column cannot hold it. */
export type EncodeCell = (value: Json) => Json | BadCell;

/** The counterpart of `cells.ts`. Reading the written value gives the same cell; null empties the cell. */
export function compileEncoder(column: Column, timezone: string): EncodeCell {
  const encode = chooseEncoder(column, timezone);
  return (value) => (value === null ? null : encode(value));
}

function chooseEncoder(column: Column, timezone: string): (value: Exclude<Json, null>) => Json | BadCell {
  const { type } = column;
  switch (type) {
    case 'string':
      // Readers treat a NUL as a damaged transfer.
      return (value) =>
        typeof value === 'object' || String(value).includes('\u0000') ? badCell(value, 'a text') : String(value);
    case 'int':
    case 'number': {
      const { readText } = compileCell({ ...column, optional: false }, timezone);
      return (value) => {
        const cell = typeof value === 'number' || typeof value === 'string' ? readText(String(value)) : undefined;
        if (typeof cell === 'number') return cell;
        // JSON would round whole numbers beyond 2^53, so they are sent as text.
        if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell.toString();
        return badCell(value, 'a number');
      };
    }
    case 'bool': {
      const { readJson } = compileCell({ ...column, optional: false }, timezone);
      return (value) => {
        const cell = value === '' ? undefined : readJson(value);
        return typeof cell === 'boolean' ? cell : badCell(value, 'true or false');
      };
    }
    case 'date':
    case 'datetime':
      return encodeDates(type, column.format, timezone);
    case 'list':
      return (value) => (Array.isArray(value) ? value : badCell(value, 'a list'));
    case 'map':
      return (value) => (isJsonObject(value) ? value : badCell(value, 'an object'));
  }
}

/** Without a format, a time is sent as an instant in UTC, which is the form that JSON systems store. */
function encodeDates(type: 'date' | 'datetime', format: string | null, timezone: string) {
  const readIso = compileDate('datetime', null, timezone);
  const print = compileDatePrinter(type, format, timezone);
  const isPlain = type === 'datetime' && format === null;
  return (value: Exclude<Json, null>): Json | BadCell => {
    if (typeof value !== 'string' || value === '') return badCell(value, 'a date');
    const text = isPlain ? (readIso(value)?.toISOString() ?? null) : print(value);
    // A value that the column shortens, such as a time in a date column, would come back as a different value.
    return text ?? badCell(value, type === 'date' ? 'a day such as 2026-01-31' : 'a time that the column can hold');
  };
}

function badCell(value: Json, expected: string): BadCell {
  const text = JSON.stringify(value);
  return new BadCell(text.length > 60 ? `${text.slice(0, 60)}…` : text, expected);
}

/**
 * Compares a sent value with the value that the source returned, both as read from the column. null and an empty text
 * are equal.
 */
export function compileSameness(column: Column, timezone: string): (sent: Json, came: Json) => boolean {
  const { readJson } = compileCell({ ...column, optional: true }, timezone);
  const print = (value: Json): string => {
    const cell = readJson(value);
    if (cell === undefined || cell instanceof BadCell) return cell === undefined ? '' : `!${canonicalJson(value)}`;
    if (cell instanceof Date) return String(cell.getTime());
    return typeof cell === 'bigint' ? cell.toString() : canonicalJson(cell as Json);
  };
  return (sent, came) => print(sent) === print(came);
}
