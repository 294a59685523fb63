import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { isHeldWhole, STATE_LOST, STATE_RESTORED, showGuard } from '../model/held-source.js';
import { asksSameOrAnother } from '../model/identity-guards.js';
import { isTicked, recordKeyOf } from '../model/plan.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { readPlan, type SavedPlan } from '../planning/saved/read-plan.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import type { Approval } from '../store/state/history-store.js';
import {
  asksWhich,
  type ChangeChoice,
  chooseAmong,
  chooseWaiting,
  findWhole,
  listWaiting,
  readNames,
  refuseHalf,
  type SavedChange,
} from './choose-changes.js';
import { type OperationContext, withStores } from './with-stores.js';

/** Names the changes to approve: by plan, guard, action or person, or one by one. */
export interface ApproveOrder extends ChangeChoice {
  /** Default: the newest plan. */
  readonly plan?: string;
  readonly reason: string;
  /** How long the approval is valid, in milliseconds; default `approvals.expires`. */
  readonly expires?: number;
}

export interface Approved {
  readonly given: readonly { readonly changeId: string; readonly guard: string }[];
  /** Keys of people who would become administrators but are not named in the order. */
  readonly unnamed: readonly string[];
  /** The changes; empty if something is approved as one unit. */
  readonly chosen: readonly SavedChange[];
  /** Names of the guards that hold the changes, or of the unit that is held. */
  readonly guards: readonly string[];
  /** `a delivery of`, to precede the name of the plan; blank if changes are counted. */
  readonly what: string;
  /** True if a delivery or a lost state is approved instead of single changes. */
  readonly isWhole: boolean;
}

/** The plans and changes that an order refers to. */
export interface ChosenPlan {
  /** The plan that the operator looked at. */
  readonly saved: SavedPlan;
  /** The current plan: the newest complete plan, or the independent plan of an undo. */
  readonly current: SavedPlan;
  readonly approved: Approved;
}

/**
 * Finds the changes to approve. Without a plan, it uses the newest complete plan, or a newer undo plan if that holds the
 * changes. Changes from an older or partial plan are looked up in the newest complete plan.
 */
export async function findApproved(context: OperationContext, order: ApproveOrder): Promise<ChosenPlan> {
  const folder = plansFolder(context.config);
  const looked = await readSaved(context, findPlanFile(folder, order.plan ?? null, 'all'));
  const given = await withStores(context, ({ history }) => history.approvalsAt(isoNow(context.clock)));
  const choose = (saved: SavedPlan, current: SavedPlan): ChosenPlan => {
    return { saved, current, approved: chooseApproved(withoutAnswered(saved, given), order) };
  };
  if (looked.meta.undoes !== undefined && order.plan !== undefined) return choose(looked, looked);
  const ofUndo = looked.meta.undoes === undefined ? null : tryTo(() => choose(looked, looked));
  if (ofUndo !== null) return ofUndo;
  const newest = await readNewest(context);
  if (order.plan === undefined) return choose(newest, newest);
  const chosen = choose(looked, newest);
  return looked.meta.plan === newest.meta.plan ? chosen : asHeldNow(chosen, order);
}

function readSaved(context: OperationContext, file: string): Promise<SavedPlan> {
  return withStores(context, (stores) => readPlan(file, stores.planKey()));
}

/**
 * Removes identity guards that have been answered since the plan was created. The changes then wait only for their other
 * guards.
 */
function withoutAnswered(saved: SavedPlan, approvals: ReadonlyMap<string, Approval>): SavedPlan {
  const isOpen = (id: string, guard: string): boolean => !asksSameOrAnother(guard) || !approvals.has(id);
  const changes = saved.changes.map((change) => {
    const { id, withheld } = change;
    if (withheld?.by !== 'guard') return change;
    const left = withheld.name.split(' + ').filter((guard) => isOpen(id, guard));
    return { ...change, withheld: left.length === 0 ? null : { ...withheld, name: left.join(' + ') } };
  });
  return { ...saved, changes };
}

function tryTo<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_APPROVAL_NOTHING') return null;
    throw error;
  }
}

/**
 * Reads the newest complete plan under the current configuration.
 *
 * @throws SyncError SYNC_PLAN_MISSING, SYNC_APPROVAL_OVER
 */
export async function readNewest(context: OperationContext): Promise<SavedPlan> {
  const { config } = context;
  const newest = await withStores(context, readNewestPlan);
  if (newest === null) {
    throw new SyncError('SYNC_PLAN_MISSING', {
      message: 'There is no complete plan yet. A plan with `--only` or `--as-of` cannot be approved or declined.',
      place: plansFolder(config),
      remedy: 'Create one with `talent-sync plan`, look at it, and decide again.',
    });
  }
  if (newest.config !== config.digest) {
    throw new SyncError('SYNC_APPROVAL_OVER', {
      message: `The configuration was edited after plan ${newest.plan}, the newest one.`,
      place: config.file,
      remedy: 'Create a new plan with `talent-sync plan`, look at it, and decide again.',
    });
  }
  return await readSaved(context, findPlanFile(plansFolder(config), newest.plan, 'all'));
}

/** Maps changes of an older plan to the guards that hold them now. Omits changes that the named guards do not release. */
function asHeldNow(chosen: ChosenPlan, { guard }: ApproveOrder): ChosenPlan {
  const { approved, current } = chosen;
  if (approved.isWhole) return chosen;
  const now = new Map(listWaiting(current).map((change) => [change.id, change]));
  const isPlain = ({ changeId }: { readonly changeId: string }): boolean => {
    const change = now.get(changeId);
    return change === undefined || !asksWhich(change);
  };
  const given = approved.given.filter(isPlain).map(({ changeId, guard: before }) => {
    const change = now.get(changeId);
    return { changeId, guard: change?.withheld?.name ?? before };
  });
  if (guard !== undefined)
    refuseHalf(
      given.flatMap(({ changeId }) => now.get(changeId) ?? []),
      readNames(guard),
      current,
    );
  return { ...chosen, approved: { ...approved, given, guards: namesOf(given.map(({ guard: name }) => name)) } };
}

function chooseApproved(saved: SavedPlan, order: ApproveOrder): Approved {
  if (order.guard !== undefined && isHeldWhole(order.guard)) {
    const hold = findHeldWhole(saved, order.guard);
    const what = WHOLE[hold] ?? 'a delivery of';
    const given = [{ changeId: hold, guard: hold }];
    return { given, unnamed: [], chosen: [], guards: [hold], what, isWhole: true };
  }
  const chosen = chooseWaiting(saved, order);
  const unnamed = chooseAmong(listWaiting(saved), order).filter(
    (change) => isTicked(change) && !chosen.includes(change),
  );
  return {
    chosen,
    unnamed: unnamed.map(({ key }) => recordKeyOf(key)),
    given: chosen.map((change) => ({ changeId: change.id, guard: change.withheld?.name ?? '' })),
    guards: namesOf(chosen.map(({ withheld }) => withheld?.name ?? '')),
    what: '',
    isWhole: false,
  };
}

/** Names of state approvals, in words that precede the name of the plan. */
const WHOLE: Readonly<Record<string, string>> = {
  [STATE_LOST]: 'to continue without the lost state, after',
  [STATE_RESTORED]: 'to continue with the restored state, after',
};

function namesOf(guards: readonly string[]): readonly string[] {
  return [...new Set(guards.flatMap((name) => name.split(' + ')))];
}

/** Finds a delivery or a lost state by its full name, or by a prefix that matches nothing else. */
function findHeldWhole(saved: SavedPlan, typed: string): string {
  const { waiting, meant } = findWhole(saved, typed);
  const [found, ...others] = meant;
  if (found !== undefined && others.length === 0) return found;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message:
      found === undefined ? `Nothing is pending as ${showGuard(typed)}.` : `${typed} matches several deliveries.`,
    place: saved.file,
    remedy: `Pending in ${saved.meta.plan}: ${(others.length === 0 ? waiting.map(showGuard) : [found, ...others]).join(', ') || 'nothing of that kind'}.`,
  });
}
