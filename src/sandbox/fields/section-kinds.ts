import type { TextFields } from './text-fields.js';

/** The fields that are specific to a section type. Common fields (starred, order, …) are not listed. */
interface SectionKind extends TextFields {
  /** Key that wraps the body of create and update. */
  readonly wrapper: string;
}

const PERIOD = ['month_from', 'month_to', 'year_from', 'year_to'] as const;

/** The 14 section types (spec, CV sections): path → wrapper and specific fields. */
export const SECTIONS = {
  key_qualifications: {
    wrapper: 'key_qualification',
    texts: ['label', 'long_description', 'tag_line'],
    strings: [],
  },
  educations: { wrapper: 'education', texts: ['degree', 'description', 'school'], strings: PERIOD },
  work_experiences: {
    wrapper: 'work_experience',
    texts: ['description', 'employer', 'long_description'],
    strings: PERIOD,
  },
  project_experiences: {
    wrapper: 'project_experience',
    texts: [
      'customer',
      'customer_anonymized',
      'customer_description',
      'customer_value_proposition',
      'description',
      'industry',
      'long_description',
      'project_type',
    ],
    strings: [
      ...PERIOD,
      'area_amt',
      'area_unit',
      'extent_hours',
      'percent_allocated',
      'project_extent_amt',
      'project_extent_currency',
      'project_extent_hours',
      'total_extent_amt',
      'total_extent_currency',
      'total_extent_hours',
      'expected_roll_off_date',
    ],
  },
  languages: { wrapper: 'language', texts: ['level', 'name'], strings: [] },
  technologies: { wrapper: 'technology', texts: ['category'], strings: [] },
  certifications: {
    wrapper: 'certification',
    texts: ['long_description', 'name', 'organiser'],
    strings: ['month', 'month_expire', 'year', 'year_expire'],
  },
  courses: { wrapper: 'course', texts: ['long_description', 'name', 'program'], strings: ['month', 'year'] },
  presentations: { wrapper: 'presentation', texts: ['description', 'long_description'], strings: ['month', 'year'] },
  recommendations: { wrapper: 'recommendation', texts: ['long_description', 'recommender'], strings: [] },
  positions: { wrapper: 'position', texts: ['description', 'name'], strings: ['year_from', 'year_to'] },
  blogs: { wrapper: 'blog', texts: ['long_description', 'name'], strings: ['month', 'url', 'year'] },
  honors_awards: {
    wrapper: 'honors_award',
    texts: ['for_work', 'issuer', 'long_description', 'name'],
    strings: ['month', 'year'],
  },
  mentorings: { wrapper: 'mentoring', texts: ['context', 'long_description'], strings: PERIOD },
} as const satisfies Record<string, SectionKind>;

export type SectionName = keyof typeof SECTIONS;
export const SECTION_TYPES = Object.keys(SECTIONS) as readonly SectionName[];

export function isSectionType(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

/** A list inside a section: roles, skills or contacts. */
export interface PartKind extends SectionKind {
  readonly section: SectionName;
  readonly numbers: readonly string[];
  /** Name of the text field that is required. */
  readonly required?: string;
  /**
   * Set if the section's body may contain the entire list. For project experiences, the spec allows the list in responses only.
   */
  readonly nested?: true;
}

const SKILL = {
  texts: ['tags'],
  strings: [],
  numbers: ['base_duration_in_years', 'offset_duration_in_years', 'proficiency'],
  required: 'tags',
} as const;

export const PARTS = {
  roles: {
    section: 'project_experiences',
    wrapper: 'role',
    texts: ['name', 'long_description', 'summary'],
    strings: ['origin_id'],
    numbers: [],
    required: 'name',
  },
  project_experience_skills: { section: 'project_experiences', wrapper: 'project_experience_skill', ...SKILL },
  project_experience_customer_contacts: {
    section: 'project_experiences',
    wrapper: 'project_experience_customer_contact',
    texts: [],
    strings: ['name', 'title', 'email', 'telephone'],
    numbers: [],
  },
  technology_skills: { section: 'technologies', wrapper: 'technology_skill', ...SKILL, nested: true },
} as const satisfies Record<string, PartKind>;

export type PartType = keyof typeof PARTS;
export const PART_TYPES = Object.keys(PARTS) as readonly PartType[];

export function listPartTypes(section: SectionName): readonly PartType[] {
  return PART_TYPES.filter((type) => PARTS[type].section === section);
}
