import { writeMinute } from '../../model/date-in-zone.js';
import { STATE_RESTORED } from '../../model/held-source.js';
import type { GuardTrip } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { hasReadAll } from './settle-declines.js';

/**
 * A restored state lacks the approvals, declines and counted changes since the backup. So every change that takes
 * something away waits for one approval that names this period.
 *
 * @param now ISO 8601
 */
export function holdRestored({ lostState, history, work }: Stores, now: string): readonly GuardTrip[] {
  const period = lostState.restored();
  if (period === null || history.approvalsAt(now).has(STATE_RESTORED)) return [];
  const held = work.withholdTaking(STATE_RESTORED);
  if (held === 0) return [];
  const detail = `a backup was restored on ${writeMinute(period.to)}: approvals, declined changes and the counts of guards since ${writeMinute(period.from)} are lost; look at the plan before you approve`;
  return [{ guard: STATE_RESTORED, limit: 0, found: held, held, cause: 'state restored', detail }];
}

/** Ends the period with a run that was approved, or with one that read everything and takes nothing away. */
export function settleRestored(stores: Stores, derived: DerivedRun, now: string): void {
  const { lostState, history, state, work } = stores;
  if (lostState.restored() === null || derived.only !== null || derived.undoes !== null) return;
  const isApproved = history.approvalsAt(now).has(STATE_RESTORED);
  const isQuiet = hasReadAll(derived) && derived.guards.length === 0 && !work.takesAnything();
  if (!isApproved && !isQuiet) return;
  state.transaction(() => {
    lostState.acceptRestored();
    history.spendApproval(STATE_RESTORED);
  });
}
