import type { TakenOut } from '../../model/copies.js';
import { idOfIn } from '../../model/directory.js';
import { type Action, ENTITIES, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isForGood, SOURCE_KEY } from '../../model/plan.js';
import { type Existence, LINK, type UndoneRecord } from '../../model/undo.js';
import { claimValues } from '../fields/claim-values.js';
import { isEmpty } from '../fields/compare.js';
import { batchOfLink } from '../fields/cv-rules.js';
import { diffValues } from '../fields/diff.js';
import { wordPath } from '../fields/leaves.js';
import { withScopeOfRoles } from '../fields/manager-scope.js';
import { guardProtected } from '../fields/protect.js';
import { resolveNames } from '../fields/references.js';
import { DEACTIVATION } from '../leavers/plan-leavers.js';
import { orderUniqueValues } from '../order/order.js';
import type { RunWork } from './run-work.js';
import { findNow, isBlankEntries, plan } from './undo-change.js';
import { findRemovable } from './undo-contents.js';
import { planCreatedAway } from './undo-created.js';
import { findRestorable, type Restoring } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';
import { report, reportForGood, reportLost, reportMoved, reportSent, reportStaying } from './undo-reports.js';

/**
 * Derives the inverse of what a run did:
 *
 * | the run                    | →                                                                  |
 * |----------------------------|--------------------------------------------------------------------|
 * | updated                    | the values before, where the service still holds what was written  |
 * | created a person           | deactivate: a person is never deleted                              |
 * | created anything else      | delete, where it is empty and nobody has changed it since          |
 * | deactivated                | reactivate, without an e-mail                                      |
 * | reactivated                | deactivate, and the values before                                  |
 * | relinked, linked, unlinked | the link as it was, with the values before; the key is not matched again by itself |
 * | deleted a person           | nothing: no call brings the account and its CV back                |
 * | deleted anything else      | create again from the image before, under a new id                 |
 *
 * What cannot be taken back is held and says why. Nothing is done twice: what is as before already needs no change.
 */
export function planUndo(works: readonly RunWork[], ports: UndoPorts): void {
  for (const entity of ENTITIES) {
    for (const work of works) if (work.entity === entity) planInverse(work, works, ports);
    orderUniqueValues(entity, ports.parking, ports);
  }
  // Last, and the other way round: what is deleted must be empty of what the changes above and deletions before take out.
  for (const entity of [...ENTITIES].reverse()) {
    for (const work of works) {
      if (work.entity === entity && work.turn === 'create' && entity !== 'users') planCreatedAway(work, works, ports);
    }
  }
}

function planInverse(work: RunWork, works: readonly RunWork[], ports: UndoPorts): void {
  const { entity, turn } = work;
  if (work.mailed) reportSent(work, ports);
  if (work.lost.length > 0) reportLost(work, ports);
  if (turn === 'create' && entity !== 'users') return;
  if (!ports.isRead(entity)) {
    report(
      work,
      'SYNC_UNDO_IMPOSSIBLE',
      `the configuration does not manage any ${TRAITS[entity].singular} any more.`,
      'Put the entity back into the configuration, and undo again.',
      ports,
    );
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
  else planBack(work, now, works, ports);
}

function planCreatedPerson(work: RunWork, now: Observed, ports: UndoPorts): void {
  if (!now.active) return;
  const why = 'created by it, and a person is never deleted';
  propose(
    work,
    now,
    'deactivate',
    { before: { deactivated: false }, after: { deactivated: true } },
    'here',
    [],
    why,
    ports,
  );
}

/** An update, a deactivation or a reactivation: activation and fields as they were, in one change. */
function planBack(work: RunWork, now: Observed, works: readonly RunWork[], ports: UndoPorts): void {
  const { entity, key, turn } = work;
  const link = ports.link(entity, key);
  const restoring = findRestorable(work, {
    values: now.values,
    written: link?.written ?? null,
    untaken: link?.untaken ?? {},
    idOf: idOfIn(ports.service.directory),
  });
  reportMoved(work, restoring, ports);
  const { takesOut, stays } = findRemovable(work, now, ports);
  reportStaying(work, stays, ports);
  const wanted = withScopeOfRoles(leaveTags(work, restoring.wanted, works, ports), now, link?.written ?? null);
  const restored = diffBack(work, wanted, now, link?.written ?? null, ports);
  const action =
    turn === 'deactivate' && !now.active ? 'reactivate' : turn === 'reactivate' && now.active ? 'deactivate' : 'update';
  const activation = action === 'deactivate' ? DEACTIVATION : { before: {}, after: {} };
  if (work.link !== null) {
    const activation =
      action === 'update' ? { before: {}, after: {} } : describeActivation(action === 'deactivate', now.active);
    planLinkBack(work, work.link, now, joinDifferences(restored, activation), restoring.undone, ports);
    return;
  }
  const values = {
    before: { ...restored.before, ...activation.before },
    after: { ...restored.after, ...activation.after },
    takesOut,
  };
  if (action === 'update' && Object.keys(values.after).length + takesOut.length === 0) return;
  const existence = action === 'reactivate' ? 'gone' : action === 'deactivate' ? 'here' : null;
  const undone = [
    ...restoring.undone.filter(({ path }) => fieldOf(path) in values.after),
    ...takesOut.map(({ field, word }) => ({ path: wordPath(field, word), value: word })),
  ];
  propose(work, now, action, values, existence, undone, '', ports);
}

function describeActivation(deactivated: boolean, was: boolean): { readonly before: Values; readonly after: Values } {
  return { before: { deactivated: !was }, after: { deactivated } };
}

function joinDifferences(a: { readonly before: Values; readonly after: Values }, b: typeof a): typeof a {
  return { before: { ...a.before, ...b.before }, after: { ...a.after, ...b.after } };
}

/** The link goes back to the key that had it, unless that one stands for something else by now. */
function planLinkBack(
  work: RunWork,
  { from, to }: NonNullable<RunWork['link']>,
  now: Observed,
  difference: { readonly before: Values; readonly after: Values },
  undone: Restoring['undone'],
  ports: UndoPorts,
): void {
  const { entity, key } = work;
  const holder = ports.service.linkedKey(entity, now.id);
  const other = from === null ? null : ports.link(entity, from);
  if (holder === from && (other === null || other.serviceId === now.id)) return;
  if (holder !== to || (other !== null && other.serviceId !== now.id)) {
    const because =
      holder !== to
        ? `it is linked to record ${holder ?? 'none'} by now`
        : `record ${from} stands for another object by now`;
    report(work, 'SYNC_UNDO_MOVED', `${because}.`, 'Look at both, and link them by hand: talent-sync link.', ports);
    return;
  }
  const values = {
    before: { ...difference.before, [SOURCE_KEY]: to },
    after: { ...difference.after, [SOURCE_KEY]: from },
  };
  const pin = { path: LINK, value: now.id, mapping: ports.digestMapping(entity, LINK) };
  const others = to === null ? [] : [{ entity, key: to, pins: [pin], restores: {} }];
  const why = [to ?? 'no record', from ?? 'no record'].join(' → ');
  propose({ ...work, key: from ?? key }, now, 'relink', values, null, undone, why, ports, others);
}

function fieldOf(path: string): string {
  return path.replace(/\..*$/, '');
}

/** The change that gives the leaves their values; what no call can give is said. */
function diffBack(
  work: RunWork,
  wanted: Values,
  now: Observed,
  written: Values | null,
  ports: UndoPorts,
): { readonly before: Values; readonly after: Values } {
  const { entity } = work;
  const { before, after } = diffValues({
    entity,
    desired: wanted,
    observed: now.values,
    written,
    rules: {},
    idOf: idOfIn(ports.service.directory),
  });
  for (const name of Object.keys(wanted)) {
    if (name in after) continue;
    const because =
      FIELDS[entity][name]?.shape === 'roles'
        ? `${name}: the service has no call that takes a role off an experience.`
        : `${name}: the service has no call that puts it back.`;
    report(work, 'SYNC_UNDO_IMPOSSIBLE', because, 'Change it in the service by hand.', ports);
  }
  return { before, after };
}

/**
 * No call on a person takes a tag off (spec, Custom tags), so a tag that was not there before can be undone only by
 * deleting the tag itself, where the same run has made it; its assignments go along.
 */
function leaveTags(work: RunWork, wanted: Values, works: readonly RunWork[], ports: UndoPorts): Values {
  const { tags, ...others } = wanted;
  if (!isJsonObject(tags)) return wanted;
  const written = work.after.tags;
  const kept = Object.entries(tags).filter(([category, tag]) => {
    if (!isEmpty(tag)) return true;
    const given = isJsonObject(written) ? String(written[category]) : '';
    if (!isTagUndone(category, given, works, ports)) {
      report(
        work,
        'SYNC_UNDO_IMPOSSIBLE',
        `tags.${category}: there was no tag of this category before, and the service has no call on a person that takes one off.`,
        'Take the tag off in the service by hand.',
        ports,
      );
    }
    return false;
  });
  return kept.length === 0 ? others : { ...others, tags: Object.fromEntries(kept) };
}

function isTagUndone(category: string, tag: string, works: readonly RunWork[], ports: UndoPorts): boolean {
  const isMade = works.some(
    ({ entity, turn, after }) =>
      entity === 'tags' && turn === 'create' && after.category === category && after.external_unique_id === tag,
  );
  return isMade && ports.tagged(category, tag).length === 0;
}

/** From the image before the deletion: another id, but the same record. */
function planAgain(work: RunWork, ports: UndoPorts): void {
  const { entity, key, target } = work;
  // What is written in somebody's CV cannot be made again from pseudonyms; a project can, without some of its people.
  if (work.lost.some((path) => FIELDS[entity][fieldOf(path)]?.to !== 'users')) return;
  const link = ports.link(entity, key);
  if (link !== null || (target !== null && ports.service.observed(entity, target) !== null)) return;
  const after = Object.fromEntries(
    Object.entries(work.before).filter(
      ([name, value]) => !isEmpty(value) && !isBlankEntries(value) && FIELDS[entity][name] !== undefined,
    ),
  );
  const lacking = Object.entries(FIELDS[entity]).filter(
    ([name, field]) => field.required === true && after[name] === undefined,
  );
  if (lacking.length > 0) {
    report(
      work,
      'SYNC_UNDO_IMPOSSIBLE',
      `what was kept of it lacks ${lacking.map(([name]) => name).join(' and ')}.`,
      'Make it again in the service by hand.',
      ports,
    );
    return;
  }
  propose(work, null, 'create', { before: {}, after }, 'gone', [], 'deleted by it; it gets a new id', ports);
}

/** Puts a change into the plan, unless protection or a missing name forbids it. */
function propose(
  work: RunWork,
  now: Observed | null,
  action: Action,
  values: { readonly before: Values; readonly after: Values; readonly takesOut?: readonly TakenOut[] },
  existence: Existence | null,
  undone: Restoring['undone'],
  why: string,
  ports: UndoPorts,
  others: readonly UndoneRecord[] = [],
): void {
  const { entity, key } = work;
  const place = `run ${ports.run}`;
  const allowed = guardProtected({ key, place }, now, values.after, action, ports);
  if (allowed === 'held') return;
  const { deactivated, [SOURCE_KEY]: link, ...named } = allowed;
  const resolved = resolveNames(named, {
    entity,
    key,
    place,
    settings: ports.settings(entity),
    ports,
    observed: now?.values ?? null,
  });
  for (const { field, reason } of resolved.unresolved)
    report(
      work,
      'SYNC_UNDO_IMPOSSIBLE',
      `${field}: ${reason}`,
      'Make it in the service again, then undo once more.',
      ports,
    );
  if (action === 'create' && resolved.unresolved.length > 0) return;
  const { takesOut = [] } = values;
  const after = {
    ...resolved.after,
    ...Object.fromEntries(takesOut.map(({ field }) => [field, []])),
    ...(deactivated === undefined ? {} : { deactivated }),
    ...(link === undefined ? {} : { [SOURCE_KEY]: link }),
  };
  const fields = Object.keys(after).sort();
  if (action === 'update' && fields.length === 0) return;
  const had = { ...values.before, ...groupWords(takesOut) };
  const before = Object.fromEntries(action === 'create' ? [] : fields.map((name) => [name, had[name] ?? null]));
  plan(
    work,
    {
      action,
      target: now?.id ?? null,
      label: now?.label ?? work.label,
      fields,
      before,
      after,
      needs: resolved.needs,
      observedHash: now?.hash ?? null,
      ...(takesOut.length > 0 ? { takesOut } : {}),
      ...(entity === 'staffing' && action === 'create' ? { batch: batchOfLink(after) } : {}),
    },
    existence,
    undone,
    why,
    ports,
    others,
  );
  claimValues(entity, key, after, { ...now?.values, ...after }, ports.plan);
}

function groupWords(takesOut: readonly TakenOut[]): Values {
  const words: Record<string, readonly string[]> = {};
  for (const { field, word } of takesOut) words[field] = [...(words[field] ?? []), word];
  return words;
}
