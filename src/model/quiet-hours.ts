/** A weekly period in which nothing is written to the service, in the local time of one timezone. */
export interface QuietRange {
  /** As written in the configuration: `Fri-Sun 22:00-06:00`. */
  readonly text: string;
  /** Days on which the period begins; 0 is Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes since midnight. `to` exceeds 1440 if the period ends on the next day. */
  readonly from: number;
  readonly to: number;
}

const DAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SHAPE = /^(?:([a-z]{3})(?:-([a-z]{3}))? +)?(\d\d):(\d\d)-(\d\d):(\d\d)$/i;
const DAY_MINUTES = 1440;
const MINUTE_MS = 60_000;
/** A chain of periods that is longer than a week never ends. */
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** `22:00-06:00`, `Sat-Sun 00:00-24:00`, `Fri 18:00-24:00`; null for anything else. */
export function parseQuietRange(text: string): QuietRange | null {
  const [, first, last, ...times] = SHAPE.exec(text.trim()) ?? [];
  const [fromHour = -1, fromMinute = -1, toHour = -1, toMinute = -1] = times.map(Number);
  const days = listDays(first, last ?? first);
  const from = fromHour * 60 + fromMinute;
  const end = toHour * 60 + toMinute;
  const isTime = fromHour >= 0 && from < DAY_MINUTES && end <= DAY_MINUTES && fromMinute < 60 && toMinute < 60;
  if (!isTime || days === null || from === end) return null;
  return { text: text.trim(), days, from, to: end > from ? end : end + DAY_MINUTES };
}

function listDays(first: string | undefined, last: string | undefined): ReadonlySet<number> | null {
  if (first === undefined || last === undefined) return new Set(DAYS.keys());
  const [from, to] = [first, last].map((name) => DAYS.indexOf(name.toLowerCase()));
  if (from === undefined || to === undefined || from < 0 || to < 0) return null;
  const count = ((to - from + 7) % 7) + 1;
  return new Set(Array.from({ length: count }, (_, index) => (from + index) % 7));
}

export interface Quiet {
  /** The current quiet period, as written in the configuration. */
  readonly text: string;
  /** The first minute after the quiet period, in milliseconds since the epoch; null if the entire week is quiet. */
  readonly untilMs: number | null;
}

/**
 * Finds the quiet period that contains a point in time, by local time. The hour that repeats in autumn is quiet both times. A
 * period that begins in the skipped hour of spring begins right after that hour.
 */
export function findQuiet(ranges: readonly QuietRange[], timezone: string, nowMs: number): Quiet | null {
  if (ranges.length === 0) return null;
  const readWall = createWallReader(timezone);
  const at = (ms: number): QuietRange | undefined => {
    const { day, minute } = readWall(ms);
    return ranges.find(({ days, from, to }) => {
      const isToday = days.has(day) && minute >= from && minute < to;
      return isToday || (days.has((day + 6) % 7) && minute + DAY_MINUTES < to);
    });
  };
  const range = at(nowMs);
  if (range === undefined) return null;
  const start = nowMs - (nowMs % MINUTE_MS);
  for (let minutes = 1; minutes <= WEEK_MINUTES + DAY_MINUTES; minutes++) {
    const ms = start + minutes * MINUTE_MS;
    if (at(ms) === undefined) return { text: range.text, untilMs: ms };
  }
  return { text: range.text, untilMs: null };
}

function createWallReader(timezone: string): (ms: number) => { readonly day: number; readonly minute: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const weekday = (parts.get('weekday') ?? '').toLowerCase();
    return {
      day: DAYS.indexOf(weekday),
      minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
    };
  };
}

/** Explains why nothing is written now, and how to override it; null outside quiet hours. */
export function explainQuiet(ranges: readonly QuietRange[], timezone: string, nowMs: number): string | null {
  const quiet = findQuiet(ranges, timezone, nowMs);
  if (quiet === null) return null;
  const { text, untilMs } = quiet;
  const until = untilMs === null ? '' : ` until ${new Date(untilMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `quiet hours (${text}, ${timezone})${until}; \`--ignore-quiet-hours\` writes nevertheless`;
}
