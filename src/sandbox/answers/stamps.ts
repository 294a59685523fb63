import type { World } from '../account/world.js';

/** Formats a timestamp with milliseconds. */
export function toStamp(world: World, ms: number): string {
  const iso = new Date(ms).toISOString();
  return world.account.stamp_suffix === 'Z' ? iso : iso.replace('Z', '+00:00');
}

/** Formats `profile_updated_at`, which has no milliseconds (spec, User). */
export function toSecondStamp(world: World, seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${world.account.stamp_suffix}`;
}

const DAY_MS = 86_400_000;
const DAY = /^(\d{4})(?:-(\d{2})-(\d{2})|(\d{2})(\d{2})|-W(\d{2})-([1-7])|W(\d{2})([1-7])|-?(\d{3}))$/;
const TIME = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?$/;
const ZONE = /^(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/;

/**
 * Parses an ISO 8601 string, extended (`2026-01-01T00:00:00Z`) or basic (`20260101T000000Z`), by calendar date, week
 * (`2026-W01-4`) or day of the year (`2026-001`). The default zone is UTC. A `+` that was not percent-encoded arrives as a
 * space, which makes the string invalid.
 *
 * @returns milliseconds since the epoch; undefined if it is malformed, or the day does not exist, such as 30 February
 */
export function parseStamp(text: string): number | undefined {
  const parts = /^([\dW-]+)(?:T([\d:.,]+)(Z|[+-][\d:]+)?)?$/.exec(text);
  const dayMs = parseDay(parts?.[1] ?? '');
  const timeMs = parts?.[2] === undefined ? 0 : parseTime(parts[2]);
  const zoneMs = parts?.[3] === undefined ? 0 : parseZone(parts[3]);
  return dayMs === undefined || timeMs === undefined || zoneMs === undefined ? undefined : dayMs + timeMs - zoneMs;
}

function parseDay(text: string): number | undefined {
  const match = DAY.exec(text);
  if (!match) return undefined;
  const [year = 0, month, day, month2, day2, week, weekday, week2, weekday2, dayOfYear] = match.slice(1).map(Number);
  const is = (index: number): boolean => match[index] !== undefined;
  const firstMs = Date.UTC(year, 0, 1);
  if (is(2) || is(4)) return checkDay(year, is(2) ? month : month2, is(3) ? day : day2);
  if (is(10)) {
    const ms = firstMs + ((dayOfYear ?? 0) - 1) * DAY_MS;
    return new Date(ms).getUTCFullYear() === year ? ms : undefined;
  }
  return checkWeekday(year, is(6) ? week : week2, is(7) ? weekday : weekday2);
}

/** Checks an ISO week date. Week 1 contains 4 January, and a week belongs to the year of its Thursday. */
function checkWeekday(year: number, week = 0, weekday = 1): number | undefined {
  const fourthMs = Date.UTC(year, 0, 4);
  const mondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS;
  const weekMs = mondayMs + (week - 1) * 7 * DAY_MS;
  if (new Date(weekMs + 3 * DAY_MS).getUTCFullYear() !== year) return undefined;
  return weekMs + (weekday - 1) * DAY_MS;
}

function checkDay(year: number, month = 0, day = 0): number | undefined {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined;
}

function parseTime(text: string): number | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map((part) => Number(part ?? 0));
  const ms = Number(`${match[4] ?? ''}000`.slice(0, 3));
  const isMidnight = hour === 24 && minute === 0 && second === 0 && ms === 0;
  if ((hour > 23 && !isMidnight) || minute > 59 || second > 59) return undefined;
  return ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}

function parseZone(text: string): number | undefined {
  const match = ZONE.exec(text);
  if (!match) return undefined;
  const [hour, minute] = [Number(match[2] ?? 0), Number(match[3] ?? 0)];
  if (hour > 23 || minute > 59) return undefined;
  return (match[1] === '-' ? -1 : 1) * (hour * 60 + minute) * 60_000;
}
