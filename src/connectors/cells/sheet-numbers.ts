import type { Column } from '../../model/column.js';
import { isScientific } from '../../model/sheet-number.js';
import { compileDate, type ReadDate } from './dates.js';

const SERIAL = /^[1-9]\d{4}(?:[.,]\d+)?$/;
/** Day 0 of spreadsheets, in milliseconds. Spreadsheets count days from 1899-12-30. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY = 86_400_000;

/**
 * Returns a function that describes how a spreadsheet altered an unreadable cell; the function returns null if no such
 * change is recognised.
 */
export function compileSheetNumber({ type, format }: Column): (text: string) => string | null {
  let readings: readonly ReadDate[] | null = null;
  return (text) => {
    if (isScientific(text)) return 'a number that a spreadsheet has shortened';
    if (type !== 'date' && type !== 'datetime') return null;
    if (SERIAL.test(text)) {
      const day = new Date(DAY_ZERO + Number.parseInt(text, 10) * DAY).toISOString().slice(0, 10);
      return `the number by which a spreadsheet stores ${day}`;
    }
    readings ??= readWithoutZeros(type, format);
    const isCut = readings.some((read) => read(text) !== null) || readings.some((read) => read(`0${text}`) !== null);
    return isCut ? 'a date that lost its zeros in a spreadsheet' : null;
  };
}

/** Returns readers for the format with one-digit days, months and hours. A format without separators stays unchanged. */
function readWithoutZeros(type: 'date' | 'datetime', format: string | null): readonly ReadDate[] {
  const written = format ?? 'yyyy-MM-dd';
  const short = written
    .replace('dd', 'd')
    .replace(/(?<!M)MM(?!M)/, 'M')
    .replace('HH', 'H');
  // Without separators, the digits of days and months cannot be distinguished.
  const formats = /[dMy]{4,}/.test(written.replaceAll('yyyy', 'y')) ? [written] : [short];
  return formats.map((one) => compileDate(type, one, 'UTC'));
}
