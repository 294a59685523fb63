import { isAccount } from '../../model/entity.js';
import { isManager } from '../../model/fields.js';
import type { Json, Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { MirrorStore } from './mirror-store.js';

/**
 * Returns the person with office and tag names from the service's current lists, looked up by id. Answers may show an
 * old office name or none. For a role's scope, they may show only ids.
 */
export function withNames(mirror: Pick<MirrorStore, 'get' | 'all'>, observed: Observed): Observed {
  if (!isAccount(observed.entity)) return observed;
  const { office_id: id, roles, role_allowed_office_ids: offices, role_allowed_tag_ids: tags } = observed.values;
  // A scope is meaningless without the role. The service may then show an empty scope, which does not prove which scope
  // was sent.
  const isScoped = isManager(roles);
  const office = typeof id === 'string' ? nameOffice(mirror, id) : null;
  const named: Values = {
    ...(office === null ? {} : { office }),
    ...(isScoped && Array.isArray(offices) ? { role_allowed_offices: nameOffices(mirror, offices) } : {}),
    ...(isScoped && Array.isArray(tags) ? { role_allowed_tags: nameTags(mirror, tags) } : {}),
  };
  return Object.keys(named).length === 0 ? observed : { ...observed, values: { ...observed.values, ...named } };
}

/** Caches the mirror's offices and tags. There are few of them, and nearly every person refers to one. */
export function rememberObjects(mirror: Pick<MirrorStore, 'get' | 'all'>): Pick<MirrorStore, 'get' | 'all'> {
  const known = new Map<string, Observed | null>();
  return {
    all: mirror.all,
    get(entity, id) {
      const ref = `${entity}:${id}`;
      const found = known.get(ref);
      if (found !== undefined) return found;
      const object = mirror.get(entity, id);
      known.set(ref, object);
      return object;
    },
  };
}

function nameOffice(mirror: Pick<MirrorStore, 'get'>, id: string): Values | null {
  const office = mirror.get('offices', id);
  return office === null ? null : { country: office.values.country ?? '', name: office.values.name ?? '' };
}

function nameOffices(mirror: Pick<MirrorStore, 'get'>, ids: readonly Json[]): Json {
  return ids.flatMap((id) => nameOffice(mirror, String(id)) ?? []);
}

/** Names the tags of a scope by category. The service shows a scope completely, so categories that it omits are empty. */
function nameTags(mirror: Pick<MirrorStore, 'get' | 'all'>, ids: readonly Json[]): Json {
  const categories = new Map<string, string[]>();
  const names = new Map<string, string>();
  for (const { id, values } of mirror.all('tag_categories')) {
    if (typeof values.external_unique_id !== 'string') continue;
    names.set(id, values.external_unique_id);
    categories.set(values.external_unique_id, []);
  }
  for (const id of ids) {
    const tag = mirror.get('tags', String(id));
    const external = tag?.values.external_unique_id;
    const category = names.get(String(tag?.values.category_id ?? ''));
    if (typeof external === 'string' && category !== undefined) categories.get(category)?.push(external);
  }
  return Object.fromEntries([...categories].map(([category, held]) => [category, held.sort()]));
}
