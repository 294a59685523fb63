import type { Observed } from './observed.js';
import type { Place } from './place.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Somebody whom talent-sync itself deactivated as a leaver. Times are ISO 8601. */
export interface Departure {
  readonly key: string;
  readonly serviceId: string;
  /** The run that deactivated the account, or deleted it. */
  readonly run: string;
  readonly at: string;
  /** The service's own time of it, where an answer showed one. */
  readonly stamp: string | null;
  /** Null while the account is there. */
  readonly deletedAt: string | null;
}

/** One that is long ago, as this run found the person: still deactivated, and not in use again. */
export interface DueDeparture extends Departure {
  /** What the sources say: that the person has left, a row out of scope, or nothing at all. */
  readonly state: 'leaver' | 'out' | null;
  /** Of the row; null where there is none. */
  readonly place: Place | null;
}

/**
 * Whether the account is out of use since the moment that is remembered. Answers tell it in more or fewer digits; one
 * that tells nothing decides nothing.
 */
export function isSameStamp(stamp: string | null, { values }: Observed): boolean {
  const now = values.deactivated_at;
  if (stamp === null || typeof now !== 'string') return true;
  return Math.floor(Date.parse(stamp) / 1000) === Math.floor(Date.parse(now) / 1000);
}

/** `90d`, `36h` */
export function formatSpan(ms: number): string {
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.round(ms / HOUR_MS)}h`;
}

/** How many staged records name something, and one of them, as `users:E1`. */
export interface Namers {
  readonly records: number;
  readonly first: string;
}
