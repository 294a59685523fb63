import { STATE_LOST } from '../../model/held-source.js';
import type { GuardTrip } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';

/**
 * Holds every change after the loss of the state, on either side, until a person approves. The links, the approved
 * leavers and the calls under way are then unknown, and everyone is matched as in a first run.
 */
export function holdLost(stores: Stores, guards: readonly GuardTrip[], now: string): readonly GuardTrip[] {
  const lost = stores.lostState.lost();
  if (lost === null || stores.history.approvalsAt(now).has(STATE_LOST)) return guards;
  const held = stores.work.withholdAll(STATE_LOST);
  const detail = `state.db was missing, but ${lost.traces.join(', ')} ${lost.traces.length === 1 ? 'shows' : 'show'} that it existed: its links, approvals, pins and audit log are lost, and everyone is matched again. Restore a backup if there is one (\`talent-sync state restore\`); otherwise look at the plan before you approve`;
  return [...guards, { guard: STATE_LOST, limit: 0, found: 1, held, cause: 'state lost', detail }];
}
