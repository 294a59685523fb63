import { SECTIONS, type SectionType } from './sections.js';

/** The properties in which entities differ. Code reads these instead of naming entities. */
export interface Traits {
  /** The name of one object on the command line and in reports: `user:jane@…`. */
  readonly singular: string;
  /** The plural, unless it is the entity's name. */
  readonly plural?: string;
  /**
   * The objects are accounts of people: deactivated instead of deleted, and sometimes reactivated. They have an e-mail address,
   * come from one source that others enrich, and may be created by the service's import.
   */
  readonly account?: true;
  /** The objects are CV sections of one kind, each identified by its person and a source id. */
  readonly section?: true;
  /** The object is on the CV of the person in its field `user`. */
  readonly onCv?: true;
  /** The object joins two other objects, which together identify it. All rows for the same two objects are one record. */
  readonly link?: true;
  /**
   * Several objects may share a name. An object that is already linked does not match another record, and objects with one name
   * are created one after another.
   */
  readonly sharesNames?: true;
  /**
   * Several objects may share an external id, because the interface allows it: two calls may both be carried out, or someone
   * else may create a second object.
   */
  readonly sharesIds?: true;
  /** The reference within which the keys are unique: an office name is unique only in its country. */
  readonly scope?: string;
  /** The id field that leads from an object to its owner, such as the customer of a project. */
  readonly parent?: string;
  /** The id field of the objects that belong to this one. They are deleted together with it. */
  readonly owns?: string;
  /** Objects with the same value in this field are deleted in one call. */
  readonly deletedWith?: string;
  /** The fields that other records may use to refer to the object. */
  readonly words?: readonly string[];
}

const sectionTraits = Object.fromEntries(
  Object.entries(SECTIONS).map(([entity, { singular }]) => [
    entity,
    { singular, section: true, onCv: true, scope: 'user', parent: 'user_id' } as const,
  ]),
) as Readonly<Record<SectionType, Traits & { readonly section: true }>>;

/**
 * The entities that talent-sync synchronises, ordered so that each follows those it depends on: offices before people,
 * customers before projects, people and projects before their links. Deletions come last, in reverse order.
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

/** An object that a word can refer to: an entity's object, or an industry, which the service stores but never lists. */
export type Referable = Entity | 'industries';

/** Returns the id of the one object that a word means; null if it means no object or several. */
export type IdOf = (to: Referable, word: string) => string | null;

/** Returns the singular without spaces, as on the command line: `project_link:…`. */
export function wordFor(entity: Entity): string {
  return TRAITS[entity].singular.replaceAll(' ', '_');
}

/** Returns the plural for messages: `people`, `tag categories`. */
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

/** True for sections and for experiences that come from projects. */
export function liesOnCv(entity: Entity): boolean {
  return has(entity, 'onCv');
}

function has(entity: unknown, column: keyof Traits): boolean {
  return typeof entity === 'string' && Object.hasOwn(TRAITS, entity) && TRAITS[entity as Entity][column] === true;
}
