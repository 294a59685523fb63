import { Cron } from 'croner';

/** When runs start: a cron expression of five fields, read in an IANA time zone. */
export interface Schedule {
  readonly every: string;
  readonly timezone: string;
}

/** Up to which moment a schedule's slots are dealt with: the slot of the last run, or when the schedule was first seen. */
export interface Anchor extends Schedule {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface Due {
  /** The slot to run for now, milliseconds since the epoch; null when none is due. */
  readonly slotMs: number | null;
  /** Slots before it that nobody ran for. Their work is done by this one run. At most `MOST_COUNTED`. */
  readonly missed: number;
  /** The first slot after now; null when the expression has none left. */
  readonly nextMs: number | null;
  /** Where to count from, from now on. */
  readonly anchor: Anchor;
}

export const MOST_COUNTED = 1_000;

/**
 * What is due, from nothing but the schedule, the last slot dealt with and the time.
 *
 * | found | done |
 * |---|---|
 * | no anchor, or one of another schedule | count from now: a new schedule owes nothing of the past |
 * | one slot passed since | run for it |
 * | several passed (long run, sleep, restart) | one run for the newest; the others count as missed |
 * | the clock is before the anchor, by less than a slot | wait: that slot has been run for |
 * | the clock is before it by more | it was set back: count from now, or nothing would run for all that time |
 *
 * Slots are moments, not wall times: in autumn a quarter-hourly schedule goes on through the repeated hour, a nightly
 * one at 02:30 runs once; in spring the night that has no 02:30 runs at the first moment after the gap.
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

/** The newest slot not after now; croner looks before its reference, by whole seconds. */
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
