import type { Entity } from './entity.js';

/** Entity → the field that holds the name of an object. Sections of a CV have no such field: their content identifies them. */
export const CALLED: Readonly<Partial<Record<Entity, string>>> = {
  customers: 'customer_name',
  projects: 'project_name',
  tag_categories: 'values',
  tags: 'values',
  proposals: 'name',
};
/** Entity → the reference within which a name is unique, in addition to the scope of its keys. */
export const CALLED_WITHIN: Readonly<Partial<Record<Entity, string>>> = { projects: 'customer' };
