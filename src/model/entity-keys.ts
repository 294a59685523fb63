import { type Entity, SECTION_ENTITIES, type SectionEntity } from './entity.js';

const onCv = <T>(value: T): Readonly<Record<SectionEntity, T>> =>
  Object.fromEntries(SECTION_ENTITIES.map((entity) => [entity, value] as const)) as Record<SectionEntity, T>;

/** Within which of their references the keys of an entity are unique: the name of an office only in its country. */
export const SCOPES: Readonly<Partial<Record<Entity, string>>> = {
  offices: 'country',
  tags: 'category',
  staffing: 'project',
  ...onCv('user'),
};

/** The id in an object's values by which all objects of one owner are found: the projects of a customer. */
export const PARENTS: Readonly<Partial<Record<Entity, string>>> = {
  offices: 'country_id',
  tags: 'category_id',
  projects: 'customer_id',
  staffing: 'user_id',
  ...onCv('user_id'),
};

/** The fields whose value is a word that other records may refer to the object by. */
export const REFERENCE_KEYS: Readonly<Partial<Record<Entity, readonly string[]>>> = {
  countries: ['code'],
  tag_categories: ['external_unique_id'],
  users: ['external_unique_id', 'email'],
  customers: ['external_unique_id'],
  projects: ['external_unique_id'],
};

/** What a word can name: an object of an entity, or an industry, which the service keeps but lists nowhere. */
export type Referable = Entity | 'industries';

/** The id of the one object that a word means; null when none or several do. */
export type IdOf = (to: Referable, word: string) => string | null;
