import type { Candidate } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { EXISTENCE, type Existence, LINK } from '../../model/undo.js';
import { holdRecord } from '../hold-record.js';
import type { HoldPorts, MemoryPort } from '../ports.js';
import { eachLeaf, eachMoved, hashLeaf, withoutLeaves } from './leaves.js';

/**
 * Takes out of a change what an operator has undone, while the source wants the same. A value is the undone one as the
 * record has it, or as the change would write it: names that cannot be resolved are left out of what is written.
 */
export function dropPinned(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  ports: HoldPorts & { readonly memory: Pick<MemoryPort, 'pins'> },
): Values {
  const { entity, key, values } = candidate.desired;
  const pins = new Map(ports.memory.pins(entity, key).map((pin) => [pin.path, pin.value]));
  if (pins.size === 0) return after;
  const wanted = new Map([...eachLeaf(entity, values)].map((leaf) => [leaf.path, leaf.value]));
  const shown = observed?.values ?? {};
  const dropped = [...eachMoved(entity, after, shown)].filter(({ path, field, value }) => {
    const pin = pins.get(path);
    if (pin === undefined || (observed === null && FIELDS[entity][field]?.required === true)) return false;
    return hashLeaf(wanted.get(path)) === pin || hashLeaf(value) === pin;
  });
  if (dropped.length > 0) reportPinned(candidate, dropped.map(({ path }) => path).join(', '), ports);
  return withoutLeaves(entity, after, dropped, shown);
}

/** Forgets the pins of values that the source does not want any more; `after` is what would be written by now. */
export function forgetPins(
  candidate: Candidate,
  after: Values,
  ports: { readonly memory: Pick<MemoryPort, 'pins' | 'unpin'> },
): void {
  const { entity, key, values } = candidate.desired;
  const pins = ports.memory.pins(entity, key).filter(({ path }) => path !== EXISTENCE && path !== LINK);
  if (pins.length === 0) return;
  const wanted = new Map([...eachLeaf(entity, values)].map((leaf) => [leaf.path, hashLeaf(leaf.value)]));
  const written = new Map([...eachLeaf(entity, after)].map((leaf) => [leaf.path, hashLeaf(leaf.value)]));
  for (const { path, value } of pins) {
    // A field that the record leaves empty is kept as it is: it wants nothing, so it wants something else than it did.
    if ((wanted.get(path) ?? hashLeaf(null)) !== value && written.get(path) !== value)
      ports.memory.unpin(entity, key, path);
  }
}

/**
 * Whether an operator has undone what the record's state asks for: an account that is to be here, or to be gone.
 *
 * | pinned | the record | →                                             |
 * |--------|------------|-----------------------------------------------|
 * | here   | is here    | no create, no reactivation                    |
 * | gone   | has left   | no deactivation, no deletion                  |
 * | other  | other      | the source has moved: the pin is forgotten    |
 */
export function isExistencePinned(
  entity: Entity,
  key: string,
  wants: Existence,
  ports: { readonly memory: Pick<MemoryPort, 'pins' | 'unpin'> },
): boolean {
  const pin = ports.memory.pins(entity, key).find(({ path }) => path === EXISTENCE);
  if (pin === undefined) return false;
  if (pin.value === hashLeaf(wants)) return true;
  ports.memory.unpin(entity, key, EXISTENCE);
  return false;
}

/** Whether the link of a key was taken off by hand, so that it is not matched again by itself; says so. */
export function isLinkPinned(
  candidate: Candidate,
  ports: HoldPorts & { readonly memory: Pick<MemoryPort, 'pins'> },
): boolean {
  const { entity, key } = candidate.desired;
  const pin = ports.memory.pins(entity, key).find(({ path }) => path === LINK);
  if (pin === undefined) return false;
  const reason = `Its link to ${pin.value} was taken off by an operator, and it is not matched again by itself.`;
  const remedy = `Link it: talent-sync link ${entity} ${key} ID; or let it be matched again: talent-sync undo --unpin ${entity}:${key}`;
  holdRecord(candidate, 'SYNC_UNDONE_PINNED', { reason, remedy }, ports);
  return true;
}

/** Told, not counted as a fault: an operator wanted it so. */
export function reportPinned(
  record: Candidate | { readonly entity: Entity; readonly key: string; readonly place: string },
  what: string,
  ports: HoldPorts,
): void {
  const { entity, key } = 'desired' in record ? record.desired : record;
  const reason = `${what}: undone by an operator, and not done again while the source and the mapping stay the same.`;
  const remedy = `Change it in the source, or let it be done again: talent-sync undo --unpin ${entity}:${key}`;
  if ('desired' in record) holdRecord(record, 'SYNC_UNDONE_PINNED', { reason, remedy }, ports);
  else ports.plan.hold({ entity, key, place: record.place, code: 'SYNC_UNDONE_PINNED', reason, remedy });
}
