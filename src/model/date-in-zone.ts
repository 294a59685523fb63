/** Formats days in a timezone as `2026-01-31`. Days repeat (hire dates, `today`) and formatting is slow, so it caches a few thousand. */
export function createDateFormatter(timezone: string): (at: Date) => string {
  // Created on first use: it takes milliseconds, and most configurations never need it.
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

/** Finds the day in a timezone on which an ISO 8601 moment falls. */
export function createDayFinder(timezone: string): (iso: string) => string {
  const dateIn = createDateFormatter(timezone);
  return (iso) => dateIn(new Date(iso));
}

/** Writes the day in a timezone of a moment as `3 November`, with the year if it is not the current one. */
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

/** Writes an ISO 8601 moment to the minute: `2026-11-28 06:17 UTC`. */
export function writeMinute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

const MINUTES = new Map<string, Intl.DateTimeFormat>();

/** Writes an ISO 8601 moment to the minute in a time zone: `2026-11-28 07:17 CET`. */
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

/** Writes a date for people: a date without a time as its day, any other moment in UTC. */
export function createDateWriter(timezone: string): (at: Date) => string {
  const dateIn = createDateFormatter(timezone);
  let clock: Intl.DateTimeFormat | undefined;
  return (at) => {
    clock ??= new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' });
    const isDay = at.getUTCMilliseconds() === 0 && clock.format(at) === '00:00:00';
    return isDay ? dateIn(at) : at.toISOString();
  };
}
