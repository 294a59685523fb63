/** The kinds of CV section, under the names of the service's paths (spec, CV sections). */
export const SECTION_ENTITIES = [
  'key_qualifications',
  'educations',
  'work_experiences',
  'project_experiences',
  'languages',
  'technologies',
  'certifications',
  'courses',
  'presentations',
  'recommendations',
  'positions',
  'blogs',
  'honors_awards',
  'mentorings',
] as const;
export type SectionEntity = (typeof SECTION_ENTITIES)[number];

/**
 * What talent-sync keeps equal, in the order in which changes depend on each other: an office before the people in it,
 * a customer before its projects, people and projects before their links. Deletions go the other way round, at the end.
 */
export const ENTITIES = [
  'countries',
  'offices',
  'tag_categories',
  'tags',
  'users',
  ...SECTION_ENTITIES,
  'customers',
  'projects',
  'staffing',
  'proposals',
] as const;
export type Entity = (typeof ENTITIES)[number];

export const ACTIONS = ['create', 'update', 'relink', 'deactivate', 'reactivate', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** The name a person uses on the command line and in reports: `user:jane@…`. */
export const SINGULAR: Readonly<Record<Entity, string>> = {
  countries: 'country',
  offices: 'office',
  tag_categories: 'tag category',
  tags: 'tag',
  users: 'user',
  key_qualifications: 'key qualification',
  educations: 'education',
  work_experiences: 'work experience',
  project_experiences: 'project experience',
  languages: 'language',
  technologies: 'technology',
  certifications: 'certification',
  courses: 'course',
  presentations: 'presentation',
  recommendations: 'recommendation',
  positions: 'position',
  blogs: 'publication',
  honors_awards: 'award',
  mentorings: 'mentoring',
  customers: 'customer',
  projects: 'project',
  staffing: 'project link',
  proposals: 'proposal',
};

export function isSection(entity: Entity): entity is SectionEntity {
  return (SECTION_ENTITIES as readonly string[]).includes(entity);
}
