import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { isHeldWhole, STATE_LOST, STATE_RESTORED } from '../model/held-source.js';
import type { GuardTrip } from '../model/plan.js';
import { readWaitingPlan } from '../planning/holds/record-waiting.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { newId } from '../planning/saved/summary.js';
import type { Stores } from '../store/open-stores.js';
import type { Approval } from '../store/state/history-store.js';
import { type ChangeChoice, chooseWaiting, holdersOf, type SavedChange } from './choose-changes.js';
import { replaceDeclines } from './decline.js';
import type { Nothing, TenantOperation } from './operation.js';
import { rememberLeftOut } from './remember-left-out.js';
import { type WeighedApproval, weighApproval } from './weigh-approval.js';
import { type DecisionContext, decide, type OperationContext, withStores } from './with-stores.js';

/** What may pass: by plan, guard, action or person, or change by change. */
export interface ApproveOrder extends ChangeChoice {
  /** The newest without it. */
  readonly plan?: string;
  readonly reason: string;
  /** Milliseconds it holds; `plan.expires` without it. */
  readonly expires?: number;
}

/** An approval as `approve --json` tells it. Times are ISO 8601. */
export interface GivenApproval {
  readonly approval: string;
  readonly plan: string;
  readonly approved: number;
  /** Approved before, and in force still. */
  readonly already: number;
  /** Approved by the first of two people (`approvals.four_eyes`): they pass when somebody else approves them too. */
  readonly waiting_for_second: number;
  readonly guards: readonly string[];
  readonly causes: readonly (Pick<GuardTrip, 'guard' | 'cause' | 'detail'> & { readonly preview: unknown })[];
  readonly who: string;
  readonly reason: string;
  readonly expires: string;
}

/** The same, with what only a text about it tells. */
export interface ApprovalOutcome {
  readonly document: GivenApproval;
  /** What is approved as a whole, `a delivery of`; null where changes are counted. */
  readonly whole: string | null;
  /** The approval that held some of it before. */
  readonly before: Pick<Approval, 'id' | 'who'> | null;
  /** The run that the plan takes back. */
  readonly undoes: string | null;
}

/** As `approve --json` tells it, with what the text tells besides. */
export type ToldApproval = GivenApproval & Omit<ApprovalOutcome, 'document'>;

export const APPROVE: TenantOperation<ApproveOrder, ToldApproval> = {
  name: 'approve',
  async perform(context, order) {
    const { document, whole, before, undoes } = await approve(context, order);
    return { ...document, whole, before: before === null ? null : { id: before.id, who: before.who }, undoes };
  },
};

export const REVOKE_APPROVAL: TenantOperation<{ readonly approval: string; readonly reason: string }, RevokedApproval> =
  {
    name: 'revokeApproval',
    async perform(context, { approval, reason }) {
      const changes = await revokeApproval(context, approval, reason);
      return { revoked: approval, changes, who: context.by, reason };
    },
  };

/** As `approve --revoke --json` tells it. */
export interface RevokedApproval {
  readonly revoked: string;
  readonly changes: number;
  readonly who: string;
  readonly reason: string;
}

/** As `approve --list --json` tells it: what is in force. */
export interface ApprovalListing {
  readonly approvals: Awaited<ReturnType<typeof listApprovals>>;
}

export const APPROVALS: TenantOperation<Nothing, ApprovalListing> = {
  name: 'listApprovals',
  perform: async (context) => ({ approvals: await listApprovals(context) }),
};

/**
 * Lets what a guard holds pass, until the approval lapses.
 *
 * @throws SyncError SYNC_APPROVAL_NOTHING, SYNC_PLAN_MISSING, SYNC_PLAN_DAMAGED, SYNC_CLI_USAGE,
 *   SYNC_APPROVAL_SECOND
 */
export async function approve(context: DecisionContext, order: ApproveOrder): Promise<ApprovalOutcome> {
  const { config, clock, by: who } = context;
  const { reason } = order;
  const { saved, approved } = await findApproved(context, order);
  const { guards } = approved;
  const { plan, undoes } = saved.meta;
  const [id, at] = [newId('a', clock), isoNow(clock)];
  const expires = new Date(clock.now() + (order.expires ?? config.plan.expiresMs)).toISOString();
  const { fourEyes } = config.approvals;
  let weighed: WeighedApproval = { passing: [], half: [], already: [], confirmed: [] };
  await decide(context, ({ history, audit, heldChanges, declines }) => {
    // Within the transaction: two may say the same at once.
    weighed = weighApproval(history, approved.given, { who, now: at, fourEyes, isTimed: order.expires !== undefined });
    writeApproval({ history, audit }, weighed, { id, plan, guards, who, reason, at, expires });
    const passing = new Set([...weighed.passing, ...weighed.already].map(({ changeId }) => changeId));
    rememberLeftOut({ heldChanges }, saved, { id, at, passing });
    const replacing = approved.chosen.filter((change) => passing.has(change.id));
    replaceDeclines({ declines, audit }, passing, replacing, { at, by: who, reason, approval: id });
  });
  const { passing, half, already } = weighed;
  const [before = null] = already;
  const outcome = { whole: approved.isWhole ? approved.what : null, before, undoes: undoes?.run ?? null };
  const counted = { approved: passing.length, already: already.length, waiting_for_second: half.length };
  if (passing.length + half.length === 0 && before !== null) {
    const { id: known, who: by, reason: why, expiresAt } = before;
    const told = { approval: known, plan, ...counted, guards, causes: [] };
    return { ...outcome, document: { ...told, who: by, reason: why, expires: expiresAt } };
  }
  const causes = saved.guards
    .filter((trip) => guards.includes(trip.guard))
    .map(({ guard, cause, detail, preview = null }) => ({ guard, cause, detail, preview }));
  return { ...outcome, document: { approval: id, plan, ...counted, guards, causes, who, reason, expires } };
}

interface ApprovalText {
  readonly id: string;
  readonly plan: string;
  readonly guards: readonly string[];
  readonly who: string;
  readonly reason: string;
  readonly at: string;
  readonly expires: string;
}

/** State and audit together: what passes by it, and what waits for a second person. */
function writeApproval(
  { history, audit }: Pick<Stores, 'history' | 'audit'>,
  { passing, half, confirmed }: WeighedApproval,
  { id, plan, guards, who, reason, at, expires }: ApprovalText,
): void {
  const firsts = new Map(confirmed.map((one) => [one.changeId, one]));
  const row = { id, plan, at, expiresAt: expires, via: null };
  history.approve(
    half.map((one) => ({ ...row, ...one, who, reason })),
    true,
  );
  history.approve(
    passing.map((one) => {
      const first = firsts.get(one.changeId);
      const words = first === undefined ? { who, reason } : joinWords(first, who, reason);
      return { ...row, ...one, ...words };
    }),
  );
  const told = { at, by: who, approval: id, plan, guards, reason, expires };
  const idsOf = (list: readonly { readonly changeId: string }[]) => list.map(({ changeId }) => changeId);
  const confirms = [...new Set(confirmed.map((one) => `${one.id} by ${one.who}`))];
  if (half.length > 0) appendEvent(audit, { kind: 'approval asked', ...told, changes: idsOf(half) });
  if (passing.length > 0)
    appendEvent(audit, {
      ...{ kind: 'approval given', ...told, changes: idsOf(passing) },
      ...(confirms.length === 0 ? {} : { confirms }),
    });
}

/** The changes themselves name both people. */
function joinWords(first: Approval, who: string, reason: string): Pick<Approval, 'who' | 'reason'> {
  return { who: `${first.who} and ${who}`, reason: [first.reason, reason].filter(Boolean).join('; ') };
}

/**
 * Without a plan the newest one is meant. The plan of one object shows a part of what a guard holds: then it is the newest
 * that looked at everything; so it is where the newest says nothing of it, as that of an undo.
 */
async function findApproved(
  context: OperationContext,
  flags: ApproveOrder,
): Promise<{ readonly saved: SavedPlan; readonly approved: Approved }> {
  const folder = plansFolder(context.config);
  const read = (file: string): Promise<SavedPlan> => withStores(context, (stores) => readPlan(file, stores.planKey()));
  const newest = await read(findPlanFile(folder, flags.plan ?? null, 'all'));
  const whole = flags.plan === undefined ? await withStores(context, readWaitingPlan) : null;
  if (whole === null || whole === newest.meta.plan) return { saved: newest, approved: chooseApproved(newest, flags) };
  const choose = async (isWhole: boolean): Promise<{ readonly saved: SavedPlan; readonly approved: Approved }> => {
    const saved = isWhole ? await read(findPlanFile(folder, whole, 'all')) : newest;
    return { saved, approved: chooseApproved(saved, flags) };
  };
  const isPart = newest.meta.only !== undefined;
  try {
    return await choose(isPart);
  } catch (error) {
    if (!(error instanceof SyncError && ['SYNC_APPROVAL_NOTHING', 'SYNC_PLAN_MISSING'].includes(error.code)))
      throw error;
    return await choose(!isPart);
  }
}

interface Approved {
  readonly given: readonly { readonly changeId: string; readonly guard: string }[];
  /** The changes; none where something is approved as a whole. */
  readonly chosen: readonly SavedChange[];
  /** Names of the guards that hold it, or of the one thing that waits as a whole. */
  readonly guards: readonly string[];
  /** `a delivery of`, before the name of the plan; blank where changes are counted. */
  readonly what: string;
  /** A delivery, or a lost state, and no changes one by one. */
  readonly isWhole: boolean;
}

function chooseApproved(saved: SavedPlan, flags: ApproveOrder): Approved {
  if (flags.guard !== undefined && isHeldWhole(flags.guard)) {
    const hold = findHeldWhole(saved, flags.guard);
    const what = WHOLE[hold] ?? 'a delivery of';
    const given = [{ changeId: hold, guard: hold }];
    return { given, chosen: [], guards: [hold], what, isWhole: true };
  }
  const chosen = chooseWaiting(saved, flags);
  return {
    chosen,
    given: chosen.map((change) => ({ changeId: change.id, guard: change.withheld?.name ?? '' })),
    guards: [...new Set(chosen.flatMap(holdersOf))],
    what: '',
    isWhole: false,
  };
}

/** What is approved about the state, before the name of the plan. */
const WHOLE: Readonly<Record<string, string>> = {
  [STATE_LOST]: 'to go on without the lost state, after',
  [STATE_RESTORED]: 'to go on with the restored state, after',
};

/** What is in force, and what waits for a second person, oldest first; what was carried out or has lapsed is not. */
export function listApprovals(context: OperationContext) {
  return withStores(context, ({ history }) => {
    const now = isoNow(context.clock);
    return [
      ...describeApprovals(history.approvalsAt(now), false),
      ...describeApprovals(history.halfApprovalsAt(now), true),
    ].sort((a, b) => (a.id < b.id ? -1 : 1));
  });
}

function describeApprovals(approvals: ReadonlyMap<string, Approval>, isHalf: boolean) {
  const byId = new Map<string, Approval[]>();
  for (const approval of approvals.values()) byId.set(approval.id, [...(byId.get(approval.id) ?? []), approval]);
  return [...byId].flatMap(([id, [first, ...rest]]) => {
    if (first === undefined) return [];
    const { who, reason, at, expiresAt } = first;
    const guards = [...new Set([first, ...rest].flatMap(({ guard }) => guard.split(' + ')))].sort();
    return [{ id, changes: 1 + rest.length, guards, who, reason, at, expires: expiresAt, waits_for_second: isHalf }];
  });
}

/**
 * Its changes wait again from the next run on. Told in the audit, with the operator and the reason. Answers how many they are.
 *
 * @throws SyncError SYNC_APPROVAL_NOTHING
 */
export async function revokeApproval(context: DecisionContext, id: string, reason: string): Promise<number> {
  const { by } = context;
  const at = isoNow(context.clock);
  let changes = 0;
  await decide(context, ({ history, audit }) => {
    const revoked = history.revokeApproval(id, at);
    changes = revoked.length;
    if (changes > 0) appendEvent(audit, { kind: 'approval revoked', at, by, approval: id, changes: revoked, reason });
  });
  if (changes > 0) return changes;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `No approval "${id}" is there any more: it was carried out, it lapsed, or it never was.`,
    place: '--revoke',
    remedy: '`talent-sync approve --list` shows what is in force.',
  });
}
/** A delivery, or a state that was lost: named by the plan that could not use it. */
function findHeldWhole(saved: SavedPlan, hold: string): string {
  const waiting = saved.guards.map(({ guard }) => guard).filter((guard) => isHeldWhole(guard));
  if (waiting.includes(hold)) return hold;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `Nothing waits as ${hold}.`,
    place: saved.file,
    remedy: `Waiting in ${saved.meta.plan}: ${waiting.join(', ') || 'nothing of that kind'}.`,
  });
}
