import { SyncError } from '../base/errors.js';
import { foldIdentity, isNobody, type ProofOfPerson } from '../config/access/identity.js';
import { isAnswerOnly } from '../model/identity-guards.js';
import { plural } from '../model/plural.js';
import type { Approval, HistoryStore } from '../store/state/history-store.js';

type ChosenChange = Pick<Approval, 'changeId' | 'guard'>;

/** The effect that one more person's approval has on waiting changes. */
export interface WeighedApproval {
  /** Changes that this approval releases. */
  readonly passing: readonly ChosenChange[];
  /** Changes that now wait for a second person. */
  readonly half: readonly ChosenChange[];
  /** Earlier approvals that stay unchanged. */
  readonly already: readonly Approval[];
  /** Approvals by the first of two people that this approval confirms. */
  readonly confirmed: readonly Approval[];
}

/** The person who approves, and how they are identified. */
export interface Approver {
  readonly who: string;
  readonly via: ProofOfPerson;
}

export interface ApprovalWord extends Approver {
  /** ISO 8601 */
  readonly now: string;
  readonly fourEyes: boolean;
  /** True if a valid approval gets another expiry time. */
  readonly isTimed: boolean;
}

/**
 * Decides whether one person is enough or two are needed. With two, changes approved by one person are released when
 * another approves them. No one alone can change the expiry of an approval by two.
 *
 * @throws SyncError SYNC_APPROVAL_SECOND if the same person has already approved all changes, SYNC_APPROVAL_UNPROVEN if two
 * people are needed and nothing proves this person's identity
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

/** The earlier approval that covers a change. An answer to an identity question does not approve the number of changes. */
function covering(given: ReadonlyMap<string, Approval>, { changeId, guard }: ChosenChange): Approval | null {
  const known = given.get(changeId);
  return known === undefined || (isAnswerOnly(known.guard) && !isAnswerOnly(guard)) ? null : known;
}

/**
 * Derives how a person was identified. Approvals from before version 0.3 have only a name, and a log-in uses an address as
 * the name.
 */
function proofOfApproval({ who, via }: Pick<Approval, 'who' | 'via'>): ProofOfPerson {
  if (via !== null) return via;
  if (isNobody(who)) return 'nobody';
  return who.includes('@') ? 'person' : 'machine';
}

/**
 * True if both may be one person. All approvals typed on this machine count as one person, because anyone there can use any
 * account.
 */
export function isSameApprover(one: Pick<Approval, 'who' | 'via'> | null, other: Approver): boolean {
  if (one === null) return false;
  return (proofOfApproval(one) === 'machine' && other.via === 'machine') || isSamePerson(one.who, other.who);
}

/** True if both may be one person. A machine account has no domain, so a missing domain does not distinguish two people. */
export function isSamePerson(one: string | null, other: string): boolean {
  if (one === null) return false;
  const [a, b] = [foldIdentity(one), foldIdentity(other)];
  if (a === b) return true;
  return a.includes('@') !== b.includes('@') && a.split('@')[0] === b.split('@')[0];
}

/** Explains to the first person, who typed on this machine, who the second person may be. */
export const ONE_PERSON_HERE =
  'All approvals typed on this machine count as one person, whatever the account. The second person approves on the operator pages, or with a personal token (`--daemon`).';

function refuseAlone(changes: number, first: Approval | null, via: ProofOfPerson): SyncError {
  const by = first?.who ?? 'you';
  return new SyncError('SYNC_APPROVAL_SECOND', {
    message: `${changes === 1 ? 'This change is' : `These ${plural(changes, 'change')} are`} already approved by ${by}, but two people must approve.`,
    place: 'approvals.four_eyes',
    remedy:
      via === 'machine' ? ONE_PERSON_HERE : 'Another person must approve the same changes; until then they are held.',
  });
}

function refuseUnproven(): SyncError {
  return new SyncError('SYNC_APPROVAL_UNPROVEN', {
    message: 'Two people must approve (`approvals.four_eyes`), but nothing proves who you are.',
    place: 'approvals.four_eyes',
    remedy:
      'Log in: configure `web.login`, or start the daemon without `--insecure-loopback`. Or use a personal token: `talent-sync operator add you@example.com --role approver`.',
  });
}
