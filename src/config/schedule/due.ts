import { Cron } from 'croner';

/** When runs start: a cron expression of five fields, evaluated in an IANA timezone. */
export interface Schedule {
  readonly every: string;
  readonly timezone: string;
}

/**
 * The time until which the slots of a schedule are done: the slot of the last run, or the time when the schedule was first
 * seen.
 */
export interface Anchor extends Schedule {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface Due {
  /** The slot that is due, in milliseconds since the epoch; null if none is due. */
  readonly slotMs: number | null;
  /** Number of earlier slots without a run, at most `MOST_COUNTED`. The current run does their work. */
  readonly missed: number;
  /** The first slot after now; null if the expression has no more slots. */
  readonly nextMs: number | null;
  /** The anchor to store for the next check. */
  readonly anchor: Anchor;
}

export const MOST_COUNTED = 1_000;

/**
 * Finds due slots from the schedule, the last slot that is done, and the time.
 *
 * | found | result |
 * |---|---|
 * | no anchor, or one of another schedule | count from now: a new schedule has no past slots |
 * | one slot passed since | run for it |
 * | several passed (long run, sleep, restart) | one run for the newest; the others count as missed |
 * | the clock is before the anchor, by less than a slot | wait: that slot has already had its run |
 * | the clock is before it by more | the clock was set back: count from now, or nothing would run for all that time |
 *
 * Slots are moments, not wall times. In autumn a quarter-hourly schedule continues through the repeated hour, and a nightly
 * one at 02:30 runs once. In spring the night without 02:30 runs at the first moment after the gap.
 */
export function findDue(schedule: Schedule, known: Anchor | null, nowMs: number): Due {
  const { every, timezone } = schedule;
  const cron = new Cron(every, { timezone, paused: true });
  const nextMs = cron.nextRun(new Date(nowMs))?.getTime() ?? null;
  const isSame = known !== null && known.every === every && known.timezone === timezone;
  const isSetBack = isSame && nextMs !== null && known.atMs > nextMs;
  if (!isSame || isSetBack) return { slotMs: null, missed: 0, nextMs, anchor: { every, timezone, atMs: nowMs } };
  if (known.atMs > nowMs) {
    const after = cron.nextRun(new Date(known.atMs))?.getTime() ?? null;
    return { slotMs: null, missed: 0, nextMs: after, anchor: known };
  }
  const slotMs = lastSlot(cron, nowMs);
  if (slotMs === null || slotMs <= known.atMs) return { slotMs: null, missed: 0, nextMs, anchor: known };
  return { slotMs, missed: countMissed(cron, known.atMs, slotMs), nextMs, anchor: { every, timezone, atMs: slotMs } };
}

/** Returns the newest slot up to now. croner searches backwards from a reference, in full seconds. */
function lastSlot(cron: Cron, nowMs: number): number | null {
  return cron.previousRuns(1, new Date(nowMs + 1_000))[0]?.getTime() ?? null;
}

function countMissed(cron: Cron, fromMs: number, slotMs: number): number {
  let missed = 0;
  for (let at = cron.nextRun(new Date(fromMs)); at !== null && at.getTime() < slotMs; at = cron.nextRun(at)) {
    missed += 1;
    if (missed === MOST_COUNTED) break;
  }
  return missed;
}
