import type { Entity, IdOf, Referable } from './entity.js';
import type { Values } from './json.js';
import { foldKey } from './observed.js';

/** Resolves names in the sources to objects of the service: offices, tags, customers, people. */
export interface Directory {
  hasCountry(code: string): boolean;
  countryId(code: string): string | null;
  officeId(country: string, name: string): string | null;
  categoryId(category: string): string | null;
  tagId(category: string, tag: string): string | null;
  /** True if the tags of a person show on the master CV, as far as that is known; see `read-user-tags.ts`. */
  readonly showsUserTags: boolean;
  /** Ids of the objects that a source may refer to by this word; see `Traits.words`. Industries go by name, external id or id. */
  find(to: Referable, word: string): readonly string[];
  /** Custom fields of projects: name → type, from the latest project read; null before one was read. */
  customFields(): Readonly<Record<string, string>> | null;
  /** True if tags of a category are shown on records of an entity. Tags that are not shown cannot be compared. */
  showsTags(category: string, on: Entity): boolean;
  /** Existing names, for "did you mean": offices of a country, countries, categories, tags of a category. */
  known(what: 'countries' | 'offices' | 'categories' | 'tags', within?: string): readonly string[];
  /** Hash over offices and tags. Pairs that were found equal under another hash are compared again. */
  readonly digest: string;
}

/** Resolves tag ids to names. */
export interface TagNames {
  /** null if the tag is unknown, or if it or its category has no external id. */
  tagById(id: string): { readonly category: string; readonly tag: string } | null;
  /** External ids of the categories whose tags are shown on records of an entity. */
  shownCategories(on: Entity): readonly string[];
}

/** Returns a lookup of the id that a word means; the lookup returns null unless exactly one object matches. */
export function idOfIn(directory: Pick<Directory, 'find'>): IdOf {
  return (to, word) => {
    const [id, another] = directory.find(to, word);
    return another === undefined ? (id ?? null) : null;
  };
}

/** `no/Oslo`: the natural key of an office in plans. Case and white space do not make another office. */
export function officeKey(country: string, name: string): string {
  return `${foldKey(country)}/${foldKey(name)}`;
}

const NATURAL_KEYS: Readonly<Partial<Record<Entity, (values: Values) => string>>> = {
  offices: ({ country, name }) => officeKey(String(country ?? ''), String(name ?? '')),
  tags: ({ category, external_unique_id: tag }) => tagKey(String(category ?? ''), String(tag ?? '')),
};

/** The key by which records refer to an office or tag, which have no key of their own; null for every other entity. */
export function naturalKey(entity: Entity, values: Values): string | null {
  return NATURAL_KEYS[entity]?.(values) ?? null;
}

export function tagKey(category: string, tag: string): string {
  return `${category}/${tag}`;
}
