import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { ProofOfPerson } from '../config/access/identity.js';
import { groupBy } from '../model/group-by.js';
import type { GuardTrip } from '../model/plan.js';
import { typedName } from '../model/typed.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import { newId } from '../planning/saved/summary.js';
import { plural } from '../report/sections/words.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { type PlannedRecord, recordsDecided, recordsOf } from '../store/audit/decided-records.js';
import { SHORTENED } from '../store/audit/keep-audit.js';
import type { Stores } from '../store/open-stores.js';
import type { Approval } from '../store/state/history-store.js';
import { type ApproveOrder, type ChosenPlan, findApproved } from './choose-approved.js';
import { replaceDeclines } from './decline.js';
import { createFates, type FateOf } from './fates.js';
import type { Nothing, TenantOperation } from './operation.js';
import { rememberLeftOut } from './remember-left-out.js';
import { type WeighedApproval, weighApproval } from './weigh-approval.js';
import { type DecisionContext, decide, type OperationContext, withStores } from './with-stores.js';

/** The document of `approve --json`. Times are ISO 8601. */
export interface GivenApproval {
  readonly approval: string;
  readonly plan: string;
  readonly approved: number;
  /** Changes that were approved earlier and are still approved. */
  readonly already: number;
  /**
   * Changes approved by the first of two people (`approvals.four_eyes`). The changes go through once another person
   * approves them too.
   */
  readonly waiting_for_second: number;
  /** Changes of the plan that no longer wait, with the reason. */
  readonly left_out: readonly NotApproved[];
  readonly guards: readonly string[];
  readonly causes: readonly (Pick<GuardTrip, 'guard' | 'cause' | 'detail'> & { readonly preview: unknown })[];
  readonly who: string;
  readonly reason: string;
  readonly expires: string;
  /** The approval also stays valid after that time, until the next run that may write has ended. */
  readonly until_next_run: boolean;
}

interface NotApproved {
  readonly changes: number;
  /** `carried out by run r2026…` */
  readonly because: string;
}

/** The outcome of an approval, with details that only the text output shows. */
export interface ApprovalOutcome {
  readonly document: GivenApproval;
  /** `a delivery of`, if something is approved as one unit; null if changes are counted. */
  readonly whole: string | null;
  /** The earlier approval of some of the changes. */
  readonly before: Pick<Approval, 'id' | 'who'> | null;
  /** The run that the plan undoes. */
  readonly undoes: string | null;
}

/** The document of `approve --json` with the details for the text. */
export type ToldApproval = GivenApproval & Omit<ApprovalOutcome, 'document'>;

export const APPROVE: TenantOperation<ApproveOrder, ToldApproval> = {
  name: 'approve',
  needs: 'a word',
  async perform(context, order) {
    const { document, whole, before, undoes } = await approve(context, order);
    return { ...document, whole, before: before === null ? null : { id: before.id, who: before.who }, undoes };
  },
};

export const REVOKE_APPROVAL: TenantOperation<{ readonly approval: string; readonly reason: string }, RevokedApproval> =
  {
    name: 'revokeApproval',
    needs: 'a word',
    async perform(context, { approval, reason }) {
      const changes = await revokeApproval(context, approval, reason);
      return { revoked: approval, changes, who: context.by, reason };
    },
  };

/** The document of `approve --revoke --json`. */
export interface RevokedApproval {
  readonly revoked: string;
  readonly changes: number;
  readonly who: string;
  readonly reason: string;
}

/** The document of `approve --list --json`: valid approvals. */
export interface ApprovalListing {
  readonly approvals: Awaited<ReturnType<typeof listApprovals>>;
  /** Approvals that ended for a reason other than time. */
  readonly lapsed?: Awaited<ReturnType<typeof listShortened>>;
}

export const APPROVALS: TenantOperation<Nothing, ApprovalListing> = {
  name: 'listApprovals',
  needs: 'a copy',
  async perform(context) {
    const lapsed = await listShortened(context);
    return { approvals: await listApprovals(context), ...(lapsed.length === 0 ? {} : { lapsed }) };
  },
};

/**
 * Releases what a guard holds, until the approval expires.
 *
 * @throws SyncError SYNC_APPROVAL_NOTHING, SYNC_APPROVAL_OVER, SYNC_PLAN_MISSING, SYNC_PLAN_DAMAGED, SYNC_CLI_USAGE,
 * SYNC_APPROVAL_SECOND, SYNC_APPROVAL_UNPROVEN
 */
export async function approve(context: DecisionContext, order: ApproveOrder): Promise<ApprovalOutcome> {
  for (let left = MOST_TRIES; ; left -= 1) {
    const chosen = await findApproved(context, order);
    const given = await giveApproval(context, order, chosen);
    if (given !== null) return describeGiven(context, order, chosen, given);
    if (left === 0) throw refuseMoving(chosen);
  }
}

/** A run may end during an approval, but several in a row are unlikely. */
const MOST_TRIES = 5;

interface WrittenApproval {
  readonly id: string;
  readonly expires: string;
  readonly isUntilRun: boolean;
  readonly weighed: WeighedApproval;
  readonly leftOut: readonly NotApproved[];
}

/**
 * Writes the approval in one transaction, because two people may approve at the same time, and a run may end. Returns null
 * if another plan has become the current one.
 *
 * @throws SyncError SYNC_APPROVAL_OVER if no approved change waits any more
 */
async function giveApproval(
  context: DecisionContext,
  order: ApproveOrder,
  { saved, current, approved }: ChosenPlan,
): Promise<WrittenApproval | null> {
  const { config, clock, by: who, via } = context;
  const { fourEyes, expiresMs } = config.approvals;
  const [id, now] = [newId('a', clock), isoNow(clock)];
  const isOfUndo = current.meta.undoes !== undefined;
  // An undo has no schedule, and an explicit time is exact.
  const isUntilRun = order.expires === undefined && config.schedule.every !== undefined && !isOfUndo;
  const before = await withStores(context, (stores) =>
    createFates(stores, { now, since: saved.meta.created, current }),
  );
  let given: WrittenApproval | null = null;
  await decide(context, (stores) => {
    // The time of an approval starts only after a pause.
    const fromMs = Date.parse(stores.pauses.find(now)?.until ?? now);
    const expires = new Date(fromMs + (order.expires ?? expiresMs)).toISOString();
    if (!isOfUndo && readNewestPlan(stores)?.plan !== current.meta.plan) return;
    const fateOf = createFates(stores, { now, since: current.meta.created, current });
    // Only an approval that names the change revokes a decline; the approval of an entire guard does not.
    const named = new Set(
      approved.chosen.flatMap(({ id: change, withheld }) => (withheld?.by === 'declined' ? [change] : [])),
    );
    if (approved.isWhole) for (const { changeId } of approved.given) named.add(changeId);
    const isOpen = ({ changeId }: { readonly changeId: string }) => {
      const { kind } = fateOf(changeId);
      return kind === 'held' || kind === 'approved' || (kind === 'declined' && named.has(changeId));
    };
    const open = approved.given.filter(isOpen);
    const over = approved.given.filter((one) => !isOpen(one));
    const leftOut = tellOver(over.map(({ changeId }) => tellFate(changeId, before, fateOf)));
    if (open.length === 0) throw refuseOver(leftOut, saved, current);
    const word = { who, via, now, fourEyes, isTimed: order.expires !== undefined };
    const weighed = weighApproval(stores.history, open, word);
    const text = {
      id,
      plan: saved.meta.plan,
      guards: approved.guards,
      who,
      via,
      reason: order.reason,
      at: now,
      expires,
      planned: approved.chosen,
    };
    writeApproval(stores, weighed, text);
    const passing = new Set([...weighed.passing, ...weighed.already].map(({ changeId }) => changeId));
    rememberLeftOut(stores, current, { id, at: now, passing });
    const replacing = approved.chosen.filter((change) => passing.has(change.id));
    replaceDeclines(stores, passing, replacing, { at: now, by: who, reason: order.reason, approval: id });
    if (isUntilRun && weighed.passing.length + weighed.half.length > 0) stores.history.keepUntilRun(id);
    given = { id, expires, isUntilRun, weighed, leftOut };
  });
  return given;
}

/** The earlier lookup has a more detailed text, unless the state of the change has changed in between. */
function tellFate(change: string, before: FateOf, now: FateOf): string {
  const early = before(change);
  return early.kind === 'held' || early.kind === 'approved' ? now(change).text : early.text;
}

function tellOver(texts: readonly string[]): readonly NotApproved[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([because, changes]) => ({ changes, because }));
}

/** Administrators must be approved by name, never as part of a group. */
function tellUnnamed(keys: readonly string[]): readonly NotApproved[] {
  if (keys.length === 0) return [];
  const who = keys.slice(0, 5).map((key) => `--who ${typedName('users', key)}`);
  return [{ changes: keys.length, because: `would make an administrator; approve by name: ${who.join(', ')}` }];
}

function refuseOver(leftOut: readonly NotApproved[], { file }: SavedPlan, { meta }: SavedPlan): SyncError {
  const told = leftOut.map(({ changes, because }) => `${plural(changes, 'change')} ${because}`).join(', ');
  return new SyncError('SYNC_APPROVAL_OVER', {
    message: `None of it is pending any more: ${told}.`,
    place: file,
    remedy: `Look at ${meta.plan}, the current plan, and approve what it holds.`,
  });
}

function refuseMoving({ saved }: ChosenPlan): SyncError {
  return new SyncError('SYNC_APPROVAL_OVER', {
    message: 'New plans were created in the meantime; nothing was approved.',
    place: saved.file,
    remedy: 'Look at the newest plan, and approve again.',
  });
}

function describeGiven(
  { by: who, clock }: DecisionContext,
  { reason }: ApproveOrder,
  { saved, approved }: ChosenPlan,
  { id, expires, isUntilRun, weighed, leftOut }: WrittenApproval,
): ApprovalOutcome {
  const { guards } = approved;
  const { plan, undoes } = saved.meta;
  const { passing, half, already } = weighed;
  const [before = null] = already;
  const outcome = { whole: approved.isWhole ? approved.what : null, before, undoes: undoes?.run ?? null };
  const counted = {
    ...{ approved: passing.length, already: already.length, waiting_for_second: half.length },
    left_out: [...leftOut, ...tellUnnamed(approved.unnamed)],
  };
  if (passing.length + half.length === 0 && before !== null) {
    const { id: known, who: by, reason: why, expiresAt } = before;
    const told = { approval: known, plan, ...counted, guards, causes: [], until_next_run: expiresAt <= isoNow(clock) };
    return { ...outcome, document: { ...told, who: by, reason: why, expires: expiresAt } };
  }
  const causes = saved.guards
    .filter((trip) => guards.includes(trip.guard))
    .map(({ guard, cause, detail, preview = null }) => ({ guard, cause, detail, preview }));
  const told = { approval: id, plan, ...counted, guards, causes, who, reason, expires, until_next_run: isUntilRun };
  return { ...outcome, document: told };
}

export interface ApprovalText {
  readonly id: string;
  readonly plan: string;
  readonly guards: readonly string[];
  readonly who: string;
  readonly via: ProofOfPerson;
  readonly reason: string;
  readonly at: string;
  readonly expires: string;
  /** The changes of the plan, whose objects the audit names; empty if the step is not a change. */
  readonly planned: readonly PlannedRecord[];
}

/** Writes state and audit together. Stores the released changes and those that need a second person. */
export function writeApproval(
  { history, audit }: Pick<Stores, 'history' | 'audit'>,
  { passing, half, confirmed }: WeighedApproval,
  { id, plan, guards, who, via, reason, at, expires, planned }: ApprovalText,
): void {
  const firsts = new Map(confirmed.map((one) => [one.changeId, one]));
  const row = { id, plan, at, expiresAt: expires, via };
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
  const changesOf = (list: readonly { readonly changeId: string }[]) => {
    const changes = list.map(({ changeId }) => changeId);
    return { changes, ...recordsOf(planned, changes) };
  };
  const confirms = [...new Set(confirmed.map((one) => `${one.id} by ${one.who}`))];
  if (half.length > 0) appendEvent(audit, { kind: 'approval asked', ...told, ...changesOf(half) });
  if (passing.length > 0)
    appendEvent(audit, {
      ...{ kind: 'approval given', ...told, ...changesOf(passing) },
      ...(confirms.length === 0 ? {} : { confirms }),
    });
}

/** The changes then name both people. */
function joinWords(first: Approval, who: string, reason: string): Pick<Approval, 'who' | 'reason'> {
  return { who: `${first.who} and ${who}`, reason: [first.reason, reason].filter(Boolean).join('; ') };
}

/**
 * Lists valid approvals and those that need a second person, oldest first. Approvals that were carried out or have expired
 * are not listed.
 */
export function listApprovals(context: OperationContext) {
  return withStores(context, ({ history }) => {
    const now = isoNow(context.clock);
    const list = (approvals: ReadonlyMap<string, Approval>, isHalf: boolean) =>
      [...groupBy(approvals.values(), ({ id }) => id)].map(([id, all]) => ({
        ...describeApproval(all),
        ...{ waits_for_second: isHalf, until_next_run: history.keptUntilRun().has(id) },
      }));
    const inForce = [...list(history.approvalsAt(now), false), ...list(history.halfApprovalsAt(now), true)];
    return inForce.sort((a, b) => (a.id < b.id ? -1 : 1));
  });
}

/**
 * Approvals from versions before 0.3 that name a delivery by 12 digits. The next run removes them and records that in the
 * audit.
 */
function listShortened(context: OperationContext) {
  return withStores(context, ({ history }) => {
    const short = history.lapsedApprovals(isoNow(context.clock)).filter(({ isShort }) => isShort);
    return [...groupBy(short, ({ id }) => id).values()].map((all) => ({
      ...describeApproval(all),
      because: SHORTENED,
    }));
  });
}

function describeApproval(all: readonly [Approval, ...Approval[]]) {
  const { id, who, reason, at, expiresAt, plan } = all[0];
  const guards = [...new Set(all.flatMap(({ guard }) => guard.split(' + ')))].sort();
  return { id, changes: all.length, guards, who, reason, at, expires: expiresAt, plan };
}

/**
 * Revokes an approval. The changes wait again from the next run on. The audit records the operator and the reason. Returns
 * the number of changes.
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
    if (changes === 0) return;
    const records = recordsDecided(audit, id, revoked);
    appendEvent(audit, { kind: 'approval revoked', at, by, approval: id, changes: revoked, reason, ...records });
  });
  if (changes > 0) return changes;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `There is no valid approval "${id}": it was carried out, it lapsed, or it never existed.`,
    place: '--revoke',
    remedy: '`talent-sync approve --list` lists the valid approvals.',
  });
}
