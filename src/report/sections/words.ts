import { writeMinute } from '../../model/date-in-zone.js';
import { plural } from '../../model/plural.js';

export { plural };

/** `12,300` */
export function groupThousands(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `The service e-mails 3 people` */
export function describeMails(mails: number): string {
  return `The service e-mails ${plural(mails, 'person', 'people')}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return 'a second';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

const UNITS: readonly (readonly [unitMs: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** `3 days`, in the largest unit with a count of at least two. The minimum is `a minute`. */
export function formatAge(ms: number): string {
  for (const [unitMs, name] of UNITS) if (ms >= 2 * unitMs) return plural(Math.floor(ms / unitMs), name);
  return 'a minute';
}

/** `2026-11-21 19:40 UTC`; a date without a time stays unchanged. */
export function formatMinute(iso: string): string {
  return iso.endsWith('Z') ? writeMinute(iso) : iso;
}

/** Capitalises a sentence, unless it begins with a path: `tags.unit: …`. */
export function capitalise(text: string): string {
  if (/^\w+[._]\w/.test(text)) return text;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Adds to the end of an approval how it may last longer: with a schedule, at least one run can still use it. */
export function withOneMoreRun(end: string, isUntilRun: boolean): string {
  return isUntilRun ? `${end}, and for one more run if no run has written by then` : end;
}
