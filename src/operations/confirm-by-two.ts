import { isoNow } from '../base/clock.js';
import { newId } from '../planning/saved/summary.js';
import type { Stores } from '../store/open-stores.js';
import { writeApproval } from './approve.js';
import { weighApproval } from './weigh-approval.js';
import type { DecisionContext } from './with-stores.js';

/** A step that needs two people, like an approval. */
export interface StepForTwo {
  /** Identifies the step among the ids of changes. */
  readonly subject: string;
  /** The kind of step, stored as a guard. */
  readonly guard: string;
  /** The plan that the step is about; '' if there is none. */
  readonly plan: string;
  readonly reason: string;
}

/**
 * Records one person's confirmation of a step. Must be called in a transaction.
 *
 * @returns true if this is the second person, so that the step may be performed
 * @throws SyncError SYNC_APPROVAL_SECOND, SYNC_APPROVAL_UNPROVEN
 */
export function confirmByTwo(
  stores: Pick<Stores, 'history' | 'audit'>,
  { config, clock, by: who, via }: DecisionContext,
  { subject, guard, plan, reason }: StepForTwo,
): boolean {
  const [id, now] = [newId('a', clock), isoNow(clock)];
  const expires = new Date(clock.now() + config.approvals.expiresMs).toISOString();
  const word = { who, via, now, fourEyes: true, isTimed: false };
  const weighed = weighApproval(stores.history, [{ changeId: subject, guard }], word);
  writeApproval(stores, weighed, { id, plan, guards: [guard], who, via, reason, at: now, expires, planned: [] });
  if (weighed.half.length > 0) return false;
  stores.history.spendApproval(subject);
  return true;
}
