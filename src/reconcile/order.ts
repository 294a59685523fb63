import { naturalKey } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { foldKey } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { type Parking, parkingRef, parkOne } from './park.js';
import type { ReconcilePorts } from './ports.js';

/** What ordering adds to the ports: more edges, and the places of changes within their entity. */
export interface OrderPorts extends ReconcilePorts {
  addNeed(ref: string, need: string): void;
  /** Levels the changes of an entity along their needs; answers the refs that wait for each other in a circle. */
  level(entity: Entity): readonly string[];
  /** Lets a change wait for another one than before. */
  replaceNeed(ref: string, need: string, by: string): void;
}

/** Something that only one object of an entity can have at a time. */
interface UniqueValue {
  /** What it is called where changes claim it. */
  readonly claim: string;
  readonly field: string;
  /** What a change takes, in the form in which it is claimed; null when it takes nothing. */
  wanted(change: Change, ports: ReconcilePorts): string | null;
  /** Ids of the objects that have it now. */
  holders(wanted: string, change: Change, ports: ReconcilePorts): readonly string[];
}

function uniqueValuesOf(entity: Entity): readonly UniqueValue[] {
  const fields = Object.entries(FIELDS[entity]).flatMap(([name, field]) => (field.unique === true ? [name] : []));
  return [...fields.map((name) => uniqueField(entity, name)), ...(entity === 'offices' ? [OFFICE_NAME] : [])];
}

function uniqueField(entity: Entity, field: string): UniqueValue {
  return {
    claim: `${entity}.${field}`,
    field,
    wanted: ({ after }) => {
      const value = after[field];
      return typeof value === 'string' && value !== '' ? foldKey(value) : null;
    },
    holders: (wanted, _change, ports) => ports.findIds(entity, field, wanted),
  };
}

/** The name of an office is unique within its country (spec, Office). */
const OFFICE_NAME: UniqueValue = {
  claim: 'offices.natural',
  field: 'name',
  wanted({ after, target }, ports) {
    const known = target === null ? null : ports.observed('offices', target);
    return after.name === undefined ? null : naturalKey('offices', { ...known?.values, ...after });
  },
  holders(_wanted, { after, target }, ports) {
    const known = target === null ? null : ports.observed('offices', target);
    const id = ports.directory.officeId(String(after.country ?? known?.values.country ?? ''), String(after.name));
    return id === null ? [] : [id];
  },
};

/**
 * Puts the takers of a unique value after its givers. E-mail and external id are unique over deactivated users too
 * (spec, Create rules), so of k people passing on an address each waits for the next, in the fewest calls (k).
 *
 * | the value is held by             | →                                          |
 * |----------------------------------|--------------------------------------------|
 * | nobody, or the object itself     | nothing to wait for                        |
 * | an object that gives it up now   | wait for that change                       |
 * | an object that keeps it          | hold: the service would refuse it (422)    |
 * | wanted by two records            | hold both                                  |
 * | givers waiting in a circle       | one of them is parked first (`park.ts`), else hold them: no order exists |
 *
 * An object that is deleted keeps what it has: deletions come last, since others may still refer to it.
 */
export function orderUniqueValues(entity: Entity, parking: Parking, ports: OrderPorts): void {
  const unique = uniqueValuesOf(entity);
  if (unique.length === 0) return;
  // A country has no code, and an office no name, that could stand for nothing for a while.
  const names = entity === 'countries' || entity === 'offices' ? [] : unique.map(({ field }) => field);
  for (let circle: readonly string[] = ['']; circle.length > 0; ) {
    holdTakersInVain(entity, unique, ports);
    circle = ports.level(entity);
    if (parkOne(circle, names, parking, ports)) continue;
    for (const ref of circle) {
      const change = ports.planned(ref);
      if (change !== null) drop(change, ports, CIRCLE);
    }
  }
}

/**
 * Proposals of one name have nothing else to be told apart by when an answer is lost, so those that are to be created are
 * created one after the other.
 */
export function orderAlikeNames(entity: Entity, ports: OrderPorts): void {
  if (entity !== 'proposals') return;
  const last = new Map<string, string>();
  for (const { action, key, after } of [...ports.plannedOf(entity)]) {
    if (action !== 'create') continue;
    const name = foldKey(String(after.name));
    const before = last.get(name);
    if (before !== undefined) ports.addNeed(`${entity}:${key}`, before);
    last.set(name, `${entity}:${key}`);
  }
  ports.level(entity);
}

const CIRCLE = {
  reason: 'Its unique values pass round in a circle with others, so no order of calls exists.',
  remedy: 'Give one of them a temporary value in the source first.',
};

/** Holding a giver takes its gift back, so it looks again until nothing more falls. */
function holdTakersInVain(entity: Entity, unique: readonly UniqueValue[], ports: OrderPorts): void {
  for (let fell = true; fell; ) {
    fell = false;
    for (const change of takers(entity, unique, ports)) {
      for (const value of unique) {
        if (ports.isPlanned(`${entity}:${change.key}`)) fell = waitForValue(change, value, entity, ports) || fell;
      }
    }
  }
}

function* takers(entity: Entity, unique: readonly UniqueValue[], ports: OrderPorts): Iterable<Change> {
  for (const change of ports.plannedOf(entity)) {
    if (unique.some(({ field }) => change.fields.includes(field) && change.action !== 'delete')) yield change;
  }
}

function waitForValue(change: Change, unique: UniqueValue, entity: Entity, ports: OrderPorts): boolean {
  const { field, claim } = unique;
  const wanted = unique.wanted(change, ports);
  if (wanted === null) return false;
  const value = String(change.after[field]);
  const rivals = ports
    .claimants(claim, wanted)
    .filter((key) => key !== change.key && takesIt(ports.planned(`${entity}:${key}`), unique, ports));
  if (rivals.length > 0) {
    for (const key of rivals) {
      const rival = ports.planned(`${entity}:${key}`);
      if (rival !== null) drop(rival, ports, taken(field, value, entity, `record ${change.key} wants it too`));
    }
    drop(change, ports, taken(field, value, entity, `record ${rivals.join(' and ')} wants it too`));
    return true;
  }
  for (const id of unique.holders(wanted, change, ports)) {
    if (id === change.target) continue;
    const giver = ports.plannedByTarget(entity, id);
    const given = giver === null ? null : unique.wanted(giver, ports);
    if (giver !== null && ports.isPlanned(parkingRef(giver))) {
      ports.addNeed(`${entity}:${change.key}`, parkingRef(giver));
      continue;
    }
    if (giver !== null && giver.after[field] !== undefined && given !== wanted) {
      ports.addNeed(`${entity}:${change.key}`, `${entity}:${giver.key}`);
      continue;
    }
    const holder = ports.observed(entity, id);
    const state = holder?.active === false ? 'deactivated ' : '';
    drop(change, ports, taken(field, value, entity, `the ${state}object ${holder?.label ?? id} (${id}) has it`));
    return true;
  }
  return false;
}

/** Offices claim their name with every change, whether it is a new one or not. */
function takesIt(rival: Change | null, unique: UniqueValue, ports: ReconcilePorts): boolean {
  return rival !== null && rival.action !== 'delete' && unique.wanted(rival, ports) !== null;
}

function taken(field: string, value: string, entity: Entity, because: string): { reason: string; remedy: string } {
  const where = entity === 'offices' ? 'its country' : 'the account';
  return {
    reason: `${field} "${value}" is unique in ${where}, and ${because}.`,
    remedy: 'Correct the value in the source, or free it in the service.',
  };
}

function drop(change: Change, ports: OrderPorts, why: { reason: string; remedy: string }): void {
  ports.unplan(`${change.entity}:${change.key}`);
  ports.hold({ entity: change.entity, key: change.key, place: change.place, code: 'SYNC_VALUE_TAKEN', ...why });
}
