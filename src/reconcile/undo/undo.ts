import { idOfIn } from '../../model/directory.js';
import { type Action, ENTITIES, type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Observed } from '../../model/observed.js';
import { isForGood, SOURCE_KEY } from '../../model/plan.js';
import { type Existence, LINK } from '../../model/undo.js';
import { isEmpty, pickFields } from '../fields/compare.js';
import { wordPath } from '../fields/leaves.js';
import { withScopeOfRoles } from '../fields/manager-scope.js';
import { DEACTIVATION } from '../leavers/plan-leavers.js';
import { orderUniqueValues } from '../order/order.js';
import { leaveTags } from './leave-tags.js';
import type { RunWork } from './run-work.js';
import { findNow, isBlankEntries } from './undo-change.js';
import { findRemovable } from './undo-contents.js';
import { planCreatedAway } from './undo-created.js';
import { compareWithBefore, propose, startUndo, type UndoDraft } from './undo-draft.js';
import { findRestorable } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';
import { report, reportForGood, reportLost, reportMoved, reportSent, reportStaying } from './undo-reports.js';

/**
 * Derives the inverse of a run:
 *
 * | the run                    | →                                                                  |
 * |----------------------------|--------------------------------------------------------------------|
 * | updated                    | the values before, if the service still holds what was written     |
 * | created a person           | deactivate: a person is never deleted                              |
 * | created anything else      | delete, if it is empty and nobody has changed it since             |
 * | deactivated                | reactivate, without an e-mail                                      |
 * | reactivated                | deactivate, and the values before                                  |
 * | relinked, linked, unlinked | the earlier link and values; the key is not matched automatically  |
 * | deleted a person           | nothing: no call brings the account and its CV back                |
 * | deleted anything else      | create again from the image before, under a new id                 |
 *
 * Parts that cannot be undone are held with the reason. Nothing is undone twice, because values that are already
 * restored need no change.
 */
export function planUndo(ports: UndoPorts): void {
  const { works } = ports.undone;
  for (const entity of ENTITIES) {
    for (const work of works) if (work.entity === entity) planWorkBack(work, ports);
    orderUniqueValues(entity, ports.managed.parking, ports);
  }
  // This comes last and in reverse order, because an object is deleted after the changes and deletions that empty it.
  for (const entity of [...ENTITIES].reverse()) {
    for (const work of works) if (work.entity === entity && isMadeAway(work)) planCreatedAway(work, ports);
  }
}

/** True for created objects other than people, because a person is never deleted. */
function isMadeAway({ entity, turn }: RunWork): boolean {
  return turn === 'create' && !isAccount(entity);
}

function planWorkBack(work: RunWork, ports: UndoPorts): void {
  const { entity, turn } = work;
  if (work.mailed) reportSent(work, ports);
  if (work.lost.length > 0) reportLost(work, ports);
  if (isMadeAway(work)) return;
  if (!ports.managed.isRead(entity)) {
    const because = `the configuration no longer manages any ${TRAITS[entity].singular}.`;
    const remedy = 'Add the entity to the configuration again, and repeat the undo.';
    report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy }, ports);
    return;
  }
  if (turn === 'delete') {
    if (isForGood({ entity, action: turn })) reportForGood(work, ports);
    else planAgain(work, ports);
    return;
  }
  const now = findNow(work, ports);
  if (now === null) return;
  if (turn === 'create') planCreatedPerson(work, now, ports);
  else planImageBack(work, now, ports);
}

function planCreatedPerson(work: RunWork, now: Observed, ports: UndoPorts): void {
  if (!now.active) return;
  const { before, after } = DEACTIVATION;
  const why = 'created by it, and a person is never deleted';
  propose(startUndo(work, now, { action: 'deactivate', before, after, existence: 'here', why }, ports));
}

/** Undoes an update, a deactivation or a reactivation: restores the earlier activation and fields in one change. */
function planImageBack(work: RunWork, now: Observed, ports: UndoPorts): void {
  const { entity, key, turn } = work;
  const link = ports.memory.link(entity, key);
  const written = link?.written ?? null;
  const idOf = idOfIn(ports.service.directory);
  const present = { entity, values: now.values, written, base: link?.base ?? null, untaken: link?.untaken ?? {}, idOf };
  const restoring = findRestorable(work, present);
  reportMoved(work, restoring, ports);
  const { takesOut, stays } = findRemovable(work, now, ports);
  reportStaying(work, stays, ports);
  const desired = withScopeOfRoles(leaveTags(work, restoring.wanted, ports), now, written);
  const action = inverseOf(turn, now);
  const draft = startUndo(work, now, { action, desired, takesOut, undone: restoring.undone }, ports);
  compareWithBefore(draft);
  if (work.link === null) planFieldsBack(draft);
  else planLinkBack(draft, now, work.link);
}

/** An account that already has its earlier activation only gets its fields back. */
function inverseOf(turn: RunWork['turn'], { active }: Observed): 'deactivate' | 'reactivate' | 'update' {
  if (turn === 'deactivate' && !active) return 'reactivate';
  return turn === 'reactivate' && active ? 'deactivate' : 'update';
}

/** The state that the record asked for when the run acted, which the sources must not bring back. */
const EXISTENCE_OF: Readonly<Partial<Record<Action, Existence>>> = { reactivate: 'gone', deactivate: 'here' };

function planFieldsBack(draft: UndoDraft): void {
  const { action, takesOut, undone = [] } = draft;
  if (action === 'deactivate') joinActivation(draft, DEACTIVATION);
  const existence = EXISTENCE_OF[action] ?? null;
  propose({
    ...draft,
    existence,
    undone: [
      ...undone.filter(({ path }) => fieldOf(path) in draft.after),
      ...takesOut.map(({ field, word }) => ({ path: wordPath(field, word), value: word })),
    ],
  });
}

/** Moves the link back to its earlier key, unless that key now has another object. */
function planLinkBack(draft: UndoDraft, now: Observed, { from, to }: NonNullable<RunWork['link']>): void {
  const { work, entity, action, ports } = draft;
  const holder = ports.service.linkedKey(entity, now.id);
  const other = from === null ? null : ports.memory.link(entity, from);
  const isFree = other === null || other.serviceId === now.id;
  if (holder === from && isFree) return;
  if (holder !== to || !isFree) {
    const because =
      holder !== to
        ? `it is now linked to record ${holder ?? 'none'}`
        : `record ${from} is now linked to another object`;
    const remedy = 'Look at both, and link them by hand: `talent-sync link`.';
    report(work, 'SYNC_UNDO_MOVED', { because: `${because}.`, remedy }, ports);
    return;
  }
  if (action !== 'update') {
    const deactivated = action === 'deactivate';
    joinActivation(draft, { before: { deactivated: !now.active }, after: { deactivated } });
  }
  const key = from ?? work.key;
  const pin = { path: LINK, value: now.id, mapping: ports.managed.digestMapping(entity, LINK) };
  propose({
    ...draft,
    work: { ...work, key },
    key,
    action: 'relink',
    before: { ...draft.before, [SOURCE_KEY]: to },
    after: { ...draft.after, [SOURCE_KEY]: from },
    takesOut: [],
    others: to === null ? [] : [{ entity, key: to, pins: [pin], restores: {} }],
    why: [to ?? 'no record', from ?? 'no record'].join(' → '),
  });
}

function joinActivation(draft: UndoDraft, { before, after }: Pick<UndoDraft, 'before' | 'after'>): void {
  draft.before = { ...draft.before, ...before };
  draft.after = { ...draft.after, ...after };
}

function fieldOf(path: string): string {
  return path.replace(/\..*$/, '');
}

/** Creates a deleted object again from its stored image, with another id, but for the same record. */
function planAgain(work: RunWork, ports: UndoPorts): void {
  const { entity, key, target } = work;
  // Only references to people may be missing, because other values cannot be restored from pseudonyms.
  if (work.lost.some((path) => !namesPerson(entity, path))) return;
  const link = ports.memory.link(entity, key);
  if (link !== null || (target !== null && ports.service.observed(entity, target) !== null)) return;
  const after = pickFields(work.before, (name, value) => {
    const field = FIELDS[entity][name];
    return field !== undefined && !isEmpty(value) && !isBlankEntries(field, value);
  });
  const lacking = Object.entries(FIELDS[entity]).flatMap(([name, { required }]) =>
    required === true && after[name] === undefined ? [name] : [],
  );
  if (lacking.length > 0) {
    const because = `its stored values lack ${lacking.join(' and ')}.`;
    report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy: 'Create it again in the service by hand.' }, ports);
    return;
  }
  const why = 'deleted by it; it gets a new id';
  propose(startUndo(work, null, { action: 'create', after, existence: 'gone', why }, ports));
}

function namesPerson(entity: Entity, path: string): boolean {
  const to = FIELDS[entity][fieldOf(path)]?.to;
  return to !== undefined && isAccount(to);
}
