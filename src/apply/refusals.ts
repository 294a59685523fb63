import type { PlannedChange } from '../model/plan.js';
import type { RefusedChange } from '../store/state/refusal-store.js';

const HOUR_MS = 3_600_000;
/** Refused once: the next run tries again, for a name may have been created in between. Then ever more rarely. */
const PAUSES_MS = [0, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

/** How long a change rests that was refused so many times in a row. */
export function pauseAfter(times: number): number {
  return PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1] ?? 0;
}

/** One more refusal of a change; another change of the same object, because either side moved, counts from the start. */
export function countRefusal(
  before: RefusedChange | null,
  change: PlannedChange,
  message: string,
  nowMs: number,
): RefusedChange {
  const at = new Date(nowMs).toISOString();
  const again = before !== null && before.changeId === change.id ? before : null;
  const times = (again?.times ?? 0) + 1;
  return {
    entity: change.entity,
    key: change.key,
    changeId: change.id,
    times,
    firstAt: again?.firstAt ?? at,
    lastAt: at,
    nextAt: new Date(nowMs + pauseAfter(times)).toISOString(),
    message,
  };
}
