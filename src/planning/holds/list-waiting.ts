import type { Config } from '../../config/config.js';
import { createDateFormatter, writeEnd } from '../../model/date-in-zone.js';
import { findEntity } from '../../model/entity.js';
import { groupBy } from '../../model/group-by.js';
import { isHeldWhole, readHeldSource } from '../../model/held-source.js';
import { typedName } from '../../model/typed.js';
import { WAITING_KINDS, type WaitingCause, type WaitingItem } from '../../model/waiting.js';
import type { DecidedConflict } from '../../store/mirror/waiting-store.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';
import type { Approval } from '../../store/state/history-store.js';
import { digestMapping } from '../pins.js';
import { readNewestPlan } from '../saved/newest-plan.js';
import { readOpenUndo } from '../saved/open-undo.js';
import { type AnsweredIdentities, readAnswered } from './asked-identities.js';
import { type GivenDecisions, listFound } from './list-found.js';
import { listOutbox } from './list-outbox.js';
import { listRefused } from './list-refused.js';
import { readApprovedBefore } from './record-waiting.js';
import { acknowledgedBy, firstOf, KEYS_TOLD, nameItem, plainItem } from './waiting-item.js';

/** The tenant for which pending items are listed. */
export interface AskedTenant {
  readonly config: Pick<Config, 'mappings' | 'users' | 'notify' | 'timezone' | 'reports' | 'documents'>;
  readonly stores: Stores;
}

/**
 * The only query for all pending items of all runs. `status`, `holds list`, metrics and pages use it. It reads only the
 * state folder, even during a run. Each cause appears once, the most urgent kind first. Decisions since the newest plan
 * are taken into account.
 *
 * @param now ISO 8601
 */
export function listWaiting({ config, stores }: AskedTenant, now: string): readonly WaitingCause[] {
  const approvals = [...stores.history.approvalsAt(now).values()];
  const halves = [...stores.history.halfApprovalsAt(now).values()];
  const before = readApprovedBefore(stores);
  const others = [
    ...listDeliveries(config, stores),
    ...listOutboxes(config, stores),
    ...listChannels(config, stores, now),
    ...listOpenUndo(stores, now),
    ...listOpenCalls(stores),
    ...listApproved(
      approvals.filter((one) => !isUsed(one, stores)),
      before,
      now,
    ),
    ...listJoiners(config, stores),
    ...listDeclined(config, stores, now),
    ...listUndone(stores),
  ];
  const known = stores.acknowledgements.inForce(now);
  const items = [
    ...listFound(stores.waiting.groups(now), {
      ...{ approvals, halves, before },
      answered: listAnsweredSince(stores, now),
      declined: listDeclinedSince(stores, now),
    }),
    ...listDecided(stores, now),
    ...listRefused(stores, known),
    ...others.map((item) => ({ ...item, ids: [item.id], ...acknowledgedBy(known.get(item.id)) })),
  ];
  const rank = ({ kind }: WaitingItem): number => WAITING_KINDS.indexOf(kind);
  return items
    .map((item) => ({ ...item, ...findLabel(stores, item) }))
    .sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

/** Questions of identity that were answered since the newest plan. */
export function listAnsweredSince(stores: Stores, now: string): AnsweredIdentities {
  const before = readApprovedBefore(stores);
  const since = [...stores.history.approvalsAt(now).values()].filter(({ changeId }) => !before.has(changeId));
  return readAnswered(stores, since);
}

/** The name of the record, if the item concerns only one. */
function findLabel({ links, mirror, work }: Stores, { of, count, keys }: WaitingItem): Pick<WaitingItem, 'label'> {
  const [entity, [key]] = [findEntity(of), keys];
  if (entity === undefined || key === undefined || count > 1) return {};
  const link = links.find(entity, key);
  const object = link === null ? null : mirror.get(entity, link.serviceId);
  const label = object?.label ?? work.recordBefore(entity, key)?.label ?? null;
  return label === null ? {} : { label };
}

/** Declines that the newest plan does not know yet. The items that it holds for them are no longer pending. */
function listDeclinedSince(stores: Stores, now: string): readonly StoredDecline[] {
  const { at: planned = now } = readNewestPlan(stores) ?? {};
  return stores.declines.inForce(now).filter(({ scope, at }) => isHeldWhole(scope) || at > planned);
}

/** Decided conflicts that no run has applied yet; one item per person and reason. */
function listDecided({ waiting }: Stores, now: string): readonly WaitingCause[] {
  const nameOf = ({ entity, winner, who, reason }: DecidedConflict): string =>
    JSON.stringify([entity, winner, who, reason]);
  return [...groupBy(waiting.decided(now), nameOf)].map(([name, of]) => {
    const { entity, winner, who, reason } = of[0];
    const ids = of.map(({ id }) => id);
    const [since = null] = of.map(({ at }) => at).sort();
    return {
      ...plainItem('decided', entity, of.length),
      id: ids.length === 1 ? (ids[0] ?? '') : nameItem('decided', name),
      ids,
      cause: `${who} decided that the ${winner} is right: ${reason || 'no reason given'}`,
      resolve: 'No action needed: the next run carries it out.',
      since,
      keys: firstOf(of.flatMap(({ key }) => key ?? [])),
    };
  });
}

/** True if an approved delivery has been read, so its approval releases nothing more. */
function isUsed({ guard }: Approval, { history }: Stores): boolean {
  const held = readHeldSource(guard);
  return held !== null && history.lastCompleteRead(held.source)?.digest.startsWith(held.digest) === true;
}

/** Reports and documents that could not be delivered when they were due; each run tries them again. */
function listDeliveries({ reports, documents }: AskedTenant['config'], { deliveries }: Stores): readonly WaitingItem[] {
  return [...reports, ...documents].flatMap(({ name }) => {
    const { failure, last } = deliveries.of(name);
    if (failure === null) return [];
    const message = failure.place == null ? failure.message : `${failure.place}: ${failure.message}`;
    const failing = last?.documents?.failing ?? 0;
    const cause = failing > 1 ? `${failing} documents, the first: ${message}` : message;
    const since = new Date(failure.atMs).toISOString();
    return [{ ...plainItem('delivery', name, 1), cause, resolve: failure.remedy, code: failure.code, since }];
  });
}

function listOutboxes(config: AskedTenant['config'], stores: Stores): readonly WaitingItem[] {
  return listOutbox(config, stores).map(({ source, records, refused, lost, since }) => {
    const cause = [...(refused > 0 ? [`${refused} rejected`] : []), ...(lost > 0 ? [`${lost} lost`] : [])].join(', ');
    const resolve = `Wait until ${source} shows it. If it does not, check that it is imported there.`;
    const id = nameItem('write_back', source, since);
    const code = refused > 0 ? 'SYNC_WRITE_BACK_REFUSED' : null;
    return { ...plainItem('write_back', source, records), id, code, cause, resolve, since };
  });
}

/** A channel that fails for this long has a lasting problem. */
const FAILING_LONG_MS = 3_600_000;

function listChannels({ notify: wanted }: AskedTenant['config'], { notify }: Stores, now: string) {
  const waiting = new Map(notify.queues().map((queue) => [queue.channel, queue.waiting]));
  const names = new Set(wanted?.channels.map(({ name }) => name));
  return notify.channels().flatMap(({ channel, failingSince: since, failure }): readonly WaitingItem[] => {
    if (!names.has(channel) || since === null) return [];
    if (Date.parse(now) - Date.parse(since) < FAILING_LONG_MS) return [];
    const resolve = `\`talent-sync notify test --channel ${channel}\` shows the answer. Pending messages are sent again within an hour.`;
    const cause = `Cannot be sent: ${failure ?? 'no answer'}`;
    return [{ ...plainItem('channel', channel, waiting.get(channel) ?? 0), cause, resolve, since }];
  });
}

/** The plan of an undo that an operator has requested and nobody has confirmed. */
function listOpenUndo(stores: Stores, now: string): readonly WaitingItem[] {
  const open = readOpenUndo(stores, now);
  if (open === null) return [];
  const { plan, run, changes, at, expires } = open;
  const cause = `Planned to undo run ${run}, and not confirmed yet`;
  const resolve = `\`talent-sync apply ${plan}\`, or no action: the plan expires.`;
  return [{ ...plainItem('undo', plan, changes), cause, resolve, since: at, until: expires }];
}

function listOpenCalls({ journal }: Stores): readonly WaitingItem[] {
  const open = journal.open();
  const since = open.map(({ at }) => at).sort()[0] ?? null;
  const cause = 'Started, but without an outcome';
  const item = { ...plainItem('call', 'service', open.length), cause, since, resolve: 'The next run looks them up.' };
  return open.length === 0 ? [] : [item];
}

function listApproved(
  approvals: readonly Approval[],
  before: GivenDecisions['before'],
  now: string,
): readonly WaitingItem[] {
  // An approval stays valid until it lapses, even if no plan contains its change and no run applies it.
  const isGone = ({ guard, changeId }: Approval): boolean => !isHeldWhole(guard) && before.get(changeId) === false;
  const isPlanned = (one: Approval): boolean => !isGone(one);
  const planned = { cause: 'Approved, but not carried out yet', resolve: '`talent-sync sync`' };
  const gone = {
    cause: 'Approved, but not in the newest plan',
    resolve: 'No action needed: it lapses. To revoke it, use its id from `talent-sync approve --list`.',
  };
  return [
    ...listPerGuard(approvals.filter(isPlanned), planned, now),
    ...listPerGuard(approvals.filter(isGone), gone, now).map((item) => ({
      ...item,
      id: nameItem('approved', item.id),
    })),
  ];
}

function listPerGuard(
  approvals: readonly Approval[],
  said: Pick<WaitingItem, 'cause' | 'resolve'>,
  now: string,
): readonly WaitingItem[] {
  const guards = [...new Set(approvals.map(({ guard }) => guard))];
  return guards.map((guard) => {
    const given = approvals.filter((one) => one.guard === guard);
    const [since = null] = given.map(({ at }) => at).sort();
    // An expired approval stays valid until the next run that may write.
    const [until = null] = given.flatMap(({ expiresAt }) => (expiresAt > now ? expiresAt : [])).sort();
    return { ...plainItem('approved', guard, given.length), ...said, since, until };
  });
}

function listJoiners({ users, timezone }: AskedTenant['config'], { waiting }: Stores): readonly WaitingItem[] {
  const joiner = users?.joiner ?? null;
  const early = joiner === null ? [] : waiting.early();
  const [first] = early;
  if (first === undefined) return [];
  const starts = first.starts === null ? null : new Date(Date.parse(first.starts) - (joiner?.leadMs ?? 0));
  const until = starts === null ? null : createDateFormatter(timezone)(starts);
  const cause = 'The first day of work is in the future';
  const resolve = 'No action needed: the account is created in time. `talent-sync explain user KEY` says when.';
  return [
    {
      ...plainItem('joiner', 'users', early.length),
      cause,
      resolve,
      until,
      keys: firstOf(early.map(({ key }) => key)),
    },
  ];
}

/** One item for each decision, with everything that it declines. */
function listDeclined(
  config: Pick<AskedTenant['config'], 'timezone' | 'mappings' | 'users'>,
  { declines }: Stores,
  now: string,
): readonly WaitingItem[] {
  // A decline under an edited configuration is listed under a guard of its own.
  const open = declines.inForce(now).filter(({ scope, path, mapping }) => {
    const entity = findEntity(scope);
    return entity === undefined || digestMapping(config, entity, path) === mapping;
  });
  return [...groupBy(open, ({ id }) => id)].map(([id, of]) => {
    const { who, reason, at, until } = of[0];
    const end = until === null ? 'until the source value changes' : `until ${writeEnd(config.timezone, until)}`;
    const cause = `Declined by ${who} ${end}: ${reason || 'no reason given'}`;
    const resolve = `No action needed. To propose it again: \`talent-sync decline --revoke ${id} --reason "…"\``;
    const count = new Set(of.map(({ changeId }) => changeId)).size;
    const actions = [...new Set(of.map(({ action }) => action))].sort().join(', ');
    const keys = firstOf([...new Set(of.map(({ key }) => key).filter((key) => key !== ''))]);
    return { ...plainItem('declined', actions, count), id, cause, resolve, since: at, until, keys };
  });
}

function listUndone({ pins }: Stores): readonly WaitingItem[] {
  const count = pins.count();
  const cause = 'Undone by an operator, and not repeated';
  const records = pins.firstRecords(KEYS_TOLD);
  const [first] = records;
  if (first === undefined) return [];
  const resolve = `Change it in the source, or allow it again, one record at a time: \`talent-sync undo --unpin ${typedName(first.entity, first.key)}\``;
  return [{ ...plainItem('undone', 'values', count), cause, resolve, keys: firstOf(records.map(({ key }) => key)) }];
}
