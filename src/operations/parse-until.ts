import { SyncError } from '../base/errors.js';
import { createDateFormatter } from '../model/date-in-zone.js';

const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses an end time in the future: a day in the tenant's time zone (its beginning), a time in that zone such as
 * `2027-01-01T08:00`, or a moment. Returns ISO 8601.
 *
 * @throws SyncError SYNC_CLI_USAGE
 */
export function parseUntil(text: string, nowMs: number, timezone: string): string {
  const time = readTime(text, timezone);
  if (Number.isNaN(time))
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `"${text}" is not a date.`,
      place: '--until',
      remedy: 'Write a day as 2027-01-01, a time as 2027-01-01T08:00, or a moment as 2027-01-01T08:00:00Z.',
    });
  if (time > nowMs) return new Date(time).toISOString();
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `${text} is in the past.`,
    place: '--until',
    remedy: 'Name a date in the future, or leave it out.',
  });
}

/** Returns NaN if the text is not a date. */
function readTime(text: string, timezone: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return findMidnight(text, timezone);
  if (WALL.test(text)) return findWallTime(text, timezone);
  return MOMENT.test(text) ? Date.parse(text) : Number.NaN;
}

const STEP_MS = 900_000;
/** Maximum difference between a time zone and UTC. */
const FURTHEST_MS = 15 * 3_600_000;

/** When a day begins in a time zone, in milliseconds; NaN if the calendar has no such day. */
export function findMidnight(day: string, timezone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(utc)) return utc;
  const dayOf = createDateFormatter(timezone);
  for (let time = utc - FURTHEST_MS; time <= utc + FURTHEST_MS; time += STEP_MS)
    if (dayOf(new Date(time)) === day) return time;
  return Number.NaN;
}

/**
 * The first moment at which clocks in the zone show this time. NaN if they never do, for example in the hour skipped in
 * spring.
 */
function findWallTime(text: string, timezone: string): number {
  const utc = Date.parse(`${text}Z`);
  if (Number.isNaN(utc)) return utc;
  // The Swedish date format matches ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  for (let time = utc - FURTHEST_MS; time <= utc + FURTHEST_MS; time += STEP_MS)
    if (format.format(time).replace(' ', 'T') === text) return time;
  return Number.NaN;
}
