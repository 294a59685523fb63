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
 */
export function orderUniqueValues(entity: Entity, parking: Parking, ports: OrderPorts): void {
  const names = Object.entries(FIELDS[entity]).flatMap(([name, field]) => (field.unique === true ? [name] : []));
  if (names.length === 0) return;
  for (let circle: readonly string[] = ['']; circle.length > 0; ) {
    holdTakersInVain(entity, names, ports);
    circle = ports.level(entity);
    if (parkOne(circle, names, parking, ports)) continue;
    for (const ref of circle) {
      const change = ports.planned(ref);
      if (change !== null) drop(change, ports, CIRCLE);
    }
  }
}

const CIRCLE = {
  reason: 'Its unique values pass round in a circle with other people, so no order of calls exists.',
  remedy: 'Give one of them a temporary value in the source first.',
};

/** Holding a giver takes its gift back, so it looks again until nothing more falls. */
function holdTakersInVain(entity: Entity, names: readonly string[], ports: OrderPorts): void {
  for (let fell = true; fell; ) {
    fell = false;
    for (const change of takers(entity, names, ports)) {
      if (!ports.isPlanned(`${entity}:${change.key}`)) continue;
      for (const name of names) fell = waitForValue(change, name, entity, ports) || fell;
    }
  }
}

function* takers(entity: Entity, names: readonly string[], ports: OrderPorts): Iterable<Change> {
  for (const change of ports.plannedOf(entity)) if (names.some((name) => change.fields.includes(name))) yield change;
}

function waitForValue(change: Change, name: string, entity: Entity, ports: OrderPorts): boolean {
  const value = change.after[name];
  if (typeof value !== 'string' || value === '') return false;
  const wanted = foldKey(value);
  const rivals = ports
    .claimants(`${entity}.${name}`, wanted)
    .filter((key) => key !== change.key && ports.isPlanned(`${entity}:${key}`));
  if (rivals.length > 0) {
    for (const key of rivals) {
      const rival = ports.planned(`${entity}:${key}`);
      if (rival !== null) drop(rival, ports, taken(name, value, `record ${change.key} wants it too`));
    }
    drop(change, ports, taken(name, value, `record ${rivals.join(' and ')} wants it too`));
    return true;
  }
  for (const id of ports.findIds(entity, name, wanted)) {
    if (id === change.target) continue;
    const giver = ports.plannedByTarget(entity, id);
    const given = giver?.after[name];
    if (giver !== null && ports.isPlanned(parkingRef(giver))) {
      ports.addNeed(`${entity}:${change.key}`, parkingRef(giver));
      continue;
    }
    if (giver !== null && given !== undefined && foldKey(String(given)) !== wanted) {
      ports.addNeed(`${entity}:${change.key}`, `${entity}:${giver.key}`);
      continue;
    }
    const holder = ports.observed(entity, id);
    const state = holder?.active === false ? 'deactivated ' : '';
    drop(change, ports, taken(name, value, `the ${state}object ${holder?.label ?? id} (${id}) has it`));
    return true;
  }
  return false;
}

function taken(name: string, value: string, because: string): { reason: string; remedy: string } {
  return {
    reason: `${name} "${value}" is unique in the account, and ${because}.`,
    remedy: 'Correct the value in the source, or free it in the service.',
  };
}

function drop(change: Change, ports: OrderPorts, why: { reason: string; remedy: string }): void {
  ports.unplan(`${change.entity}:${change.key}`);
  ports.hold({ entity: change.entity, key: change.key, place: change.place, code: 'SYNC_VALUE_TAKEN', ...why });
}
