import { isHeldWhole } from '../../model/held-source.js';
import { generalise, joinAlike } from '../../model/hold-cause.js';
import type { WaitingCause } from '../../model/waiting.js';
import type { WaitingGroup } from '../../store/mirror/waiting-store.js';
import type { StoredDecline } from '../../store/state/decline-store.js';
import type { Approval } from '../../store/state/history-store.js';
import type { AnsweredIdentities } from './asked-identities.js';
import type { readApprovedBefore } from './record-waiting.js';
import { acknowledgedBy, firstOf, nameItem } from './waiting-item.js';

export interface GivenDecisions {
  readonly approvals: readonly Approval[];
  readonly halves: readonly Approval[];
  /** Changes approved before the newest full plan, and whether that plan contains them. */
  readonly before: ReturnType<typeof readApprovedBefore>;
  /** Questions of identity that were answered since. */
  readonly answered: AnsweredIdentities;
  /** Declines of deliveries, and declines given after the newest full plan. */
  readonly declined: readonly StoredDecline[];
}

/** Lists the findings of the newest plans, without those that were decided since. */
export function listFound(
  groups: readonly WaitingGroup[],
  { approvals, halves, before, answered, declined }: GivenDecisions,
): readonly WaitingCause[] {
  // Undone values are listed by their pins. Declined values and deliveries are listed by their declines.
  const whole = new Set(declined.map(({ scope }) => scope));
  const found = groups.filter(({ kind, entity }) => kind !== 'undone' && !(isHeldWhole(entity) && whole.has(entity)));
  const open = found.flatMap((group) => withoutAnswered(group, answered));
  return joinLoneCauses(open).flatMap((group) => {
    if (!isByApproval(group)) return [causeOfGroup(group)];
    const ofGuard = ({ guard }: Approval): boolean => guard.split(' + ').includes(group.entity);
    // The plan does not contain changes approved before it was created. For the plan of an undo this is not known.
    const isSince = ({ changeId }: Approval): boolean => group.scope !== '' || !before.has(changeId);
    const isHeld = ({ changeId }: Approval): boolean => group.scope !== '' || before.get(changeId) !== false;
    const refused =
      group.scope === '' ? countDeclined(declined, group.entity) + (answered.linked.get(group.entity) ?? 0) : 0;
    return listGuarded(
      { ...group, count: group.count - refused },
      approvals.filter((one) => ofGuard(one) && isSince(one)),
      halves.filter((one) => ofGuard(one) && isHeld(one)),
    );
  });
}

/** Leaves out the answered questions of a group; returns nothing if none is left. */
function withoutAnswered(group: WaitingGroup, { holds }: AnsweredIdentities): readonly WaitingGroup[] {
  const left = group.ids.flatMap((id, i) => (holds.has(id) ? [] : [{ id, key: group.keys[i] }]));
  const gone = group.ids.length - left.length;
  if (gone === 0 || group.scope !== '') return [group];
  if (left.length === 0) return [];
  return [
    {
      ...group,
      ids: left.map(({ id }) => id),
      keys: left.flatMap(({ key }) => key ?? []),
      count: group.count - gone,
      rows: group.rows - gone,
    },
  ];
}

/** Number of changes that the guard held when they were declined. One decline has a row for each value of a change. */
function countDeclined(declined: readonly StoredDecline[], guard: string): number {
  const own = declined.filter(({ guards }) => guards.split(' + ').includes(guard));
  return new Set(own.map(({ changeId }) => changeId)).size;
}

/** Lists changes that nobody has approved yet, and those that wait for a second person, by the person who approved first. */
function listGuarded(
  group: WaitingGroup,
  approvals: readonly Approval[],
  halves: readonly Approval[],
): readonly WaitingCause[] {
  // An approval of everything does not list individual changes.
  const count = ({ length }: readonly Approval[]): number =>
    isHeldWhole(group.entity) && length > 0 ? group.count : length;
  const approved = count(approvals);
  const open = group.count - approved - count(halves);
  const second = [...new Set(halves.map(({ who }) => who))].map((who) => {
    const own = halves.filter((half) => half.who === who);
    const id = nameItem('second', group.entity, who);
    const resolve = `Approved by ${who}: ${own[0]?.reason ?? ''}. A second person must approve it: ${group.resolve}`;
    const item = { ...causeOfGroup({ ...group, count: count(own) }), resolve, approved_by: who };
    // An item that contains everything left over keeps the earlier id.
    return count(own) === group.count - approved ? item : { ...item, id, ids: [id, ...group.ids] };
  });
  return [...(open > 0 ? [causeOfGroup({ ...group, count: open })] : []), ...second];
}

function isByApproval({ kind, entity }: WaitingGroup): boolean {
  return kind === 'guard' || (kind === 'source' && entity.includes(':'));
}

/**
 * Joins records with causes of the same kind, such as different unreadable dates, into one cause. Joins many causes of
 * one kind too.
 */
function joinLoneCauses(groups: readonly WaitingGroup[]): readonly WaitingGroup[] {
  const joined = new Map<string, WaitingGroup>();
  for (const group of groups) {
    const { kind, entity, code, cause, rows, acknowledged } = group;
    const isLone = rows === 1 && isOfRecords(group);
    const own = [kind, entity, code, isLone ? generalise(cause) : cause, isLone, acknowledged?.reason ?? null];
    const name = JSON.stringify(own);
    const known = joined.get(name);
    joined.set(name, known === undefined ? group : joinGroups(known, group));
  }
  return joinAlike([...joined.values()], kindOf, joinGroups);
}

function isOfRecords({ kind }: WaitingGroup): boolean {
  return kind === 'record' || kind === 'field' || kind === 'refused';
}

function kindOf(group: WaitingGroup): string {
  return JSON.stringify([
    nameCause(group),
    isOfRecords(group) ? null : group.cause,
    group.acknowledged?.reason ?? null,
  ]);
}

function joinGroups(one: WaitingGroup, other: WaitingGroup): WaitingGroup {
  return {
    ...one,
    cause: generalise(one.cause),
    count: one.count + other.count,
    rows: one.rows + other.rows,
    ids: [...one.ids, ...other.ids],
    since: one.since < other.since ? one.since : other.since,
    keys: [...one.keys, ...other.keys],
  };
}

function causeOfGroup(group: WaitingGroup): WaitingCause {
  const { kind, entity, code, cause, ids, keys, acknowledged, resolve, count, since } = group;
  return {
    id: ids.length === 1 ? (ids[0] ?? '') : nameCause(group),
    ids,
    kind,
    of: entity,
    count,
    cause: cause === '' ? (code ?? '') : cause,
    resolve,
    code,
    since,
    until: null,
    keys: firstOf(keys),
    ...acknowledgedBy(acknowledged ?? undefined),
  };
}

function nameCause({ kind, entity, code, cause }: WaitingGroup): string {
  return nameItem(kind, entity, code ?? '', generalise(cause));
}
