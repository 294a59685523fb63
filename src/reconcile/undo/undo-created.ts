import { isInAnswer } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import { type Entity, isLink, isSection, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { UndoneRecord } from '../../model/undo.js';
import { isEmpty } from '../fields/compare.js';
import { diffValues } from '../fields/diff.js';
import { describeDeletion } from '../leavers/plan-leavers.js';
import type { RunWork } from './run-work.js';
import { findNow, isBlankEntries, planInverse, recordOf } from './undo-change.js';
import type { UndoPorts } from './undo-ports.js';
import { report } from './undo-reports.js';

/** Reasons not to delete a new object, and changes that must come first. */
interface Obstacles {
  /** Text for people; empty if there is no obstacle. */
  readonly because: string;
  /** Changes of the plan that remove the obstacles, as `entity:key`. */
  readonly needs: readonly string[];
  /** Records that lose a value together with the object. */
  readonly losers?: readonly UndoneRecord[];
}

type FindObstacles = (object: Observed, work: RunWork, ports: UndoPorts) => Obstacles;

const FREE: Obstacles = { because: '', needs: [] };

/** Objects that must be empty before the service deletes them, or whose deletion would also remove the work of others. */
const LOOKS: Readonly<Partial<Record<Entity, FindObstacles>>> = {
  offices: ({ id }, _work, ports) => judgeEach(ports.contents.usersIn(id), ports, (change) => 'office' in change.after),
  tags: ({ values }, work, ports) => {
    const others = ports.contents.tagged(String(work.after.category), String(values.external_unique_id));
    return {
      because: others.length === 0 ? '' : `other runs have given it to ${listSome(others)}`,
      needs: taggedBy(work, ports),
      losers: untaggedRecords(work, ports),
    };
  },
  // Deleting a category deletes all its tags (spec, Custom tags), so the category must be empty.
  tag_categories: ({ id }, _work, ports) => judgeEach(ports.contents.belonging('tags', id), ports, isDeletion),
  customers: ({ id }, _work, ports) => judgeEach(ports.contents.belonging('projects', id), ports, isDeletion),
  projects: ({ id }, _work, ports) => {
    if (!ports.contents.isLinkedToCvs(id)) return FREE;
    const links = ports.undone.works
      .filter(({ entity, turn }) => isLink(entity) && turn === 'create')
      .map(({ entity, key }) => `${entity}:${key}`);
    const needs = links.filter((ref) => ports.plan.has(ref));
    return { because: needs.length > 0 ? '' : 'CVs are linked to it', needs };
  },
};

const NO_CALL: ReadonlySet<Entity> = new Set(['countries']);
/** The service cannot delete these objects; archived, they are no longer visible. */
const ARCHIVED: ReadonlySet<Entity> = new Set(['proposals']);

/**
 * Plans the deletion of a created object if the service has a call for the deletion, nobody has changed the object, and
 * nothing depends on it.
 */
export function planCreatedAway(work: RunWork, ports: UndoPorts): void {
  const { entity } = work;
  const kind = TRAITS[entity].singular;
  const refuse = (because: string, remedy: string): void =>
    report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy }, ports);
  if (NO_CALL.has(entity)) {
    refuse(`the service has no call that deletes a ${kind}.`, 'Leave it unchanged.');
    return;
  }
  if (!ports.managed.isRead(entity)) {
    refuse(
      `the configuration no longer manages any ${kind}.`,
      'Add it to the configuration again, and repeat the undo.',
    );
    return;
  }
  const now = findNow(work, ports);
  if (now === null) return;
  if (ARCHIVED.has(entity)) {
    archive(work, now, ports);
    return;
  }
  const changed = findChanged(work, now, ports);
  if (changed.length > 0) {
    const because = `others have changed ${changed.join(', ')} since; it is not deleted.`;
    const remedy = `Delete the ${kind} in the service by hand, if nobody needs it.`;
    report(work, 'SYNC_UNDO_MOVED', { because, remedy }, ports);
    return;
  }
  const obstacles = LOOKS[entity]?.(now, work, ports) ?? FREE;
  if (obstacles.because !== '') {
    refuse(`${obstacles.because}; it is not deleted.`, `Empty the ${kind} first, then repeat the undo.`);
    return;
  }
  deleteCreated(work, now, obstacles, ports);
}

function deleteCreated(work: RunWork, now: Observed, { needs, losers = [] }: Obstacles, ports: UndoPorts): void {
  const { before: shown, after, batch } = describeDeletion(now, ports.service);
  // The service may not name the owner that the object was created with, but the run wrote that owner.
  const before = { ...pickCreateOnly(work), ...shown };
  const change = {
    action: 'delete',
    target: now.id,
    label: now.label,
    fields: Object.keys(before).sort(),
    before,
    after,
    needs,
    observedHash: now.hash,
    ...(batch === undefined ? {} : { batch }),
  } as const;
  planInverse(work, { change, existence: 'here', why: 'created by it', others: losers }, ports);
}

function pickCreateOnly({ entity, after }: RunWork): Values {
  return Object.fromEntries(Object.entries(after).filter(([name]) => FIELDS[entity][name]?.createOnly === true));
}

function archive(work: RunWork, now: Observed, ports: UndoPorts): void {
  if (now.values.archived === true) return;
  const change = {
    action: 'update',
    target: now.id,
    label: now.label,
    fields: ['archived'],
    before: { archived: false },
    after: { archived: true },
    needs: [],
    observedHash: now.hash,
  } as const;
  const why = 'created by it; the service cannot delete a proposal, so it is archived';
  planInverse(work, { change, existence: 'here', why }, ports);
}

/** Everything that belongs to an object must be removed from it by a change of this plan. */
function judgeEach(
  objects: readonly Observed[],
  ports: UndoPorts,
  leaves: (change: { readonly action: string; readonly after: Values }) => boolean,
): Obstacles {
  const needs: string[] = [];
  const stay: string[] = [];
  for (const { entity, id, label } of objects) {
    const change = ports.plan.plannedByTarget(entity, id);
    if (change !== null && leaves(change)) needs.push(`${entity}:${change.key}`);
    else stay.push(label);
  }
  const [first] = objects;
  const kind = first === undefined ? '' : TRAITS[first.entity].singular;
  return {
    because:
      stay.length === 0 ? '' : `it has ${stay.length} ${kind}${stay.length === 1 ? '' : 's'} (${listSome(stay)})`,
    needs,
  };
}

function isDeletion({ action }: { readonly action: string }): boolean {
  return action === 'delete';
}

/** Changes for people of the same run who get their earlier tag back, or lose this tag when it is deleted. */
function taggedBy(work: RunWork, ports: UndoPorts): readonly string[] {
  return givenTo(work, ports)
    .map(({ entity, key }) => `${entity}:${key}`)
    .filter((ref) => ports.plan.has(ref));
}

function givenTo({ after: tag }: RunWork, { undone }: UndoPorts): readonly RunWork[] {
  return undone.works.filter(
    ({ after: { tags } }) => isJsonObject(tags) && tags[String(tag.category)] === tag.external_unique_id,
  );
}

/** Records that lose the tag when it is deleted; the next run must not create it again for them. */
function untaggedRecords(work: RunWork, ports: UndoPorts): readonly UndoneRecord[] {
  const category = String(work.after.category);
  const value = work.after.external_unique_id ?? null;
  return givenTo(work, ports)
    .filter(({ before: { tags } }) => isEmpty(isJsonObject(tags) ? tags[category] : null))
    .map((one) => recordOf(one, null, [{ path: `tags.${category}`, value }], ports));
}

/** Values that a new object has by default, which do not show that others have filled in the field. */
const AT_FIRST: Readonly<Record<string, Json>> = { workflow_stage: 'draft', status: 'initial' };

/** Fields of a new object that others have changed or filled in. */
function findChanged(work: RunWork, now: Observed, ports: UndoPorts): readonly string[] {
  const { entity, after, key } = work;
  const link = ports.memory.link(entity, key);
  const written = link?.written ?? null;
  const { fields } = diffValues({
    entity,
    desired: after,
    observed: now.values,
    written,
    rules: {},
    idOf: idOfIn(ports.service.directory),
  });
  const differing = fields.filter((name) => {
    const held = now.values[name];
    if (held === undefined || isEmpty(held)) return false;
    return !isInAnswer(link?.untaken?.[name]);
  });
  const filled = Object.entries(FIELDS[entity]).flatMap(([name, field]) => {
    const held = now.values[name];
    const given = name in after || field.createOnly === true || field.shape === 'flag' || field.shape === 'integer';
    return given || isEmpty(held) || held === AT_FIRST[name] || isSection(entity) || isBlankEntries(field, held)
      ? []
      : [name];
  });
  return [...differing, ...filled];
}

function listSome(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}
