import { SyncError } from '../errors.js';
import { isHeldWhole, STATE_LOST, STATE_RESTORED, showGuard } from '../model/held-source.js';
import { foldKey } from '../model/observed.js';
import { recordKeyOf } from '../model/plan.js';
import { parseSelector } from '../planning/only.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { plural } from '../report/sections/words.js';
import type { ApproveOrder } from './approve.js';
import { type OperationContext, withStores } from './with-stores.js';

/** Of a change to a source the action is that something in it is overwritten. */
type SavedChange = Omit<SavedPlan['changes'][number], 'action' | 'fields'> & {
  readonly action: string;
  readonly source?: string;
};

export interface Approved {
  readonly given: readonly { readonly changeId: string; readonly guard: string }[];
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
  const read = (file: string): Promise<SavedPlan> => withStores(context, (stores) => readPlan(file, stores.planKey()));
  const looked = await read(findPlanFile(folder, order.plan ?? null, 'all'));
  const choose = (saved: SavedPlan, current: SavedPlan): ChosenPlan => {
    return { saved, current, approved: chooseApproved(saved, order) };
  };
  if (looked.meta.undoes !== undefined && order.plan !== undefined) return choose(looked, looked);
  const ofUndo = looked.meta.undoes === undefined ? null : tryTo(() => choose(looked, looked));
  if (ofUndo !== null) return ofUndo;
  const newest = await readNewest(context, read);
  if (order.plan === undefined) return choose(newest, newest);
  const chosen = choose(looked, newest);
  return looked.meta.plan === newest.meta.plan ? chosen : asHeldNow(chosen, order);
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
async function readNewest(context: OperationContext, read: (file: string) => Promise<SavedPlan>): Promise<SavedPlan> {
  const { config } = context;
  const newest = await withStores(context, readNewestPlan);
  if (newest === null) {
    throw new SyncError('SYNC_PLAN_MISSING', {
      message: 'There is no plan of everything yet. A plan with `--only` or `--as-of` is not decided on.',
      place: plansFolder(config),
      remedy: 'Make one with `talent-sync plan`, look at it, and approve again.',
    });
  }
  if (newest.config !== config.digest) {
    throw new SyncError('SYNC_APPROVAL_OVER', {
      message: `The configuration was edited after plan ${newest.plan}, the newest one.`,
      place: config.file,
      remedy: 'Make a new plan with `talent-sync plan`, look at it, and approve again.',
    });
  }
  return await read(findPlanFile(plansFolder(config), newest.plan, 'all'));
}

/** What an older plan chose, by the guards that hold it now: one that none of the named guards releases is left out. */
function asHeldNow(chosen: ChosenPlan, { guard }: ApproveOrder): ChosenPlan {
  const { approved, current } = chosen;
  if (approved.isWhole) return chosen;
  const now = new Map(listWaiting(current).map((change) => [change.id, change]));
  const named = readNames(guard);
  const given = approved.given.map(({ changeId, guard: before }) => {
    const change = now.get(changeId);
    return { changeId, guard: change?.withheld?.name ?? before };
  });
  if (named !== undefined)
    refuseHalf(
      given.flatMap(({ changeId }) => now.get(changeId) ?? []),
      named,
      current,
    );
  return { ...chosen, approved: { ...approved, given, guards: namesOf(given.map(({ guard: name }) => name)) } };
}

function chooseApproved(saved: SavedPlan, order: ApproveOrder): Approved {
  if (order.guard !== undefined && isHeldWhole(order.guard)) {
    const hold = findHeldWhole(saved, order.guard);
    const what = WHOLE[hold] ?? 'a delivery of';
    const given = [{ changeId: hold, guard: hold }];
    return { given, guards: [hold], what, isWhole: true };
  }
  const chosen = chooseChanges(saved, order);
  return {
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
  const waiting = saved.guards.map(({ guard }) => guard).filter((guard) => isHeldWhole(guard));
  const [found, ...others] = waiting.filter((guard) => guard.startsWith(typed));
  if (found !== undefined && others.length === 0) return found;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: found === undefined ? `Nothing waits as ${showGuard(typed)}.` : `${typed} names several deliveries.`,
    place: saved.file,
    remedy: `Waiting in ${saved.meta.plan}: ${(others.length === 0 ? waiting.map(showGuard) : [found, ...others]).join(', ') || 'nothing of that kind'}.`,
  });
}

function listWaiting(saved: SavedPlan): readonly SavedChange[] {
  const toSources = saved.toSources.map((change) => ({ ...change, action: 'overwrite' }));
  return [...saved.changes, ...toSources].filter(({ withheld }) => withheld?.by === 'guard');
}

function readNames(guard: string | undefined): readonly string[] | undefined {
  return guard?.split(',').map((name) => name.trim());
}

function chooseChanges(saved: SavedPlan, { guard, action, who, changes }: ApproveOrder): readonly SavedChange[] {
  const waiting = listWaiting(saved);
  if ([guard, action, who, changes].every((choice) => choice === undefined)) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to approve.',
      place: 'approve',
      remedy: `Name it with --guard, --action or --who; waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const named = readNames(guard);
  const chosen = waiting.filter(
    (change) =>
      (named === undefined || holdersOf(change).some((name) => named.includes(name))) &&
      (action === undefined || `${change.entity}.${change.action}` === action || change.action === action) &&
      (who === undefined || isWho(change, who)) &&
      (changes === undefined || changes.includes(change.id)),
  );
  if (chosen.length === 0) {
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: 'Nothing in the plan waits for that approval.',
      place: saved.file,
      remedy: `Waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  return named === undefined ? chosen : refuseHalf(chosen, named, saved);
}

/** To approve a new title is not to approve a new name: a change that several guards hold waits for all of them. */
function refuseHalf(
  chosen: readonly SavedChange[],
  named: readonly string[],
  saved: SavedPlan,
): readonly SavedChange[] {
  const whole = chosen.filter((change) => holdersOf(change).every((name) => named.includes(name)));
  if (whole.length > 0 || chosen.length === 0) return whole;
  const all = [...new Set(chosen.flatMap(holdersOf))].sort();
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(chosen.length, 'change')} of that guard ${chosen.length === 1 ? 'is' : 'are'} held by another one too.`,
    place: saved.file,
    remedy: `Approve them for all of the guards: --guard ${all.join(',')}.`,
  });
}

function holdersOf({ withheld }: SavedChange): readonly string[] {
  return withheld?.name.split(' + ') ?? [];
}

function isWho(change: SavedChange, who: string): boolean {
  const { entity, words } = parseSelector(who.includes(':') ? who : `user:${who}`, '--who');
  // What is done for the sake of a person is named by that person too.
  const names = [change.key, recordKeyOf(change.key), change.label, /<([^>]*)>$/.exec(change.label)?.[1] ?? ''];
  return change.entity === entity && names.some((name) => foldKey(name) === words);
}

function listGuards(waiting: readonly SavedChange[], { guards }: SavedPlan): string {
  const sources = guards.filter(({ guard }) => isHeldWhole(guard));
  const counts = new Map(sources.map(({ guard, held }) => [showGuard(guard), held]));
  for (const change of waiting) for (const name of holdersOf(change)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts.size === 0 ? 'nothing' : [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}
