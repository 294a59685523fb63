import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { type Anchor, type Due, findDue, type Schedule } from './due.js';

/** A schedule whose starts are moved apart from those of others. */
export interface SpreadSchedule extends Schedule {
  /** Milliseconds over which the starts of all tenants are spread; null: the first tenth of the pause between two slots. */
  readonly spreadMs: number | null;
}

const TENTH = 0.1;
/** A nightly run begins in its night, and a yearly one on its day. */
const LONGEST_TENTH_MS = 60 * 60_000;
/** The shortest pause is among so many: of each quarter of an hour in office hours it takes the 41st. */
const SLOTS_LOOKED_AT = 60;
/** Schedule → its shortest pause: looking for it takes milliseconds, and a thousand tenants have a few schedules. */
const KNOWN_PAUSES = new Map<string, number | null>();
/** Beyond it the memory starts again. */
const MOST_KNOWN = 1_000;

/** The shortest pause between two slots, in milliseconds; null where the schedule has one slot at most. Always the same for a schedule. */
export function findShortestPause({ every }: Pick<Schedule, 'every'>): number | null {
  const known = KNOWN_PAUSES.get(every);
  if (known !== undefined) return known;
  if (KNOWN_PAUSES.size >= MOST_KNOWN) KNOWN_PAUSES.clear();
  const pause = computeShortestPause(every);
  KNOWN_PAUSES.set(every, pause);
  return pause;
}

function computeShortestPause(every: string): number | null {
  // In UTC: in other zones two nights of the year are another length.
  const slots = new Cron(every, { timezone: 'UTC', paused: true }).nextRuns(SLOTS_LOOKED_AT, new Date(0));
  const pauses = slots.slice(1).map((slot, at) => slot.getTime() - (slots[at]?.getTime() ?? 0));
  return pauses.length === 0 ? null : Math.min(...pauses);
}

/**
 * How long after each slot the runs of that tenant start, in milliseconds: always the same for the same name, so that the pause
 * between its runs stays, and even over all names.
 */
export function findDelay(schedule: SpreadSchedule, tenant: string): number {
  const longestMs = schedule.spreadMs ?? Math.min(LONGEST_TENTH_MS, (findShortestPause(schedule) ?? 0) * TENTH);
  return Math.floor(longestMs * hashToShare(tenant));
}

/** At least 0, less than 1; always the same for the same name, and even over all names. */
export function hashToShare(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}

/** What is due when each slot's run starts that much later. Slots and the anchor keep their own moments; `nextMs` is when the run starts. */
export function findDueLater(schedule: Schedule, delayMs: number, known: Anchor | null, nowMs: number): Due {
  const due = findDue(schedule, known, nowMs - delayMs);
  return { ...due, nextMs: due.nextMs === null ? null : due.nextMs + delayMs };
}
