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

function createMinuteFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, calendar: 'iso8601', hourCycle: 'h23', timeZoneName: 'short' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
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
