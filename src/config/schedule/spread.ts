import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { type Anchor, type Due, findDue, type Schedule } from './due.js';

/** A schedule with starts that are spread apart from those of other tenants. */
export interface SpreadSchedule extends Schedule {
  /** Milliseconds over which the starts of all tenants are spread; null for a tenth of the pause between two slots. */
  readonly spreadMs: number | null;
}

const TENTH = 0.1;
/** Maximum default delay, so that a nightly run starts in its night and a yearly run on its day. */
const LONGEST_TENTH_MS = 60 * 60_000;
/** Number of slots to search for the shortest pause. A quarter-hourly schedule in office hours needs 41. */
const SLOTS_LOOKED_AT = 60;
/** Schedule → its shortest pause. Finding it takes milliseconds, and a thousand tenants share a few schedules. */
const KNOWN_PAUSES = new Map<string, number | null>();
/** The cache is cleared when it contains this many schedules. */
const MOST_KNOWN = 1_000;

/**
 * Returns the shortest pause between two slots, in milliseconds; null if there is at most one slot. The result depends only on
 * the schedule.
 */
export function findShortestPause({ every }: Pick<Schedule, 'every'>): number | null {
  const known = KNOWN_PAUSES.get(every);
  if (known !== undefined) return known;
  if (KNOWN_PAUSES.size >= MOST_KNOWN) KNOWN_PAUSES.clear();
  const pause = computeShortestPause(every);
  KNOWN_PAUSES.set(every, pause);
  return pause;
}

function computeShortestPause(every: string): number | null {
  // Uses UTC, because in other zones two nights a year have a different length.
  const slots = new Cron(every, { timezone: 'UTC', paused: true }).nextRuns(SLOTS_LOOKED_AT, new Date(0));
  const pauses = slots.slice(1).map((slot, at) => slot.getTime() - (slots[at]?.getTime() ?? 0));
  return pauses.length === 0 ? null : Math.min(...pauses);
}

/**
 * Returns the delay between each slot and the start of the tenant's run, in milliseconds. It depends only on the name, so the
 * pause between runs does not change. The delays of all names are evenly distributed.
 */
export function findDelay(schedule: SpreadSchedule, tenant: string): number {
  const longestMs = schedule.spreadMs ?? Math.min(LONGEST_TENTH_MS, (findShortestPause(schedule) ?? 0) * TENTH);
  return Math.floor(longestMs * hashToShare(tenant));
}

/** Returns a number from 0 to below 1 that depends only on the name. The numbers of all names are evenly distributed. */
export function hashToShare(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}

/**
 * Finds due slots if each run starts later by the delay. Slots and anchor keep their own times; `nextMs` is the start of the
 * run.
 */
export function findDueLater(schedule: Schedule, delayMs: number, known: Anchor | null, nowMs: number): Due {
  const due = findDue(schedule, known, nowMs - delayMs);
  return { ...due, nextMs: due.nextMs === null ? null : due.nextMs + delayMs };
}
