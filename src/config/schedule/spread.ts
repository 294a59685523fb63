import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { type Anchor, type Due, findDue, type Schedule } from './due.js';

/** A schedule whose starts are spread apart from those of other tenants. */
export interface SpreadSchedule extends Schedule {
  /** Milliseconds over which the starts of all tenants are spread; null: a tenth of the pause between two slots. */
  readonly spreadMs: number | null;
}

const TENTH = 0.1;
/** Limits the delay, so that a nightly run starts in its night and a yearly one on its day. */
const LONGEST_TENTH_MS = 60 * 60_000;
/** Number of slots to search for the shortest pause. A schedule for every quarter of an hour in office hours needs 41. */
const SLOTS_LOOKED_AT = 60;
/** Schedule → its shortest pause. Finding it takes milliseconds, and a thousand tenants have only a few schedules. */
const KNOWN_PAUSES = new Map<string, number | null>();
/** When this many are stored, the cache is cleared. */
const MOST_KNOWN = 1_000;

/** The shortest pause between two slots, in milliseconds; null if the schedule has at most one slot. Always the same for a schedule. */
export function findShortestPause({ every }: Pick<Schedule, 'every'>): number | null {
  const known = KNOWN_PAUSES.get(every);
  if (known !== undefined) return known;
  if (KNOWN_PAUSES.size >= MOST_KNOWN) KNOWN_PAUSES.clear();
  const pause = computeShortestPause(every);
  KNOWN_PAUSES.set(every, pause);
  return pause;
}

function computeShortestPause(every: string): number | null {
  // In UTC: in other zones two nights a year have another length.
  const slots = new Cron(every, { timezone: 'UTC', paused: true }).nextRuns(SLOTS_LOOKED_AT, new Date(0));
  const pauses = slots.slice(1).map((slot, at) => slot.getTime() - (slots[at]?.getTime() ?? 0));
  return pauses.length === 0 ? null : Math.min(...pauses);
}

/**
 * The delay after each slot at which the tenant's runs start, in milliseconds. It is always the same for a name, so the pause
 * between runs stays the same. Over all names it is evenly distributed.
 */
export function findDelay(schedule: SpreadSchedule, tenant: string): number {
  const longestMs = schedule.spreadMs ?? Math.min(LONGEST_TENTH_MS, (findShortestPause(schedule) ?? 0) * TENTH);
  return Math.floor(longestMs * hashToShare(tenant));
}

/** A number from 0 to below 1: always the same for a name, and evenly distributed over all names. */
export function hashToShare(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}

/** Finds due slots if each run starts that much later. Slots and anchor keep their own moments; `nextMs` is when the run starts. */
export function findDueLater(schedule: Schedule, delayMs: number, known: Anchor | null, nowMs: number): Due {
  const due = findDue(schedule, known, nowMs - delayMs);
  return { ...due, nextMs: due.nextMs === null ? null : due.nextMs + delayMs };
}
