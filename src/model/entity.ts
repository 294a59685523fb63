import { SECTIONS, type SectionType } from './sections.js';

/** What sets an entity apart. Code that treats one otherwise than the others reads a column here, and names none. */
export interface Traits {
  /** The name a person uses on the command line and in reports: `user:jane@…`. */
  readonly singular: string;
  /** What several are called, where that is not the name of the entity. */
  readonly plural?: string;
  /**
   * Accounts of people: deactivated instead of deleted, and taken into use again. They have an e-mail address, come from
   * one source that others enrich, and may be created by the service's import.
   */
  readonly account?: true;
  /** A kind of CV section, known by its person and an id of the source. */
  readonly section?: true;
  /** Lies on the CV of the person that its field `user` names. */
  readonly onCv?: true;
  /** Joins two other objects: known by both, whatever ids its rows have, and all rows of one link are one. */
  readonly link?: true;
  /** Several may have one name: what is linked is no match, and those of one name are created one after the other. */
  readonly sharesNames?: true;
  /** Several may have one external id: the interface promises no other. Two calls may both arrive, or other hands make a second one. */
  readonly sharesIds?: true;
  /** Within which of its references its keys are unique: the name of an office only in its country. */
  readonly scope?: string;
  /** The id in an object's values by which all objects of one owner are found: the projects of a customer. */
  readonly parent?: string;
  /** What `parent` is called in the objects that belong to one of these, and are gone when it is gone. */
  readonly owns?: string;
  /** Several with the same value here are deleted in one call. */
  readonly deletedWith?: string;
  /** The fields whose value is a word that other records may refer to the object by. */
  readonly words?: readonly string[];
}

const sectionTraits = Object.fromEntries(
  Object.entries(SECTIONS).map(([entity, { singular }]) => [
    entity,
    { singular, section: true, onCv: true, scope: 'user', parent: 'user_id' } as const,
  ]),
) as Readonly<Record<SectionType, Traits & { readonly section: true }>>;

/**
 * What talent-sync keeps equal, in the order in which changes depend on each other: an office before the people in it,
 * a customer before its projects, people and projects before their links. Deletions go the other way round, at the end.
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

/** What a word can name: an object of an entity, or an industry, which the service keeps but lists nowhere. */
export type Referable = Entity | 'industries';

/** The id of the one object that a word means; null when none or several do. */
export type IdOf = (to: Referable, word: string) => string | null;

/** The name of one of them without blanks: `project_link:…` on the command line. */
export function wordFor(entity: Entity): string {
  return TRAITS[entity].singular.replaceAll(' ', '_');
}

/** `people`, `tag categories`. */
export function nameSeveral(entity: Entity): string {
  return TRAITS[entity].plural ?? entity.replaceAll('_', ' ');
}

/** The entity under this name, or the name of one of its objects. */
export function findEntity(word: string): Entity | undefined {
  return ENTITIES.find((entity) => entity === word || wordFor(entity) === word);
}

/** @param entity may be read from a file or the database, so that it is none of today's */
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
