import type { Comparison } from '../../model/comparison.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { createRing } from '../../model/ring.js';
import { buildChange } from '../build-change.js';
import { eachWithPauses } from '../each-with-pauses.js';
import type { ReconcilePorts } from '../ports.js';

/** The settings for opening a circle of unique values. */
export interface Parking {
  /** `parked-{id}@example.com`; null if no address may be given up temporarily. */
  readonly email: string | null;
  readonly configDigest: string;
  /** How external ids are compared, if they are case-sensitive. */
  readonly spelling?: Comparison;
}

/** Names the change that parks an object's unique values, before its own change gives it the new ones. */
export function parkingRef({ entity, key }: Pick<Change, 'entity' | 'key'>): string {
  return parkedAs(`${entity}:${key}`);
}

export function parkedAs(ref: string): string {
  return `${ref}~parked`;
}

/**
 * Opens circles in which A needs the value of B, B that of C, and C that of A. One of them first gets a temporary
 * value, and the others wait for this step instead. The parked object's own change comes last, so k objects need k + 1
 * calls.
 *
 * | field that passes round | the temporary value                        |
 * |-------------------------|--------------------------------------------|
 * | e-mail                  | `users.parking_email`; without it none     |
 * | user name               | none: the service does not keep it unique, and may not allow its domain |
 * | any other               | `parked-` and the object's id              |
 *
 * A parked value becomes the base of the object's record, so if the run ends in between, the next run does not take it
 * for someone else's change. It then gives the object its own value.
 *
 * @param circle refs that wait for each other, in one circle or several
 * @returns true if any circle is now open
 */
export function* openCircles(
  circle: readonly string[],
  names: readonly string[],
  parking: Parking,
  ports: ReconcilePorts,
): Generator<void, boolean> {
  const ring = createRing(circle.map((ref) => ({ ref, needs: ports.plan.find(ref)?.needs ?? [] })));
  let isAny = false;
  for (let isOpened = true; isOpened; ) {
    isOpened = false;
    yield* eachWithPauses([...circle].sort(), (ref) => {
      const waiting = ring.waitingFor(ref);
      if (waiting.length === 0 || !parkOne(ref, { waiting, names, parking }, ports)) return;
      ring.free(ref);
      isOpened = true;
    });
    isAny ||= isOpened;
  }
  return isAny;
}

interface GiverOfCircle {
  /** Refs of the changes that wait for the values of this object. */
  readonly waiting: readonly string[];
  readonly names: readonly string[];
  readonly parking: Parking;
}

function parkOne(ref: string, { waiting, names, parking }: GiverOfCircle, ports: ReconcilePorts): boolean {
  const change = ports.plan.find(ref);
  if (change === null || change.target === null || ports.plan.has(parkingRef(change))) return false;
  const held = ports.service.observed(change.entity, change.target)?.values;
  const takers = waiting.map((one) => ports.plan.find(one)?.after);
  const given = names.filter((name) => takers.some((after) => isSame(after?.[name], held?.[name])));
  const values = parkedValues(change.entity, change.target, given, parking);
  if (values === null) return false;
  ports.plan.add(buildParking(change, values, parking));
  for (const one of waiting) ports.plan.replaceNeed(one, ref, parkingRef(change));
  return true;
}

/** The temporary values for those that others wait for; null if there are none, or if one of them cannot be parked. */
function parkedValues(
  entity: Entity,
  target: string,
  names: readonly string[],
  parking: Parking,
): Readonly<Record<string, string | null>> | null {
  const values: Record<string, string | null> = {};
  for (const name of names) {
    const parked = name === 'email' ? parking.email?.replaceAll('{id}', target) : `parked-${target}`;
    const field = FIELDS[entity][name];
    if (parked === undefined || field?.oneOf !== undefined) return null;
    values[name] = field?.exclusive === true ? null : parked;
  }
  return names.length === 0 ? null : values;
}

function isSame(wanted: Json | undefined, held: Json | undefined): boolean {
  return typeof wanted === 'string' && typeof held === 'string' && foldKey(wanted) === foldKey(held);
}

function buildParking(change: Change, after: Readonly<Record<string, string | null>>, parking: Parking): Change {
  const { entity, target, label, place, observedHash, before } = change;
  const fields = Object.keys(after).sort();
  const ref = parkingRef(change);
  return buildChange(
    {
      entity,
      action: 'update',
      key: ref.slice(entity.length + 1),
      target,
      label,
      fields,
      before: Object.fromEntries(fields.map((name) => [name, before[name] ?? null])),
      after,
      reason: {
        kind: 'parked',
        text: `${fields.join(' and ')} ${fields.length === 1 ? 'is' : 'are'} exchanged in a circle: a temporary value until the others have theirs`,
      },
      place,
      observedHash,
      partOf: `${entity}:${change.key}`,
    },
    parking.configDigest,
  );
}
