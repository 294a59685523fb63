import { SyncError } from '../../../src/base/errors.js';
import type { PlannedChange } from '../../../src/model/plan.js';
import { APPROVE, REVOKE_APPROVAL } from '../../../src/operations/approve.js';
import { DECLINE, REVOKE_DECLINE } from '../../../src/operations/decline.js';
import type { DecisionContext } from '../../../src/operations/with-stores.js';
import { endDeclines, forget, type Ledger, type No, rememberHeld, type Word } from './ledger.js';
import type { Decision, Month, Somebody } from './month.js';

/** A plan as a person sees it. */
export interface SeenPlan {
  readonly plan: string;
  readonly changes: readonly PlannedChange[];
  /** Guards that tripped. */
  readonly guards: readonly string[];
}

export interface Desk {
  readonly ledger: Ledger;
  readonly month: Month;
  /** Oldest first; the last one counts. */
  readonly plans: readonly SeenPlan[];
  readonly contextOf: (by: Somebody) => DecisionContext;
}

/** The errors that a person may get instead of an answer. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['SYNC_APPROVAL_NOTHING', 'SYNC_APPROVAL_OVER', 'SYNC_APPROVAL_SECOND', 'SYNC_PLAN_MISSING'],
  ...['SYNC_DECLINE_NOTHING', 'SYNC_DECLINE_IDENTITY'],
]);
const DAY = 86_400_000;
const RESTORED = 'state.restored';

/**
 * Lets a person decide, and records what the decision covers according to the plan. @returns whether it was accepted
 */
export async function decide(desk: Desk, decision: Decision): Promise<boolean> {
  try {
    return await DECIDE[decision.kind](desk, decision);
  } catch (error) {
    if (error instanceof SyncError && REFUSALS.has(error.code)) return false;
    throw error;
  }
}

const DECIDE: Readonly<Record<Decision['kind'], (desk: Desk, decision: Decision) => Promise<boolean>>> = {
  approve,
  decline,
  async 'revoke approval'({ ledger, contextOf }, { at, by }) {
    const approval = pick([...ledger.words.keys()], at);
    if (approval === undefined) return false;
    await REVOKE_APPROVAL.perform(contextOf(by), { approval, reason: 'not so' });
    ledger.words.delete(approval);
    if (ledger.restored?.approval === approval) ledger.restored.approval = null;
    return true;
  },
  async 'revoke decline'({ ledger, contextOf }, { at, by }) {
    const decline = pick([...ledger.declines.keys()], at);
    if (decline === undefined) return false;
    await REVOKE_DECLINE.perform(contextOf(by), { decline, reason: 'not so' });
    ledger.declines.delete(decline);
    return true;
  },
};

async function approve({ ledger, month, plans, contextOf }: Desk, { how, at, by }: Decision): Promise<boolean> {
  const newest = plans.at(-1);
  const plan = how === 'older plan' ? pick(plans, at) : newest;
  if (plan === undefined || newest === undefined) return false;
  const { order, chosen } = choose(plan, { how, at });
  if (order === null) return false;
  const { approval, approved, already } = await APPROVE.perform(contextOf(by), { ...order, reason: 'as agreed' });
  if (order.guard === RESTORED && approved > 0 && ledger.restored !== null) ledger.restored.approval = approval;
  if (approved + already === 0 && !month.fourEyes) return true;
  const held = new Map(newest.changes.map((change) => [change.id, change.withheld?.name ?? '']));
  const seen = new Map(chosen.map(({ id, withheld }) => [id, held.get(id) ?? withheld?.name ?? '']));
  const isAll = approved > 0 && approved === chosen.length;
  const known = ledger.words.get(approval);
  const word: Word = known ?? { by, atMs: contextOf(by).clock.now(), seen, owed: new Set(isAll ? seen.keys() : []) };
  ledger.words.set(approval, word);
  for (const { key, withheld } of approved > 0 ? chosen : [])
    for (const guard of withheld?.name.split(' + ') ?? []) {
      const held = ledger.held.get(`${guard} ${key}`);
      if (held !== undefined) ledger.held.set(`${guard} ${key}`, { ...held, approval });
    }
  if (!isAll) return true;
  const keys = new Set(chosen.map(({ key }) => key.split('~')[0] ?? ''));
  endDeclines(ledger, ({ key, change }) => keys.has(key) || seen.has(change));
  // Changes of the newest plan that the decision left out are held from now on.
  const others = newest.changes.filter(({ id }) => !seen.has(id));
  rememberHeld(ledger, { run: `approval ${approval}`, isComplete: false }, others);
  return true;
}

interface Chosen {
  readonly order: { plan?: string; guard?: string; who?: string; changes?: readonly string[] } | null;
  /** Chosen by the plan, without asking the program. */
  readonly chosen: readonly PlannedChange[];
}

function choose({ plan, changes, guards }: SeenPlan, { how, at }: Pick<Decision, 'how' | 'at'>): Chosen {
  const held = changes.filter(({ withheld }) => withheld?.by === 'guard');
  const none = { order: null, chosen: [] };
  if (how === 'guard') {
    const guard = pick(guards, at);
    if (guard === undefined) return none;
    return { order: { guard }, chosen: held.filter(({ withheld }) => withheld?.name === guard) };
  }
  if (how === 'person') {
    const open = changes.filter(({ withheld }) => withheld?.by === 'guard' || withheld?.by === 'declined');
    const key = pick(open, at)?.key.split('~')[0];
    if (key === undefined) return none;
    return { order: { who: `user:${key}` }, chosen: open.filter((one) => one.key.split('~')[0] === key) };
  }
  const chosen = held.filter((_, index) => (index + at) % 3 > 0);
  if (chosen.length === 0) return none;
  return { order: { plan, changes: chosen.map(({ id }) => id) }, chosen };
}

async function decline({ ledger, plans, contextOf }: Desk, decision: Decision): Promise<boolean> {
  const { at, by, days, isField } = decision;
  const newest = plans.at(-1);
  const one = pick(newest?.changes ?? [], at);
  if (newest === undefined || one === undefined) return false;
  const key = one.key.split('~')[0] ?? '';
  const context = contextOf(by);
  const untilMs = days === null ? null : Math.floor(context.clock.now() / 1000) * 1000 + days * DAY;
  const given = await DECLINE.perform(context, {
    ...{ who: `user:${key}`, reason: 'stays', ...(isField ? { field: 'title' } : {}) },
    ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
  });
  const nos = newest.changes.flatMap((change): readonly No[] => {
    if (change.entity !== 'users' || change.key.split('~')[0] !== key) return [];
    const what = isField ? titleOf(change) : askedOf(change);
    return what === null ? [] : [{ key, change: change.id, what, untilMs }];
  });
  for (const { id } of given.changes) forget(ledger, id);
  for (const guard of ledger.held.keys()) if (guard.endsWith(` ${key}`)) ledger.held.delete(guard);
  endDeclines(ledger, (no) => nos.some(({ what }) => no.key === key && typeof what === typeof no.what));
  ledger.declines.set(given.decline, nos);
  return true;
}

function askedOf(change: PlannedChange): No['what'] | null {
  if (change.action === 'deactivate' || change.action === 'delete') return 'gone';
  return change.action === 'create' || change.action === 'reactivate' ? 'here' : titleOf(change);
}

function titleOf({ action, after }: PlannedChange): No['what'] | null {
  const title = (after.title as { readonly en?: string } | undefined)?.en;
  return action !== 'update' || title === undefined ? null : { title };
}

export function pick<T>(all: readonly T[], at: number): T | undefined {
  return all[at % Math.max(all.length, 1)];
}
