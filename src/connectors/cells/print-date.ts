import { compileDate, type FormatPart, nameOfMonth, splitFormat } from './dates.js';
import { createWallClock, readAsUtc, type WallTime } from './zoned-time.js';

/** Prints a moment in a column's format; null if the text is not a date or time, or if the column cannot hold it. */
export type PrintDate = (text: string) => string | null;

/**
 * Takes ISO 8601 (a day, a wall-clock time in the zone, or an instant) and prints it in the column's own format. A text
 * that already has this format stays unchanged. A `datetime` without a format gets an offset, so that an hour that
 * occurs twice a year is unambiguous. A value that the format would shorten (a time of day in a date, seconds) gives
 * null.
 */
export function compileDatePrinter(type: 'date' | 'datetime', format: string | null, timezone: string): PrintDate {
  const readIso = compileDate('datetime', null, timezone);
  const readOwn = compileDate(type, format, timezone);
  const readWall = createWallClock(timezone);
  const parts = format === null ? null : splitFormat(format);
  const print = (instant: number): string => {
    const wall = readWall(instant);
    if (parts !== null) return parts.map((part) => printPart(part, wall)).join('');
    const day = `${pad(wall.year, 4)}-${pad(wall.month)}-${pad(wall.day)}`;
    if (type === 'date') return day;
    const fraction = wall.millisecond === 0 ? '' : `.${pad(wall.millisecond, 3)}`;
    const time = `${pad(wall.hour)}:${pad(wall.minute)}:${pad(wall.second)}${fraction}`;
    return `${day}T${time}${printOffset(Math.round((readAsUtc(wall) - instant) / 60_000))}`;
  };
  return (text) => {
    const instant = readIso(text)?.getTime();
    if (instant === undefined) return text === '' || readOwn(text) !== null ? text : null;
    const own = print(instant);
    return readOwn(own)?.getTime() === instant ? own : null;
  };
}

function printPart(part: FormatPart, wall: WallTime): string {
  if (!('token' in part)) return part.text;
  return part.token === 'MMM' ? nameOfMonth(wall.month) : pad(wall[part.part], part.token.length);
}

function printOffset(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}
