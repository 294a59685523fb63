import { SyncError } from '../base/errors.js';
import { foldIdentity, isNobody, type ProofOfPerson } from '../config/access/identity.js';
import { isAnswerOnly } from '../model/identity-guards.js';
import { plural } from '../model/plural.js';
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

/** Who approves, and how they are known. */
export interface Approver {
  readonly who: string;
  readonly via: ProofOfPerson;
}

export interface ApprovalWord extends Approver {
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
 * @throws SyncError SYNC_APPROVAL_SECOND when the same person has approved all of it before, SYNC_APPROVAL_UNPROVEN when
 *   it takes two and nothing proves who this one is
 */
export function weighApproval(
  history: Pick<HistoryStore, 'approvalsAt' | 'halfApprovalsAt'>,
  chosen: readonly ChosenChange[],
  { who, via, now, fourEyes, isTimed }: ApprovalWord,
): WeighedApproval {
  const [known, halves] = [history.approvalsAt(now), history.halfApprovalsAt(now)];
  const inForce = (one: ChosenChange): Approval | null => covering(known, one);
  const already = chosen.flatMap((one) => inForce(one) ?? []);
  const open = chosen.filter((one) => inForce(one) === null || (isTimed && !fourEyes));
  if (!fourEyes) return { passing: open, half: [], already, confirmed: [] };
  if (via === 'nobody') throw refuseUnproven();
  const firstOf = (one: ChosenChange): Approval | null => {
    const first = covering(halves, one);
    return first === null || proofOfApproval(first) === 'nobody' ? null : first;
  };
  const own = open.filter((one) => isSameApprover(firstOf(one), { who, via }));
  if (own.length > 0 && own.length === open.length) throw refuseAlone(own.length, firstOf(own[0] as ChosenChange), via);
  const passing = open.filter((one) => firstOf(one) !== null && !own.includes(one));
  const half = open.filter((one) => firstOf(one) === null);
  return { passing, half, already, confirmed: passing.flatMap((one) => firstOf(one) ?? []) };
}

/** What was said of a change before: who is who is no word on how many change. */
function covering(given: ReadonlyMap<string, Approval>, { changeId, guard }: ChosenChange): Approval | null {
  const known = given.get(changeId);
  return known === undefined || (isAnswerOnly(known.guard) && !isAnswerOnly(guard)) ? null : known;
}

/** Of an approval from before version 0.3 the name alone tells: a log-in names people by their addresses. */
function proofOfApproval({ who, via }: Pick<Approval, 'who' | 'via'>): ProofOfPerson {
  if (via !== null) return via;
  if (isNobody(who)) return 'nobody';
  return who.includes('@') ? 'person' : 'machine';
}

/** Whether both may be one person. Whatever is typed on the machine is one, for anybody there may take any account. */
export function isSameApprover(one: Pick<Approval, 'who' | 'via'> | null, other: Approver): boolean {
  if (one === null) return false;
  return (proofOfApproval(one) === 'machine' && other.via === 'machine') || isSamePerson(one.who, other.who);
}

/** The account of a machine has no domain: where that is all the difference, it may be the same person. */
export function isSamePerson(one: string | null, other: string): boolean {
  if (one === null) return false;
  const [a, b] = [foldIdentity(one), foldIdentity(other)];
  if (a === b) return true;
  return a.includes('@') !== b.includes('@') && a.split('@')[0] === b.split('@')[0];
}

/** What a second person has to be, said to the first one who typed on the machine. */
export const ONE_PERSON_HERE =
  'All approvals typed on this machine count as one person, whatever the account. The second one approves on the operator pages, or with a personal token (`--daemon`).';

function refuseAlone(changes: number, first: Approval | null, via: ProofOfPerson): SyncError {
  const by = first?.who ?? 'you';
  return new SyncError('SYNC_APPROVAL_SECOND', {
    message: `${changes === 1 ? 'This change is' : `These ${plural(changes, 'change')} are`} approved by ${by} already, and it takes two people.`,
    place: 'approvals.four_eyes',
    remedy: via === 'machine' ? ONE_PERSON_HERE : 'Another person approves the same changes; until then they wait.',
  });
}

function refuseUnproven(): SyncError {
  return new SyncError('SYNC_APPROVAL_UNPROVEN', {
    message: 'It takes two people (`approvals.four_eyes`), and nothing proves who you are.',
    place: 'approvals.four_eyes',
    remedy:
      'Log in: configure `web.login`, or start the daemon without `--insecure-loopback`. Or use a personal token: `talent-sync operator add you@example.com --role approver`.',
  });
}
