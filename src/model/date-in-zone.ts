/**
 * Returns a function that formats a date in a timezone as `2026-01-31`. It caches a few thousand results, because dates repeat
 * and formatting is slow.
 */
export function createDateFormatter(timezone: string): (at: Date) => string {
  // Created on first use, because it takes milliseconds and most configurations never need it.
  let format: Intl.DateTimeFormat | undefined;
  const known = new Map<number, string>();
  return (at) => {
    const found = known.get(at.getTime());
    if (found !== undefined) return found;
    format ??= new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      calendar: 'iso8601',
    });
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const text = `${(parts.year ?? '').padStart(4, '0')}-${parts.month}-${parts.day}`;
    if (known.size > 4096) known.clear();
    known.set(at.getTime(), text);
    return text;
  };
}

/** Returns a function that finds the day on which an ISO 8601 time falls in a timezone. */
export function createDayFinder(timezone: string): (iso: string) => string {
  const dateIn = createDateFormatter(timezone);
  return (iso) => dateIn(new Date(iso));
}

/**
 * Returns a function that formats an ISO 8601 time as a day in a timezone: `3 November`, with the year unless it is the current
 * one.
 */
export function createDayWriter(timezone: string, now: string): (iso: string) => string {
  const dayOf = createDayFinder(timezone);
  return (iso) => {
    const [day, today] = [dayOf(iso), dayOf(now)];
    const text = new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'long',
    });
    return day.slice(0, 4) === today.slice(0, 4) ? text : `${text} ${day.slice(0, 4)}`;
  };
}

/** Formats an ISO 8601 time to the minute: `2026-11-28 06:17 UTC`. */
export function writeMinute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

const MINUTES = new Map<string, Intl.DateTimeFormat>();

/** Formats an ISO 8601 time to the minute in a timezone: `2026-11-28 07:17 CET`. */
export function writeMinuteIn(timezone: string, iso: string): string {
  if (timezone === 'UTC') return writeMinute(iso);
  const format = MINUTES.get(timezone) ?? createMinuteFormat(timezone);
  MINUTES.set(timezone, format);
  const parts = Object.fromEntries(format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${parts.timeZoneName}`;
}

const MINUTE = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d)(:\d\d)? UTC\b/g;

/** Moves the times in a text to a timezone: `since 2026-11-28 06:17 UTC` → `since 2026-11-28 07:17 CET`. */
export function moveTimes(timezone: string, text: string): string {
  if (timezone === 'UTC') return text;
  return text.replaceAll(MINUTE, (_, day: string, minute: string, seconds = '') => {
    const iso = `${day}T${minute}${seconds || ':00'}Z`;
    return seconds === '' ? writeMinuteIn(timezone, iso) : addSeconds(writeMinuteIn(timezone, iso), iso);
  });
}

/** Adds the seconds to a time, because offsets between timezones are multiples of a minute. */
export function addSeconds(minute: string, iso: string): string {
  return minute.replace(/ (\d\d:\d\d) /, ` $1:${iso.slice(17, 19)} `);
}

function createMinuteFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, calendar: 'iso8601', hourCycle: 'h23', timeZoneName: 'short' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
}

/** Formats the end of a decision: the day alone if it has no time of day, otherwise to the minute. */
export function writeEnd(timezone: string, iso: string): string {
  const day = createDateWriter(timezone)(new Date(iso));
  return day.length === 10 ? day : writeMinuteIn(timezone, iso);
}

/** Returns a function that formats a date for people: the day alone if it has no time of day, otherwise the time in UTC. */
export function createDateWriter(timezone: string): (at: Date) => string {
  const dateIn = createDateFormatter(timezone);
  let clock: Intl.DateTimeFormat | undefined;
  return (at) => {
    clock ??= new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' });
    const isDay = at.getUTCMilliseconds() === 0 && clock.format(at) === '00:00:00';
    return isDay ? dateIn(at) : at.toISOString();
  };
}
