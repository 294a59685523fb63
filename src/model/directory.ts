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
  /** True if the master CV is known to show the tags of a person; see `read-user-tags.ts`. */
  readonly showsUserTags: boolean;
  /**
   * Ids of the objects that a source may mean by this word; see `Traits.words`. An industry is found by name, external id or
   * id.
   */
  find(to: Referable, word: string): readonly string[];
  /** Custom fields of projects: name → type, from the latest read of a project; null before the first read. */
  customFields(): Readonly<Record<string, string>> | null;
  /** True if tags of a category are shown on records of an entity. Tags that are not shown cannot be compared. */
  showsTags(category: string, on: Entity): boolean;
  /** Existing names for "did you mean": countries, offices of a country, categories, or tags of a category. */
  known(what: 'countries' | 'offices' | 'categories' | 'tags', within?: string): readonly string[];
  /** Hash over offices and tags. If it changes, pairs that were equal before are compared again. */
  readonly digest: string;
}

/** Resolves tag ids to names. */
export interface TagNames {
  /** null if the tag is unknown, or if the tag or its category has no external id. */
  tagById(id: string): { readonly category: string; readonly tag: string } | null;
  /** External ids of the categories whose tags are shown on records of an entity. */
  shownCategories(on: Entity): readonly string[];
}

/** Returns a lookup of the id of the one object that a word means. The lookup returns null for no match and for several. */
export function idOfIn(directory: Pick<Directory, 'find'>): IdOf {
  return (to, word) => {
    const [id, another] = directory.find(to, word);
    return another === undefined ? (id ?? null) : null;
  };
}

/** Returns the natural key of an office in plans, such as `no/Oslo`, ignoring case and white space. */
export function officeKey(country: string, name: string): string {
  return `${foldKey(country)}/${foldKey(name)}`;
}

const NATURAL_KEYS: Readonly<Partial<Record<Entity, (values: Values) => string>>> = {
  offices: ({ country, name }) => officeKey(String(country ?? ''), String(name ?? '')),
  tags: ({ category, external_unique_id: tag }) => tagKey(String(category ?? ''), String(tag ?? '')),
};

/**
 * Returns the key by which records refer to an office or tag, because these have no key of their own; null for other entities.
 */
export function naturalKey(entity: Entity, values: Values): string | null {
  return NATURAL_KEYS[entity]?.(values) ?? null;
}

export function tagKey(category: string, tag: string): string {
  return `${category}/${tag}`;
}
