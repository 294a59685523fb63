import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { isHeldWhole, STATE_LOST, STATE_RESTORED, showGuard } from '../model/held-source.js';
import { asksSameOrAnother } from '../model/identity-guards.js';
import { isTicked, recordKeyOf } from '../model/plan.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/saved/plan-file.js';
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

/** What may pass: by plan, guard, action or person, or change by change. */
export interface ApproveOrder extends ChangeChoice {
  /** The newest without it. */
  readonly plan?: string;
  readonly reason: string;
  /** Milliseconds it holds; `approvals.expires` without it. */
  readonly expires?: number;
}

export interface Approved {
  readonly given: readonly { readonly changeId: string; readonly guard: string }[];
  /** Keys of those who would become administrators by what the order means, and are not named by it. */
  readonly unnamed: readonly string[];
  /** The changes; none where something is approved as a whole. */
  readonly chosen: readonly SavedChange[];
  /** Names of the guards that hold it, or of the one thing that waits as a whole. */
  readonly guards: readonly string[];
  /** `a delivery of`, before the name of the plan; blank where changes are counted. */
  readonly what: string;
  /** A delivery, or a lost state, and no changes one by one. */
  readonly isWhole: boolean;
}

/** What an order is about. */
export interface ChosenPlan {
  /** The plan that was looked at. */
  readonly saved: SavedPlan;
  /** The plan that counts: the newest of everything, or that of an undo, which stands by itself. */
  readonly current: SavedPlan;
  readonly approved: Approved;
}

/**
 * Without a plan the newest one of everything is meant; that of an undo where it is newer and holds it. What is chosen by
 * another plan, older or of a part, is looked for in the newest one of everything.
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

/** What somebody has said is the same, or not, since the plan was made waits for its other guards alone. */
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
 * The newest plan of everything under the configuration in force.
 *
 * @throws SyncError SYNC_PLAN_MISSING, SYNC_APPROVAL_OVER
 */
export async function readNewest(context: OperationContext): Promise<SavedPlan> {
  const { config } = context;
  const newest = await withStores(context, readNewestPlan);
  if (newest === null) {
    throw new SyncError('SYNC_PLAN_MISSING', {
      message: 'There is no plan of everything yet. A plan with `--only` or `--as-of` is not decided on.',
      place: plansFolder(config),
      remedy: 'Make one with `talent-sync plan`, look at it, and decide again.',
    });
  }
  if (newest.config !== config.digest) {
    throw new SyncError('SYNC_APPROVAL_OVER', {
      message: `The configuration was edited after plan ${newest.plan}, the newest one.`,
      place: config.file,
      remedy: 'Make a new plan with `talent-sync plan`, look at it, and decide again.',
    });
  }
  return await readSaved(context, findPlanFile(plansFolder(config), newest.plan, 'all'));
}

/** What an older plan chose, by the guards that hold it now: one that none of the named guards releases is left out. */
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

/** What is approved about the state, before the name of the plan. */
const WHOLE: Readonly<Record<string, string>> = {
  [STATE_LOST]: 'to go on without the lost state, after',
  [STATE_RESTORED]: 'to go on with the restored state, after',
};

function namesOf(guards: readonly string[]): readonly string[] {
  return [...new Set(guards.flatMap((name) => name.split(' + ')))];
}

/** A delivery, or a state that was lost: by its whole name, or how it begins where no other one begins like that. */
function findHeldWhole(saved: SavedPlan, typed: string): string {
  const { waiting, meant } = findWhole(saved, typed);
  const [found, ...others] = meant;
  if (found !== undefined && others.length === 0) return found;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: found === undefined ? `Nothing waits as ${showGuard(typed)}.` : `${typed} names several deliveries.`,
    place: saved.file,
    remedy: `Waiting in ${saved.meta.plan}: ${(others.length === 0 ? waiting.map(showGuard) : [found, ...others]).join(', ') || 'nothing of that kind'}.`,
  });
}
