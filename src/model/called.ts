import type { Entity } from './entity.js';

/** The field with the name by which people know an object of each entity. Sections of a CV have none: all their content names them. */
export const CALLED: Readonly<Partial<Record<Entity, string>>> = {
  customers: 'customer_name',
  projects: 'project_name',
  tag_categories: 'values',
  tags: 'values',
  proposals: 'name',
};
/** The references within which a name is unique, in addition to the scopes of keys. */
export const CALLED_WITHIN: Readonly<Partial<Record<Entity, string>>> = { projects: 'customer' };
