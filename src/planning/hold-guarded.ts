import type { Config } from '../config/config.js';
import type { Action, Entity } from '../model/entity.js';
import type { GuardTrip } from '../model/plan.js';
import { type CauseEvidence, evaluateGuards } from '../reconcile/guard.js';
import type { Stores } from '../store/open-stores.js';

/**
 * Marks what an operator has approved, lets the guards count the rest, and sets aside what trips and all that needs it.
 * Everything else stays in the plan.
 */
export function holdGuarded(
  config: Config,
  stores: Stores,
  evidence: (entity: Entity) => CauseEvidence,
  now: string,
): readonly GuardTrip[] {
  const { work, history } = stores;
  const approvals = history.approvalsAt(now);
  for (const [changeId, { id, who, reason }] of approvals)
    work.approveId(changeId, `${id} by ${who}: ${reason || 'no reason given'}`);
  const trips = evaluateGuards(config.guards, work.countUnapproved, work.linkedActive, evidence).map((trip) => {
    const [entity, action] = trip.guard.split('.') as [Entity, Action];
    return { ...trip, held: work.withhold(entity, action, { by: 'guard', name: trip.guard }) };
  });
  work.propagateWithheld();
  return trips;
}
