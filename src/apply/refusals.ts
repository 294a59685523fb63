import type { PlannedChange } from '../model/plan.js';
import { pauseAfter } from '../model/refusal-pauses.js';
import type { RefusedChange } from '../store/state/refusal-store.js';

/** Counts another rejection of a change. The count starts again if the change is a different one. */
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
