import { SECTIONS, type SectionType } from './sections.js';

/** Everything that sets an entity apart. Code that treats entities differently reads a column here instead of naming them. */
export interface Traits {
  /** The name that people use on the command line and in reports: `user:jane@…`. */
  readonly singular: string;
  /** The plural, unless it is the name of the entity. */
  readonly plural?: string;
  /**
   * Accounts of people: deactivated instead of deleted, and possibly reactivated. They have an e-mail address, come from one
   * source that others enrich, and may be created by the service's import.
   */
  readonly account?: true;
  /** A kind of CV section, identified by its person and an id of the source. */
  readonly section?: true;
  /** Lies on the CV of the person in its field `user`. */
  readonly onCv?: true;
  /** Joins two other objects. Both together identify it, whatever ids its rows have; all rows of one link are one record. */
  readonly link?: true;
  /**
   * Several objects may share a name: an object that is already linked is not a match, and objects of one name are created
   * one after the other.
   */
  readonly sharesNames?: true;
  /**
   * Several objects may share an external id, because the interface does not rule it out: two calls may both arrive, or
   * someone else may create a second one.
   */
  readonly sharesIds?: true;
  /** The reference within which its keys are unique: an office name is unique only in its country. */
  readonly scope?: string;
  /** The id in an object's values that finds all objects of one owner: the projects of a customer. */
  readonly parent?: string;
  /** The name of `parent` in the objects that belong to this one and are gone once it is deleted. */
  readonly owns?: string;
  /** Objects with the same value in this field are deleted in one call. */
  readonly deletedWith?: string;
  /** The fields whose values other records may use to refer to the object. */
  readonly words?: readonly string[];
}

const sectionTraits = Object.fromEntries(
  Object.entries(SECTIONS).map(([entity, { singular }]) => [
    entity,
    { singular, section: true, onCv: true, scope: 'user', parent: 'user_id' } as const,
  ]),
) as Readonly<Record<SectionType, Traits & { readonly section: true }>>;

/**
 * The entities that talent-sync synchronises, in the order in which changes depend on each other: an office before the people
 * in it, a customer before its projects, people and projects before their links. Deletions come last, in reverse order.
 */
const ROWS = {
  countries: { singular: 'country', owns: 'country_id', words: ['code'] },
  offices: { singular: 'office', scope: 'country', parent: 'country_id' },
  tag_categories: { singular: 'tag category', owns: 'category_id', words: ['external_unique_id'] },
  tags: { singular: 'tag', scope: 'category', parent: 'category_id', deletedWith: 'category_id' },
  users: { singular: 'user', plural: 'people', account: true, owns: 'user_id', words: ['external_unique_id', 'email'] },
  ...sectionTraits,
  customers: { singular: 'customer', sharesIds: true, owns: 'customer_id', words: ['external_unique_id'] },
  projects: { singular: 'project', sharesIds: true, parent: 'customer_id', words: ['external_unique_id'] },
  staffing: { singular: 'project link', link: true, onCv: true, scope: 'project', parent: 'user_id' },
  proposals: { singular: 'proposal', sharesNames: true },
} as const satisfies Readonly<Record<string, Traits>>;

export type Entity = keyof typeof ROWS;
type EntityWith<Column extends keyof Traits> = {
  [E in Entity]: (typeof ROWS)[E] extends Readonly<Record<Column, true>> ? E : never;
}[Entity];

export const TRAITS: Readonly<Record<Entity, Traits>> = ROWS;
export const ENTITIES = Object.keys(ROWS) as readonly Entity[];

export const ACTIONS = ['create', 'update', 'relink', 'deactivate', 'reactivate', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** An object that a word can name: one of an entity, or an industry, which the service keeps but never lists. */
export type Referable = Entity | 'industries';

/** The id of the one object that a word means; null if there is none or more than one. */
export type IdOf = (to: Referable, word: string) => string | null;

/** The singular without spaces: `project_link:…` on the command line. */
export function wordFor(entity: Entity): string {
  return TRAITS[entity].singular.replaceAll(' ', '_');
}

/** `people`, `tag categories`. */
export function nameSeveral(entity: Entity): string {
  return TRAITS[entity].plural ?? entity.replaceAll('_', ' ');
}

/** Finds an entity by its name or by the name of one of its objects. */
export function findEntity(word: string): Entity | undefined {
  return ENTITIES.find((entity) => entity === word || wordFor(entity) === word);
}

/** @param entity may come from a file or the database, so it can be an entity that no longer exists */
export function isAccount(entity: unknown): entity is EntityWith<'account'> {
  return has(entity, 'account');
}

export function isSection(entity: Entity): entity is SectionType {
  return has(entity, 'section');
}

export function isLink(entity: Entity): entity is EntityWith<'link'> {
  return has(entity, 'link');
}

/** Sections, and the experiences that come from projects. */
export function liesOnCv(entity: Entity): boolean {
  return has(entity, 'onCv');
}

function has(entity: unknown, column: keyof Traits): boolean {
  return typeof entity === 'string' && Object.hasOwn(TRAITS, entity) && TRAITS[entity as Entity][column] === true;
}
