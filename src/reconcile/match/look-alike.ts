import { CALLED, CALLED_WITHIN } from '../../model/called.js';
import type { Candidate } from '../../model/desired.js';
import { type Entity, isSection, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { firstText } from '../../model/label.js';
import { keyValues, type Observed, scopedKey } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import { typedName } from '../../model/typed.js';
import { diffValues } from '../fields/diff.js';
import { idOfPlanned } from '../fields/planned-places.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { findDeparture } from './judge-relink.js';

/**
 * Suspects a record that would be created and has the name of a linked object whose own key is gone from a complete
 * read. Most likely the source gave the linked record a new key. A person has to decide about the record, and about the
 * removal of the object. People are compared by more than their names (`same-person.ts`), and links by their two ends.
 */
export function suspectLookAlike(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  const { key, place } = candidate.desired;
  for (const object of listNamesakes(candidate, ports)) {
    const owner = ports.service.linkedKey(entity, object.id);
    const state = owner === null ? null : ports.sources.stagedState(entity, owner);
    if (owner === null || owner === key || (state !== null && state !== 'gone')) continue;
    const { since, text } = findDeparture(owner, object, settings, ports);
    if (since === null) continue;
    ports.plan.claim(entity, object.id, key);
    const kind = TRAITS[entity].singular;
    // The label of a tag is its id, so the two labels always differ.
    const called = firstText(object.values[CALLED[entity] ?? '']) ?? object.label;
    ports.plan.suspect(`${entity}:${key}`, {
      entity,
      key,
      place: formatPlace(place),
      code: 'SYNC_LOOK_ALIKE',
      reason: `Looks like ${called} (${object.id}), which is linked to record ${owner}, and ${text}. Most likely it is the same ${kind} under a new key; creating it would make a duplicate.`,
      remedy: `If they are the same, \`talent-sync holds resolve ${typedName(entity, key)} --same --reason "…"\`; if they are two, \`talent-sync holds resolve ${typedName(entity, key)} --new --reason "…"\`.`,
      relink: { key, id: object.id },
    });
  }
}

function listNamesakes({ desired }: Candidate, ports: ReconcilePorts): readonly Observed[] {
  const { entity, values } = desired;
  const owner = CALLED_WITHIN[entity] ?? TRAITS[entity].scope;
  const to = owner === undefined ? undefined : FIELDS[entity][owner]?.to;
  const ownerId = to === undefined ? null : idOfPlanned(ports)(to, String(values[owner ?? ''] ?? ''));
  if (to !== undefined && ownerId === null) return [];
  const parent = TRAITS[entity].parent ?? '';
  const found = findNamed(desired, ownerId, parent, ports).flatMap((id) => ports.service.observed(entity, id) ?? []);
  return found.filter((object) => ownerId === null || object.values[parent] === ownerId);
}

/** Ids of the objects with that name; for sections, ids of those with the same content. */
function findNamed(
  { entity, values }: Candidate['desired'],
  ownerId: string | null,
  parent: string,
  ports: ReconcilePorts,
): readonly string[] {
  const name = CALLED[entity];
  if (name !== undefined) {
    const at = (value: string): string =>
      TRAITS[entity].scope === undefined ? value : scopedKey(ownerId ?? '', value);
    return [...new Set(keyValues(values[name]).flatMap((value) => ports.service.findIds(entity, name, at(value))))];
  }
  if (!isSection(entity) || ownerId === null) return [];
  return ports.service
    .findIds(entity, parent, ownerId)
    .filter((id) => saysTheSame(entity, values, ports.service.observed(entity, id)));
}

function saysTheSame(entity: Entity, values: Values, object: Observed | null): boolean {
  const { external_unique_id: _key, user: _user, ...said } = values;
  if (object === null || Object.values(said).every((value) => keyValues(value).length === 0)) return false;
  const pair = { entity, desired: said, observed: object.values, written: null, rules: {} };
  return diffValues(pair).fields.length === 0;
}
