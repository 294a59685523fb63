import { compileDate, type FormatPart, nameOfMonth, splitFormat } from './dates.js';
import { createWallClock, readAsUtc, type WallTime } from './zoned-time.js';

/** Writes a moment as a column has it; null for what is no date or time, or one that the column cannot hold. */
export type PrintDate = (text: string) => string | null;

/**
 * What comes as ISO 8601 (a day, a wall-clock time of the zone, an instant) leaves in the column's own format; what is in that
 * format already stays. A `datetime` without a format gets its offset: an hour that comes twice a year is then still one moment.
 * What the format would lose (a time of day in a date, seconds) is not written at all.
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
