import { isoNow } from '../base/clock.js';
import { newId } from '../planning/saved/summary.js';
import type { Stores } from '../store/open-stores.js';
import { writeApproval } from './approve.js';
import { weighApproval } from './weigh-approval.js';
import type { DecisionContext } from './with-stores.js';

/** A step that takes two people, as an approval does. */
export interface StepForTwo {
  /** Names the step among the ids of changes. */
  readonly subject: string;
  /** The kind of step, among the guards. */
  readonly guard: string;
  /** The plan that it is about; '' for none. */
  readonly plan: string;
  readonly reason: string;
}

/**
 * Takes one person's word for a step. To be called in a transaction.
 *
 * @returns true if it is the word of the second person, and the step may be made
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
  writeApproval(stores, weighed, { id, plan, guards: [guard], who, via, reason, at: now, expires });
  if (weighed.half.length > 0) return false;
  stores.history.spendApproval(subject);
  return true;
}
