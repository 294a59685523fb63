import type { Entity } from './entity.js';

/** The field that names an object to people, within what it belongs to. Sections of a CV go by all that they say. */
export const CALLED: Readonly<Partial<Record<Entity, string>>> = {
  customers: 'customer_name',
  projects: 'project_name',
  tag_categories: 'values',
  tags: 'values',
  proposals: 'name',
};
/** Within which of their references names mean something, beside the scopes of keys. */
export const CALLED_WITHIN: Readonly<Partial<Record<Entity, string>>> = { projects: 'customer' };
