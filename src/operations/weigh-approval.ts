import { foldIdentity } from '../access/identity.js';
import { SyncError } from '../errors.js';
import type { Approval, HistoryStore } from '../store/state/history-store.js';

type ChosenChange = Pick<Approval, 'changeId' | 'guard'>;

/** What one more person's word makes of changes that wait. */
export interface WeighedApproval {
  /** May pass from now on. */
  readonly passing: readonly ChosenChange[];
  /** Wait for a second person from now on. */
  readonly half: readonly ChosenChange[];
  /** In force before; as it is. */
  readonly already: readonly Approval[];
  /** The words of the first of two that this one confirms. */
  readonly confirmed: readonly Approval[];
}

export interface ApprovalWord {
  readonly who: string;
  /** ISO 8601 */
  readonly now: string;
  readonly fourEyes: boolean;
  /** What is in force is given another time. */
  readonly isTimed: boolean;
}

/**
 * Whether it takes one person or two. With two, what one has approved passes when another approves it; and nobody gives
 * alone another time to what two have approved.
 *
 * @throws SyncError SYNC_APPROVAL_SECOND when the same person has approved all of it before
 */
export function weighApproval(
  history: Pick<HistoryStore, 'approvalsAt' | 'halfApprovalsAt'>,
  chosen: readonly ChosenChange[],
  { who, now, fourEyes, isTimed }: ApprovalWord,
): WeighedApproval {
  const [known, halves] = [history.approvalsAt(now), history.halfApprovalsAt(now)];
  const already = chosen.flatMap(({ changeId }) => known.get(changeId) ?? []);
  const open = chosen.filter(({ changeId }) => !known.has(changeId) || (isTimed && !fourEyes));
  if (!fourEyes) return { passing: open, half: [], already, confirmed: [] };
  const own = open.filter(({ changeId }) => isSamePerson(halves.get(changeId)?.who ?? null, who));
  if (own.length > 0 && own.length === open.length) throw refuseAlone(own.length, who);
  const passing = open.filter((one) => halves.has(one.changeId) && !own.includes(one));
  const half = open.filter(({ changeId }) => !halves.has(changeId));
  return { passing, half, already, confirmed: passing.flatMap(({ changeId }) => halves.get(changeId) ?? []) };
}

/** The account of a machine has no domain: where that is all the difference, it may be the same person. */
export function isSamePerson(one: string | null, other: string): boolean {
  if (one === null) return false;
  const [a, b] = [foldIdentity(one), foldIdentity(other)];
  if (a === b) return true;
  return a.includes('@') !== b.includes('@') && a.split('@')[0] === b.split('@')[0];
}

function refuseAlone(changes: number, who: string): SyncError {
  return new SyncError('SYNC_APPROVAL_SECOND', {
    message: `${changes === 1 ? 'This change is' : `These ${changes} changes are`} approved by ${who} already, and it takes two people.`,
    place: 'approvals.four_eyes',
    remedy: 'Somebody else approves the same changes; until then they wait.',
  });
}
