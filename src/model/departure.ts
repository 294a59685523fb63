import type { Observed } from './observed.js';
import type { Place } from './place.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A person whom talent-sync deactivated as a leaver. Times are ISO 8601. */
export interface Departure {
  readonly key: string;
  readonly serviceId: string;
  /** The run that deactivated or deleted the account. */
  readonly run: string;
  readonly at: string;
  /** The service's own time of the deactivation, if a response showed one. */
  readonly stamp: string | null;
  /** null while the account exists. */
  readonly deletedAt: string | null;
}

/** A departure long ago whose account was still deactivated in this run and has not been reactivated since. */
export interface DueDeparture extends Departure {
  /** State according to the sources: the person has left, the row is out of scope, or there is no row (null). */
  readonly state: 'leaver' | 'out' | null;
  /** Place of the row; null without a row. */
  readonly place: Place | null;
}

/**
 * Checks that the account has been inactive since the stored time. Compares full seconds, because responses vary in precision.
 * A missing time counts as equal.
 */
export function isSameStamp(stamp: string | null, { values }: Observed): boolean {
  const now = values.deactivated_at;
  if (stamp === null || typeof now !== 'string') return true;
  return Math.floor(Date.parse(stamp) / 1000) === Math.floor(Date.parse(now) / 1000);
}

/** Formats a duration: `90d`, `36h`. */
export function formatSpan(ms: number): string {
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.round(ms / HOUR_MS)}h`;
}

/** The number of staged records that refer to an object, and one of those records, such as `users:E1`. */
export interface Namers {
  readonly records: number;
  readonly first: string;
}
