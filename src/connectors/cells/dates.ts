import { spellODataTime } from './odata-dates.js';
import { createWallTimeResolver, isRealTime, type ResolveWallTime, readAsUtc, type WallTime } from './zoned-time.js';

/** Reads the text of a date or datetime cell; null if the text is not a date. */
export type ReadDate = (text: string) => Date | null;

interface Token {
  readonly part: keyof WallTime;
  readonly pattern: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Matches any case, because some databases print `18-MAR-2019`. */
const MONTH_PATTERN = MONTHS.map((name) =>
  [...name].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`).join(''),
).join('|');

/** A single letter matches one or two digits, because spreadsheets write `1.3.2019` and `3/1/2019`. */
const TOKENS: Readonly<Record<string, Token>> = {
  yyyy: { part: 'year', pattern: '\\d{4}' },
  MMM: { part: 'month', pattern: MONTH_PATTERN },
  MM: { part: 'month', pattern: '\\d{2}' },
  M: { part: 'month', pattern: '\\d{1,2}' },
  dd: { part: 'day', pattern: '\\d{2}' },
  d: { part: 'day', pattern: '\\d{1,2}' },
  HH: { part: 'hour', pattern: '\\d{2}' },
  H: { part: 'hour', pattern: '\\d{1,2}' },
  mm: { part: 'minute', pattern: '\\d{2}' },
  ss: { part: 'second', pattern: '\\d{2}' },
};

const ISO =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<zone>[zZ]|[+-]\d{2}(?::?\d{2})?)?)?$/;
/** Matches a day followed by its zone, as in XML Schema: `2020-12-31-08:00`. */
const XML_DAY = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?<zone>[zZ]|[+-]\d{2}:\d{2})$/;

/** The number of distinct texts cached per column, about a hundred years of days. Beyond this number, the cache is cleared. */
const REMEMBERED = 40_000;

/**
 * Compiles the reader of a date column. Dates repeat from row to row, and a time zone lookup takes microseconds, so
 * results are cached by text.
 *
 * `date`: the written day at midnight of the zone. A time of exactly midnight may follow the day, because CRMs write
 * dates this way. Any other time would be lost, so it is rejected. `datetime`: the instant. A text without an offset is
 * wall-clock time in the zone. Without a format, XML Schema days and OData times are read too.
 *
 * @throws RangeError for an unsupported format or an unknown zone
 */
export function compileDate(type: 'date' | 'datetime', format: string | null, timezone: string): ReadDate {
  const find = compilePattern(format);
  const resolve = createWallTimeResolver(timezone);
  const remembered = new Map<string, number | null>();
  return (text) => {
    let time = remembered.get(text);
    if (time === undefined) {
      time = readTime(find(text), type, resolve);
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(text, time);
    }
    return time === null ? null : new Date(time);
  };
}

type DateParts = Readonly<Record<string, string | undefined>>;

function compilePattern(format: string | null): (text: string) => DateParts | undefined {
  if (format !== null) {
    const pattern = compileFormat(format);
    return (text) => pattern.exec(text)?.groups;
  }
  return (text) => (ISO.exec(spellODataTime(text)) ?? XML_DAY.exec(text))?.groups;
}

function readTime(groups: DateParts | undefined, type: 'date' | 'datetime', resolve: ResolveWallTime): number | null {
  if (groups === undefined) return null;
  const wall = readWallTime(groups);
  if (!isRealTime(wall)) return null;
  if (type === 'date') {
    if (wall.hour + wall.minute + wall.second + wall.millisecond > 0) return null;
    return resolve(wall);
  }
  if (groups.zone === undefined) return resolve(wall);
  const offsetMs = readOffsetMs(groups.zone);
  return offsetMs === null ? null : readAsUtc(wall) - offsetMs;
}

/** Builds a wall-clock time from the groups that a format's pattern matched. */
export function readWallTime(groups: DateParts): WallTime {
  return {
    year: Number(groups.year),
    month: readMonth(groups.month ?? '1'),
    day: Number(groups.day ?? 1),
    hour: Number(groups.hour ?? 0),
    minute: Number(groups.minute ?? 0),
    second: Number(groups.second ?? 0),
    millisecond: Number((groups.fraction ?? '').slice(0, 3).padEnd(3, '0')),
  };
}

function readMonth(text: string): number {
  const at = MONTHS.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  return at === -1 ? Number(text) : at + 1;
}

/** The name of a month in the form of `MMM`; 1 is `Jan`. */
export function nameOfMonth(month: number): string {
  return MONTHS[month - 1] ?? '';
}

function readOffsetMs(zone: string): number | null {
  if (zone === 'z' || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 18 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** A part of a date format: a token or literal text. */
export type FormatPart = (Token & { readonly token: string }) | { readonly text: string };

/**
 * Splits a format such as `dd.MM.yyyy`, `M/d/yyyy`, `dd-MMM-yyyy` or `yyyy-MM-dd'T'HH:mm`. Letters are tokens unless quoted, `''` is a
 * quote, and any other character is literal. The year is required; a missing month or day is the first.
 *
 * @throws RangeError for an unsupported format
 */
export function splitFormat(format: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  let rest = format;
  while (rest !== '') {
    const literal = /^'((?:[^']|'')*)'/.exec(rest);
    const letters = /^([A-Za-z])\1*/.exec(rest);
    if (literal !== null) {
      parts.push({ text: literal[1] === '' ? "'" : (literal[1] ?? '').replaceAll("''", "'") });
      rest = rest.slice(literal[0].length);
    } else if (letters !== null) {
      parts.push(readToken(letters[0], parts, format));
      rest = rest.slice(letters[0].length);
    } else {
      parts.push({ text: rest.slice(0, 1) });
      rest = rest.slice(1);
    }
  }
  if (!parts.some((part) => 'token' in part && part.part === 'year')) {
    throw new RangeError(`the date format ${JSON.stringify(format)} has no yyyy`);
  }
  return parts;
}

function readToken(token: string, parts: readonly FormatPart[], format: string): FormatPart {
  if (token === 'yy')
    throw new RangeError(
      `the date format ${JSON.stringify(format)} has "yy", and a year of two digits does not show the century`,
    );
  const meant = Object.hasOwn(TOKENS, token) ? TOKENS[token] : undefined;
  if (meant === undefined || parts.some((part) => 'token' in part && part.part === meant.part)) {
    throw new RangeError(
      `the date format ${JSON.stringify(format)} has "${token}"; known, once each: yyyy MM dd HH mm ss, M d H for one or two digits, MMM for Jan to Dec; other letters go in quotes`,
    );
  }
  const before = parts.at(-1);
  // Without separators, `1112026` may be 1 November or 11 January.
  if (before !== undefined && 'token' in before && [before.token, token].some((one) => one.length === 1)) {
    throw new RangeError(
      `the date format ${JSON.stringify(format)} has nothing between "${before.token}" and "${token}": nothing shows where one ends`,
    );
  }
  return { token, ...meant };
}

/** @throws RangeError for the same formats as `splitFormat` */
export function compileFormat(format: string): RegExp {
  return new RegExp(`^${patternOfFormat(format)}$`);
}

export function patternOfFormat(format: string): string {
  return splitFormat(format)
    .map((part) => ('token' in part ? `(?<${part.part}>${part.pattern})` : escapeForPattern(part.text)))
    .join('');
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
