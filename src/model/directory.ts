import type { Entity, IdOf, Referable } from './entity.js';
import type { Values } from './json.js';
import { foldKey } from './observed.js';

/** What names in the sources resolve to in the service: offices, tags, customers, people. */
export interface Directory {
  hasCountry(code: string): boolean;
  countryId(code: string): string | null;
  officeId(country: string, name: string): string | null;
  categoryId(category: string): string | null;
  tagId(category: string, tag: string): string | null;
  /** Whether the tags of a person show on the master CV, as far as it is known; see `read-user-tags.ts`. */
  readonly showsUserTags: boolean;
  /** Ids of the objects that a source may know by this word; see `Traits.words`. An industry is known by name, external id or id. */
  find(to: Referable, word: string): readonly string[];
  /** Custom fields of projects: name → type, as the newest project that was read lists them; null before there was one. */
  customFields(): Readonly<Record<string, string>> | null;
  /** Whether tags of a category are shown on records of an entity; what is not shown cannot be compared. */
  showsTags(category: string, on: Entity): boolean;
  /** Names that exist, for "did you mean": of offices in a country, countries, categories, tags of a category. */
  known(what: 'countries' | 'offices' | 'categories' | 'tags', within?: string): readonly string[];
  /** Hash over offices and tags: an agreement found under another one is looked at again. */
  readonly digest: string;
}

/** What is needed to tell tags by names: they come by ids. */
export interface TagNames {
  /** Null for a tag that is not known, or has no external id, or whose category has none. */
  tagById(id: string): { readonly category: string; readonly tag: string } | null;
  /** External ids of the categories whose tags are shown on records of an entity. */
  shownCategories(on: Entity): readonly string[];
}

/** What a word means, where it means one thing. */
export function idOfIn(directory: Pick<Directory, 'find'>): IdOf {
  return (to, word) => {
    const [id, another] = directory.find(to, word);
    return another === undefined ? (id ?? null) : null;
  };
}

/** `no/Oslo`: the natural key of an office in plans. Spelling differences of case and white space are one office. */
export function officeKey(country: string, name: string): string {
  return `${foldKey(country)}/${foldKey(name)}`;
}

const NATURAL_KEYS: Readonly<Partial<Record<Entity, (values: Values) => string>>> = {
  offices: ({ country, name }) => officeKey(String(country ?? ''), String(name ?? '')),
  tags: ({ category, external_unique_id: tag }) => tagKey(String(category ?? ''), String(tag ?? '')),
};

/** What records refer to an office or tag by, where it has no key of its own; null for everything else. */
export function naturalKey(entity: Entity, values: Values): string | null {
  return NATURAL_KEYS[entity]?.(values) ?? null;
}

export function tagKey(category: string, tag: string): string {
  return `${category}/${tag}`;
}
