import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { createDateWriter } from '../model/date-in-zone.js';
import { groupBy } from '../model/group-by.js';
import { isHeldSource, showGuard } from '../model/held-source.js';
import { isAnswerOnly } from '../model/identity-guards.js';
import { recordKeyOf } from '../model/plan.js';
import { type DeclinedValue, listLeaves } from '../planning/declined-values.js';
import { openPlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { readPlan, type SavedPlan } from '../planning/saved/read-plan.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { newId } from '../planning/saved/summary.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { recordsDecided, recordsOf } from '../store/audit/decided-records.js';
import type { Stores } from '../store/open-stores.js';
import type { DeclinePlace, StoredDecline } from '../store/state/decline-store.js';
import { readNewest } from './choose-approved.js';
import {
  type ChangeChoice,
  chooseAmong,
  findWhole,
  holdersOf,
  listSaved,
  listWaiting,
  type SavedChange,
} from './choose-changes.js';
import type { Nothing, TenantOperation } from './operation.js';
import { parseUntil } from './parse-until.js';
import { refuseIdentity } from './refuse-identity.js';
import { type DecisionContext, decide, type OperationContext, withStores } from './with-stores.js';

/** The changes to decline: by plan, guard, action or person, one by one, or one field of an update. */
export interface DeclineOrder extends ChangeChoice {
  /** The plan; by default the newest complete plan. */
  readonly plan?: string;
  /** `title` or `title.en`; for a write-back, a column. */
  readonly field?: string;
  readonly reason: string;
  /** A day in the tenant's time zone, or an ISO 8601 moment. By default, the decline lasts until the source value changes. */
  readonly until?: string;
}

/** The document of `decline --json`. Times are ISO 8601. */
export interface GivenDecline {
  readonly decline: string;
  readonly plan: string;
  readonly declined: number;
  readonly changes: readonly (Pick<DeclinedValue, 'action' | 'key' | 'label'> & {
    readonly id: string;
    readonly of: string;
    readonly fields: readonly string[];
  })[];
  readonly who: string;
  readonly reason: string;
  readonly until: string | null;
  /** The end as a day in the tenant's time zone, for people. */
  readonly day: string | null;
  /** Earlier approvals and declines of the same changes that this decline ends. */
  readonly ends: readonly string[];
}

export const DECLINE: TenantOperation<DeclineOrder, GivenDecline> = {
  name: 'decline',
  needs: 'a word',
  perform: decline,
};

/** The document of `decline --revoke --json`. */
export interface RevokedDecline {
  readonly revoked: string;
  readonly changes: number;
  readonly who: string;
  readonly reason: string;
}

export const REVOKE_DECLINE: TenantOperation<{ readonly decline: string; readonly reason: string }, RevokedDecline> = {
  name: 'revokeDecline',
  needs: 'a word',
  perform: revokeDecline,
};

/** The document of `decline --list --json`: valid declines. */
export interface DeclineListing {
  readonly declines: ReturnType<typeof describeDeclines>;
}

export const DECLINES: TenantOperation<Nothing, DeclineListing> = {
  name: 'listDeclines',
  needs: 'a copy',
  perform: (context) =>
    withStores(context, ({ declines }) => {
      return { declines: describeDeclines(declines.inForce(isoNow(context.clock)), context.config.timezone) };
    }),
};

/** Describes one entry per decision, oldest first. */
export function describeDeclines(inForce: readonly StoredDecline[], timezone: string) {
  return [...groupBy(inForce, ({ id }) => id)].map(([id, of]) => {
    const { who, reason, at, until, plan } = of[0];
    const values = of.map(({ scope, key, path, action, changeId: change }) => ({
      of: scope,
      key,
      path,
      action,
      change,
    }));
    const changes = new Set(of.map(({ changeId }) => changeId)).size;
    const actions = [...new Set(of.map(({ action }) => action))].sort();
    return { id, changes, actions, who, reason, at, until, ...describeUntil(until, timezone), plan, values };
  });
}

function describeUntil(until: string | null, timezone: string): { readonly day: string | null } {
  return { day: until === null ? null : createDateWriter(timezone)(new Date(until)) };
}

/**
 * Declines changes of a plan. Declined changes are not proposed again until the source asks for something else or the date
 * comes. One person is enough, even if an approval needs two.
 *
 * @throws SyncError SYNC_DECLINE_NOTHING, SYNC_DECLINE_IDENTITY, SYNC_APPROVAL_OVER, SYNC_PLAN_MISSING, SYNC_PLAN_DAMAGED,
 * SYNC_CLI_USAGE
 */
export async function decline(context: DecisionContext, order: DeclineOrder): Promise<GivenDecline> {
  const { clock, by: who } = context;
  const { reason } = order;
  const { timezone } = context.config;
  const until = order.until === undefined ? null : parseUntil(order.until, clock.now(), timezone);
  const current = await readNewest(context);
  const saved = order.plan === undefined ? current : await readGiven(context, order.plan);
  const chosen = await chooseValues(context, saved, order);
  const values = keepProposed(saved, current, chosen.values);
  const [id, at] = [newId('d', clock), isoNow(clock)];
  const { plan } = saved.meta;
  const given = { id, plan, who, reason, at, until };
  let ends: readonly string[] = [];
  await decide(context, (stores) => {
    ends = writeDecline(stores, values, given, { saved, holders: findHolders(saved, values), all: chosen.all });
  });
  const changes = groupByChange(values);
  const counted = { decline: id, plan, declined: changes.length, changes, who, reason, until };
  return { ...counted, ...describeUntil(until, timezone), ends };
}

type DeclineHead = Pick<StoredDecline, 'id' | 'plan' | 'who' | 'reason' | 'at' | 'until'>;

interface Guarded {
  readonly saved: SavedPlan;
  /** The guards that hold each change. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
  /** All values of the changes. */
  readonly all: readonly DeclinedValue[];
}

/** Writes state and audit together. Returns the approvals and declines that this decline ends. */
function writeDecline(
  stores: Stores,
  values: readonly DeclinedValue[],
  given: DeclineHead,
  { saved, holders, all }: Guarded,
): readonly string[] {
  const { declines, heldChanges, history, links, audit } = stores;
  const changes = [...new Set(values.map(({ changeId }) => changeId))];
  const [known, halves] = [history.approvalsAt(given.at), history.halfApprovalsAt(given.at)];
  const approvals = changes.flatMap((change) => known.get(change)?.id ?? halves.get(change)?.id ?? []);
  for (const change of changes) history.spendApproval(change);
  const places = new Set(values.map(pathKey));
  const earlier = declines.inForce(given.at);
  const replaced = earlier.filter((one) => places.has(pathKey(one)));
  // If only a part of a change is declined, the rest still needs the decision of its guards.
  const declined = new Set([...values, ...earlier].map(valueKey));
  const inPart = new Set(all.flatMap((one) => (declined.has(valueKey(one)) ? [] : [one.changeId])));
  takeBack(stores, replaced, { at: given.at, by: given.who, reason: given.reason });
  declines.decline(
    values.map(({ scope, key, path, value, mapping, changeId, action }) => {
      const guards = inPart.has(changeId) ? '' : (holders.get(changeId) ?? []).join(' + ');
      return { scope, key, path, value, mapping, changeId, action, guards, ...given };
    }),
  );
  for (const { entity, scope, key, field } of values) {
    // Every run now compares the record, because only this shows that the source asks for something else.
    if (entity !== null) links.disagree(entity, key);
    // While the decline is valid, guards do not count it. A revoked decline does not become an approval.
    if (field !== null) heldChanges.releaseAll(scope, key, field, given.id);
  }
  const ends = [...new Set([...approvals, ...replaced.map((one) => one.id)])];
  const { id, at, who, reason, until, plan } = given;
  const fields = [...new Set(values.flatMap(({ isPart, path }) => (isPart ? [path] : [])))].sort();
  const guards = [...new Set([...holders.values()].flat())].sort();
  const ofGuards = guards.length === 0 ? {} : { guards };
  const records = recordsOf(listSaved(saved), changes);
  const what = {
    decline: id,
    plan,
    changes,
    ...records,
    ...ofGuards,
    ...(fields.length === 0 ? {} : { fields }),
    until,
  };
  appendEvent(audit, { kind: 'change declined', at, by: who, reason, ...what, ...(ends.length === 0 ? {} : { ends }) });
  return ends;
}

function pathKey({ scope, key, path }: DeclinePlace): string {
  return JSON.stringify([scope, key, path]);
}

function valueKey(one: DeclinePlace & Pick<StoredDecline, 'value'>): string {
  return `${pathKey(one)} ${one.value}`;
}

/** The guards that hold each declined change; a delivery is its own guard. */
function findHolders(saved: SavedPlan, values: readonly DeclinedValue[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Set(values.map(({ changeId }) => changeId));
  const held = listWaiting(saved).filter(({ id }) => ids.has(id));
  const deliveries = [...ids].filter(isHeldSource);
  return new Map([
    ...held.map((change) => [change.id, holdersOf(change)] as const),
    ...deliveries.map((guard) => [guard, [guard]] as const),
  ]);
}

function groupByChange(values: readonly DeclinedValue[]): GivenDecline['changes'] {
  return [...groupBy(values, ({ changeId }) => changeId)].map(([id, of]) => {
    const { scope, action, key, label } = of[0];
    return { id, of: scope, action, key, label, fields: of.flatMap(({ isPart, path }) => (isPart ? [path] : [])) };
  });
}

async function readGiven(context: OperationContext, plan: string): Promise<SavedPlan> {
  const file = findPlanFile(plansFolder(context.config), plan, 'all');
  const saved = await withStores(context, (stores) => readPlan(file, stores.planKey()));
  if (saved.meta.undoes === undefined) return saved;
  throw nothing(
    saved,
    'The plan undoes a run: an operator asked for its changes, not a source.',
    'Ignore it: it does nothing by itself.',
  );
}

/**
 * Keeps the changes of an older plan that the newest complete plan still proposes.
 *
 * @throws SyncError SYNC_DECLINE_NOTHING if no change is left
 */
function keepProposed(
  saved: SavedPlan,
  current: SavedPlan,
  values: readonly DeclinedValue[],
): readonly DeclinedValue[] {
  if (current.meta.plan === saved.meta.plan) return values;
  const proposed = new Set([...listSaved(current).map(({ id }) => id), ...current.guards.map(({ guard }) => guard)]);
  const left = values.filter(({ changeId }) => proposed.has(changeId));
  if (left.length > 0) return left;
  throw nothing(
    saved,
    'The newest plan proposes none of these changes.',
    `Look at ${current.meta.plan}, the newest plan.`,
  );
}

async function chooseValues(
  context: OperationContext,
  saved: SavedPlan,
  order: DeclineOrder,
): Promise<{ readonly values: readonly DeclinedValue[]; readonly all: readonly DeclinedValue[] }> {
  const { guard, action, who, changes, field } = order;
  if ([guard, action, who, changes].every((one) => one === undefined))
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to decline.',
      place: 'decline',
      remedy: 'Name it with --guard, --action or --who; `talent-sync plan` shows the changes.',
    });
  if (guard !== undefined && isHeldSource(guard)) {
    const values = [chooseDelivery(saved, guard)];
    return { values, all: values };
  }
  const meant = chooseAmong(listSaved(saved), order);
  // Only a decline that names the change replaces an earlier decision.
  const isNamed = who !== undefined || changes !== undefined;
  const decided = isNamed ? new Set<string>() : await listDecided(context, meant);
  const chosen = meant.filter(({ id }) => !decided.has(id));
  await refuseIdentity(chosen, order, () => openDocument(context, saved));
  if (meant.length === 0) throw nothing(saved, 'No change in the plan matches.', planText(saved));
  if (chosen.length === 0)
    throw nothing(
      saved,
      'All of these changes are already approved or declined.',
      'Revoke that decision, or name each change with --who or select it on the page.',
    );
  const document = await openDocument(context, saved);
  const all = await listLeaves(
    context.config,
    document,
    chosen.map(({ id }) => id),
  );
  const left = field === undefined ? all : all.filter((one) => isOfField(one, field));
  if (left.length > 0)
    return { values: left.map((one) => (isWhole(one, all, left) ? one : { ...one, field: null })), all };
  const names = [...new Set(all.flatMap(({ isPart, path }) => (isPart ? [path] : [])))].sort();
  if (names.length > 0)
    throw nothing(saved, `None of these changes affects the field "${field}".`, `They affect ${names.join(', ')}.`);
  throw nothing(
    saved,
    field === undefined
      ? 'These changes exist only because other changes need them, and are declined together with those.'
      : 'None of these changes is an update.',
    field === undefined ? 'Decline the change that needs them.' : 'Decline them without --field.',
  );
}

/** The ids of changes that someone has approved or declined, in the plan or since then. */
function listDecided(context: OperationContext, changes: readonly SavedChange[]): Promise<ReadonlySet<string>> {
  const now = isoNow(context.clock);
  return withStores(context, ({ history }) => {
    const [approvals, declines] = [history.approvalsAt(now), history.declinedAt(now)];
    const decided = changes.filter(({ id, withheld }) => {
      const approval = approvals.get(id);
      // An answer to a question of identity does not approve the change, and a decline without guards may be of one field.
      const isApproved = approval !== undefined && !isAnswerOnly(approval.guard);
      return withheld?.by === 'declined' || isApproved || (declines.get(id)?.guards ?? '') !== '';
    });
    return new Set(decided.map(({ id }) => id));
  });
}

/** True if all values of the same field are declined. */
function isWhole(one: DeclinedValue, all: readonly DeclinedValue[], meant: readonly DeclinedValue[]): boolean {
  const isOfField = ({ changeId, field }: DeclinedValue) => changeId === one.changeId && field === one.field;
  return all.filter(isOfField).length === meant.filter(isOfField).length;
}

function openDocument(context: OperationContext, { file }: SavedPlan): ReturnType<typeof openPlanDocument> {
  return withStores(context, (stores) => openPlanDocument(file, stores.planKey()));
}

function isOfField({ isPart, path }: DeclinedValue, field: string): boolean {
  return isPart && (path === field || path.startsWith(`${field}.`));
}

function chooseDelivery(saved: SavedPlan, typed: string): DeclinedValue {
  const { waiting, meant } = findWhole(saved, typed);
  const [guard, ...others] = meant;
  if (guard === undefined || others.length > 0) {
    const message =
      guard === undefined ? `Nothing is pending as ${showGuard(typed)}.` : `${typed} matches several deliveries.`;
    throw nothing(saved, message, `Pending: ${waiting.map(showGuard).join(', ') || 'nothing of that kind'}.`);
  }
  const whole = { key: '', path: '', value: guard, mapping: '', changeId: guard, action: 'delivery' };
  return { ...whole, scope: guard, entity: null, field: null, isPart: false, label: guard };
}

function planText({ changes, toSources, meta }: SavedPlan): string {
  const names = new Set([
    ...changes.map(({ entity, action }) => `${entity}.${action}`),
    ...(toSources.length === 0 ? [] : ['overwrite']),
  ]);
  return `Actions in ${meta.plan}: ${[...names].sort().join(', ') || 'none'}.`;
}

function nothing({ file }: Pick<SavedPlan, 'file'>, message: string, remedy: string): SyncError {
  return new SyncError('SYNC_DECLINE_NOTHING', { message, place: file, remedy });
}

/**
 * Revokes a decline, so that its changes are proposed again from the next run on.
 *
 * @throws SyncError SYNC_DECLINE_NOTHING
 */
async function revokeDecline(
  context: DecisionContext,
  { decline: id, reason }: { readonly decline: string; readonly reason: string },
): Promise<RevokedDecline> {
  const { by: who } = context;
  const at = isoNow(context.clock);
  let changes: readonly string[] = [];
  await decide(context, (stores) => {
    changes = takeBack(stores, stores.declines.ofId(id), { at, by: who, reason });
  });
  if (changes.length > 0) return { revoked: id, changes: changes.length, who, reason };
  throw new SyncError('SYNC_DECLINE_NOTHING', {
    message: `There is no valid decline "${id}": it ended, or it never existed.`,
    place: '--revoke',
    remedy: '`talent-sync decline --list` lists the valid declines.',
  });
}

interface TakenBack {
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  readonly approval?: string;
}

/** Ends declines in state and audit together. Returns the ids of their changes. */
function takeBack(
  { declines, audit }: Pick<Stores, 'declines' | 'audit'>,
  rows: readonly StoredDecline[],
  decision: TakenBack,
): readonly string[] {
  declines.end(rows);
  for (const id of new Set(rows.map((row) => row.id))) {
    const of = rows.filter((row) => row.id === id);
    const changes = [...new Set(of.map(({ changeId }) => changeId))];
    const records = recordsDecided(audit, id, changes);
    appendEvent(audit, { kind: 'decline revoked', ...decision, decline: id, changes, ...records });
  }
  return [...new Set(rows.map(({ changeId }) => changeId))];
}

/** Replaces declines with a full approval of the same changes, in the transaction that writes the approval. */
export function replaceDeclines(
  stores: Pick<Stores, 'declines' | 'audit'>,
  ids: ReadonlySet<string>,
  approved: readonly Pick<SavedChange, 'entity' | 'key' | 'source' | 'record' | 'withheld'>[],
  decision: TakenBack & { readonly approval: string },
): void {
  const parts = new Set(
    approved.flatMap(({ entity, key, source, record, withheld }) => {
      const isDeclined = withheld?.by === 'declined' || / ?\S+\.declined\b/.test(withheld?.name ?? '');
      if (!isDeclined) return [];
      return [placeOf(source === undefined ? entity : `sources.${source}`, record ?? recordKeyOf(key))];
    }),
  );
  const rows = stores.declines
    .inForce(decision.at)
    .filter(({ scope, key, changeId }) => ids.has(changeId) || parts.has(placeOf(scope, key)));
  if (rows.length > 0) takeBack(stores, rows, decision);
}

function placeOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
