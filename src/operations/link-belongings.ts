import { CALLED, CALLED_WITHIN } from '../model/called.js';
import { type Entity, TRAITS } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { foldKey, keyValues } from '../model/observed.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import type { Stores } from '../store/open-stores.js';
import type { LinkOrder } from './link-by-hand.js';

type NewLink = LinkOrder & { readonly id: string };

/**
 * Finds records that belong to newly linked objects, such as projects of customers, and links them too. A record is linked
 * if exactly one object of that owner has its name, and the object's own record no longer exists. Ambiguous names are not
 * linked.
 *
 * @param links the links to be created
 * @param waiting changes of the newest plan that wait
 */
export function linkBelongings(
  links: readonly NewLink[],
  waiting: SavedPlan['changes'],
  stores: Stores,
): readonly NewLink[] {
  const found = Object.entries(CALLED_WITHIN).flatMap(([name, field]) => {
    const entity = name as Entity;
    const owners = links.filter((link) => link.entity === FIELDS[entity][field]?.to);
    const creates = waiting.filter((change) => change.entity === entity && change.action === 'create');
    return owners.length === 0
      ? []
      : creates.flatMap(({ key }) => findBelonging({ entity, key, field }, owners, stores));
  });
  const taken = new Map<string, number>();
  for (const { entity, id } of found) taken.set(`${entity}:${id}`, (taken.get(`${entity}:${id}`) ?? 0) + 1);
  return found.filter(({ entity, id }) => taken.get(`${entity}:${id}`) === 1);
}

function findBelonging(
  { entity, key, field }: { readonly entity: Entity; readonly key: string; readonly field: string },
  owners: readonly NewLink[],
  { work, mirror, links }: Stores,
): readonly NewLink[] {
  const values = work.valuesBefore(entity, key);
  const word = foldKey(String(values?.[field] ?? ''));
  const owner = owners.find((one) => wordsOf(one, work).some((own) => foldKey(own) === word));
  const name = CALLED[entity] ?? '';
  if (values === null || owner === undefined || links.find(entity, key) !== null) return [];
  const parent = TRAITS[entity].parent ?? '';
  const ids = new Set(keyValues(values[name]).flatMap((value) => mirror.findIds(entity, name, value)));
  const free = [...ids].filter((id) => {
    const old = links.keyOf(entity, id);
    return (
      mirror.get(entity, id)?.values[parent] === owner.id && old !== null && work.valuesBefore(entity, old) === null
    );
  });
  const [id] = free;
  return id === undefined || free.length > 1 ? [] : [{ entity, key, id, reason: owner.reason }];
}

/** The words by which other records refer to the record. */
function wordsOf({ entity, key }: NewLink, work: Stores['work']): readonly string[] {
  const values = work.valuesBefore(entity, key);
  return [key, ...(TRAITS[entity].words ?? []).flatMap((name) => keyValues(values?.[name]))];
}
