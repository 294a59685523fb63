/**
 * What talent-sync keeps equal, in the order in which changes depend on each other: an office before the people in it,
 * a customer before its projects, people before the projects they own.
 */
export const ENTITIES = ['offices', 'tag_categories', 'tags', 'users', 'customers', 'projects'] as const;
export type Entity = (typeof ENTITIES)[number];

/** The entities that records of a source become; the others are derived from what these refer to. */
export const SOURCED_ENTITIES = ['users', 'customers', 'projects'] as const;
export type SourcedEntity = (typeof SOURCED_ENTITIES)[number];

export const ACTIONS = ['create', 'update', 'deactivate', 'reactivate'] as const;
export type Action = (typeof ACTIONS)[number];

/** The name a person uses on the command line and in reports: `user:jane@…`. */
export const SINGULAR: Readonly<Record<Entity, string>> = {
  offices: 'office',
  tag_categories: 'tag category',
  tags: 'tag',
  users: 'user',
  customers: 'customer',
  projects: 'project',
};
