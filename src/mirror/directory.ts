import { type Directory, idOfIn, officeKey, type TagNames, tagKey } from '../model/directory.js';
import { type Entity, type Referable, TRAITS } from '../model/entity.js';
import { canonicalJson, textOf } from '../model/json.js';
import { foldKey } from '../model/observed.js';
import type { Account } from '../model/people-meant.js';
import { sha256 } from '../model/sha256.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';

/** Finds the name and country of an office by its id, from the service's current list. */
export interface OfficeNames {
  officeById(id: string): { readonly country: string; readonly name: string } | null;
}

/**
 * Resolves names to ids with the mirror's countries, offices, categories and tags. Every run reads these lists
 * completely, in two calls. Customers and people are looked up in the mirror's keys on demand.
 */
export function loadDirectory(mirror: MirrorStore): Directory & OfficeNames & TagNames {
  const places = readPlaces(mirror);
  const labels = readLabels(mirror);
  const { countries, offices } = places;
  const { categories, shown, tags } = labels;
  const known: Readonly<Record<Parameters<Directory['known']>[0], (within: string) => readonly string[]>> = {
    countries: () => [...countries.keys()].sort(),
    categories: () => [...categories.keys()].sort(),
    offices: (country) => places.inCountry.get(foldKey(country)) ?? [],
    tags: (category) => labels.inCategory.get(category) ?? [],
  };
  return {
    hasCountry: (code) => countries.has(foldKey(code)),
    countryId: (code) => countries.get(foldKey(code)) ?? null,
    officeId: (country, name) => offices.get(officeKey(country, name)) ?? null,
    officeById: (id) => places.officeNames.get(id) ?? null,
    categoryId: (category) => categories.get(category) ?? null,
    tagId: (category, tag) => tags.get(tagKey(category, tag)) ?? null,
    tagById: (id) => labels.tagNames.get(id) ?? null,
    showsUserTags: mirror.mark(USER_TAGS_MARK) === 'yes',
    find: (to, word) => findReferences(mirror, to, word),
    customFields: () => readMark<Readonly<Record<string, string>>>(mirror, CUSTOM_FIELDS_MARK),
    shownCategories: (on) => [...shown].flatMap(([category, entities]) => (entities.has(on) ? [category] : [])),
    showsTags: (category, on) => shown.get(category)?.has(on) ?? false,
    known: (what, within = '') => known[what](within),
    digest: sha256([...places.parts, ...labels.parts].sort().join('\n')),
  };
}

/** @returns the lookup tables, and `parts`: the countries and offices that are part of the directory's digest */
function readPlaces(mirror: MirrorStore) {
  const countries = new Map<string, string>();
  const offices = new Map<string, string>();
  const officeNames = new Map<string, { country: string; name: string }>();
  const inCountry = new Map<string, string[]>();
  const parts: string[] = [];
  for (const { id, values } of mirror.all('countries')) countries.set(foldKey(textOf(values.code)), id);
  for (const { id, values } of mirror.all('offices')) {
    const [country, name] = [textOf(values.country), textOf(values.name)];
    offices.set(officeKey(country, name), id);
    officeNames.set(id, { country, name });
    push(inCountry, foldKey(country), name);
    parts.push(canonicalJson([id, country, name]));
  }
  return { countries, offices, officeNames, inCountry, parts };
}

/** Reads categories and tags in the same way as `readPlaces`. */
function readLabels(mirror: MirrorStore) {
  const categories = new Map<string, string>();
  const categoryNames = new Map<string, string>();
  const shown = new Map<string, ReadonlySet<Entity>>();
  const tags = new Map<string, string>();
  const tagNames = new Map<string, { category: string; tag: string }>();
  const inCategory = new Map<string, string[]>();
  const parts: string[] = [];
  for (const { id, values } of mirror.all('tag_categories')) {
    const external = textOf(values.external_unique_id);
    if (external === '') continue;
    categories.set(external, id);
    categoryNames.set(id, external);
    shown.set(external, new Set(TAG_FLAGS.flatMap(([on, flag]) => (values[flag] === true ? [on] : []))));
    parts.push(canonicalJson([id, external]));
  }
  for (const { id, values } of mirror.all('tags')) {
    const category = categoryNames.get(textOf(values.category_id));
    const external = textOf(values.external_unique_id);
    if (category === undefined || external === '') continue;
    tags.set(tagKey(category, external), id);
    tagNames.set(id, { category, tag: external });
    push(inCategory, category, external);
    parts.push(canonicalJson([id, category, external]));
  }
  return { categories, shown, tags, tagNames, inCategory, parts };
}

/** Name of the mirror mark that records how the account uses people's tags. */
export const USER_TAGS_MARK = 'user_tags.on_cvs';

/** Flags that allow a category's tags on a kind of record (spec, Custom tag category). */
const TAG_FLAGS: readonly (readonly [Entity, string])[] = [
  ['users', 'can_be_used_for_cvs'],
  ['customers', 'can_be_used_for_customers'],
  ['projects', 'can_be_used_for_references'],
];

/** Marks of the mirror for data that the service cannot list: see `industries.ts` and `refresh.ts`. */
export const INDUSTRIES_MARK = 'industries';
export const CUSTOM_FIELDS_MARK = 'custom_fields';

function readMark<T>(mirror: Pick<MirrorStore, 'mark'>, name: string): T | null {
  const body = mirror.mark(name);
  return body === null ? null : (JSON.parse(body) as T);
}

/** Resolves words to people in the current mirror, and checks that an id exists; see `meanPeople`. */
export function accountIn(mirror: Pick<MirrorStore, 'findIds' | 'mark' | 'get'>): Account {
  return {
    idOf: idOfIn({ find: (to, word) => findReferences(mirror, to, word) }),
    isThere: (id) => mirror.get('users', id) !== null,
  };
}

/**
 * Returns the ids of all objects that have this word as a key, ignoring case. If several match, a single exact spelling
 * wins. An id, which `meanPeople` substitutes for a word, returns itself.
 */
export function findReferences(
  mirror: Pick<MirrorStore, 'findIds' | 'mark' | 'get'>,
  to: Referable,
  word: string,
): readonly string[] {
  const folded = foldKey(word);
  if (to === 'industries') {
    return readMark<Readonly<Record<string, readonly string[]>>>(mirror, INDUSTRIES_MARK)?.[folded] ?? [];
  }
  const keys = TRAITS[to].words ?? [];
  const ids = [...new Set(keys.flatMap((name) => mirror.findIds(to, name, folded)))];
  if (ids.length === 0 && mirror.get(to, word) !== null) return [word];
  if (ids.length < 2) return ids;
  // In some systems, two ids may differ only in case.
  const spelt = ids.filter((id) => keys.some((name) => mirror.get(to, id)?.values[name] === word));
  return spelt.length === 1 ? spelt : ids;
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
