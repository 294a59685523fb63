import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { NamedHold } from '../model/desired.js';
import type { WaitingCause } from '../model/waiting.js';
import { listAnsweredSince, listWaiting } from '../planning/holds/list-waiting.js';
import { readWaitingPlan } from '../planning/holds/record-waiting.js';
import type { Stores } from '../store/open-stores.js';
import type { Nothing, TenantOperation } from './operation.js';
import { type OperationContext, withStores } from './with-stores.js';

export interface ListedHold extends NamedHold {
  /** True if a person can decide which side is right. */
  readonly decidable: boolean;
  /** ISO 8601: the time since which the same content has been held. */
  readonly since: string;
}

interface AllWaiting {
  /** The newest complete plan; null before the first. */
  readonly plan: string | null;
  /** Each hold separately. */
  readonly holds: readonly ListedHold[];
  /** All waiting items, each cause once. */
  readonly waiting: readonly WaitingCause[];
}

/** Reads the undecided items that the newest plans and runs have set aside, with current acknowledgements. */
export function readHolds(context: OperationContext): Promise<AllWaiting> {
  const { config, clock } = context;
  const now = isoNow(clock);
  return withStores(context, (stores) => ({
    plan: readWaitingPlan(stores),
    holds: listHolds(stores, now, 'open'),
    waiting: listWaiting({ config, stores }, now),
  }));
}

function listHolds({ waiting }: Stores, now: string, which: 'open' | 'all'): readonly ListedHold[] {
  return [...waiting.holds(now, which)].map((hold) => ({ ...hold, decidable: hold.conflict !== undefined }));
}

/** One waiting item, with the first of its holds. */
export interface WaitingDetail {
  readonly item: WaitingCause;
  readonly holds: readonly ListedHold[];
}

/** @throws SyncError SYNC_HOLD_UNKNOWN if no waiting item has that id */
export function readWaitingDetail(
  { config, clock }: OperationContext,
  stores: Stores,
  { id, most }: { readonly id: string; readonly most: number },
): WaitingDetail {
  const now = isoNow(clock);
  const waiting = listWaiting({ config, stores }, now);
  const item = waiting.find((one) => one.id === id || one.ids.includes(id));
  if (item === undefined) throw unknownHold(`Nothing is pending as "${id}" any more.`, config);
  const ids = new Set(item.ids);
  const holds: ListedHold[] = [];
  for (const hold of stores.waiting.holds(now, item.kind === 'decided' ? 'all' : 'open')) {
    if (ids.has(hold.id)) holds.push({ ...hold, decidable: hold.conflict !== undefined });
    if (holds.length >= most) break;
  }
  return { item, holds };
}

/** The form for documents. Ids are omitted, and `count` is their number. */
export function describeWaiting(waiting: readonly WaitingCause[]) {
  return waiting.map(({ ids: _ids, ...item }) => item);
}

/** The document of `holds list --json`. */
export interface HoldListing extends Pick<AllWaiting, 'plan' | 'holds'> {
  readonly waiting: ReturnType<typeof describeWaiting>;
}

export const HOLDS: TenantOperation<Nothing, HoldListing> = {
  name: 'listHolds',
  needs: 'a copy',
  async perform(context) {
    const { plan, holds, waiting } = await readHolds(context);
    const now = isoNow(context.clock);
    // An answer can be changed until the next run, so other operations also find answered questions.
    const answered = await withStores(context, (stores) => listAnsweredSince(stores, now).holds);
    return { plan, holds: holds.filter(({ id }) => !answered.has(id)), waiting: describeWaiting(waiting) };
  },
};

/** `hold` is the id of a hold, or a prefix of it. */
export const HOLD: TenantOperation<{ readonly hold: string }, { readonly hold: ListedHold }> = {
  name: 'readHold',
  needs: 'a copy',
  perform: async (context, { hold }) => ({ hold: await findHold(context, hold) }),
};

/** @throws SyncError SYNC_HOLD_UNKNOWN unless `id` is a prefix of exactly one hold */
export async function findHold(context: OperationContext, id: string): Promise<ListedHold> {
  const { holds } = await readHolds(context);
  return onlyOne(holds, id, context.config);
}

/** Finds a hold or a decided conflict. Until the next run carries out a decision, the decision can be changed. */
export async function findQuestion(context: OperationContext, id: string): Promise<ListedHold> {
  const now = isoNow(context.clock);
  const holds = await withStores(context, (stores) => listHolds(stores, now, 'all'));
  return onlyOne(holds, id, context.config);
}

/** One waiting item, in the form needed to acknowledge it. */
export interface WaitingMember extends Pick<NamedHold, 'acknowledged'> {
  readonly hold: string;
  readonly entity: string;
  /** '' if the item is not a record. */
  readonly key: string;
  readonly code: string;
}

/** Finds the holds that `id` names: one hold, or all holds with one cause. */
export async function findMembers(context: OperationContext, id: string): Promise<readonly WaitingMember[]> {
  const { holds, waiting } = await readHolds(context);
  const byId = new Map(holds.map((hold) => [hold.id, hold]));
  const { ids, of, kind, acknowledged } = onlyOne(
    [...holds.map((hold) => ({ ...hold, ids: [hold.id], of: hold.entity, kind: 'hold' })), ...waiting],
    id,
    context.config,
  );
  return ids.map((hold) => {
    const one = byId.get(hold);
    const known = one === undefined ? acknowledged : one.acknowledged;
    const { entity, key, code } = one ?? { entity: of, key: '', code: kind };
    return { hold, entity, key, code, ...(known === undefined ? {} : { acknowledged: known }) };
  });
}

function onlyOne<T extends { readonly id: string }>(all: readonly T[], id: string, config: Config): T {
  const found = all.filter((one) => one.id.startsWith(id));
  const [first] = found;
  const names = new Set(found.map((one) => one.id));
  if (first !== undefined && names.size === 1) return first;
  throw unknownHold(names.size > 1 ? `"${id}" matches ${names.size} holds.` : `Nothing is held as "${id}".`, config);
}

function unknownHold(message: string, { state }: Config): SyncError {
  return new SyncError('SYNC_HOLD_UNKNOWN', {
    message,
    place: state,
    remedy: '`talent-sync holds list` shows what is held, with their ids.',
  });
}
