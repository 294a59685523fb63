import type { Multilingual } from '../model/json.js';

/**
 * The fourteen kinds of CV section: wrapper of their bodies and their own fields (spec, CV sections). A new kind, or a new
 * field, is a row or a word here: types, checks and calls follow.
 */
export const SECTIONS = {
  key_qualifications: {
    wrapper: 'key_qualification',
    fields: { label: 'multilingual', long_description: 'multilingual', tag_line: 'multilingual' },
  },
  educations: {
    wrapper: 'education',
    fields: {
      degree: 'multilingual',
      description: 'multilingual',
      school: 'multilingual',
      month_from: 'text',
      month_to: 'text',
      year_from: 'text',
      year_to: 'text',
    },
  },
  work_experiences: {
    wrapper: 'work_experience',
    fields: {
      description: 'multilingual',
      employer: 'multilingual',
      long_description: 'multilingual',
      month_from: 'text',
      month_to: 'text',
      year_from: 'text',
      year_to: 'text',
    },
  },
  project_experiences: {
    wrapper: 'project_experience',
    fields: {
      area_amt: 'text',
      area_unit: 'text',
      customer: 'multilingual',
      customer_anonymized: 'multilingual',
      customer_description: 'multilingual',
      customer_value_proposition: 'multilingual',
      description: 'multilingual',
      extent_hours: 'text',
      industry: 'multilingual',
      long_description: 'multilingual',
      month_from: 'text',
      month_to: 'text',
      year_from: 'text',
      year_to: 'text',
      percent_allocated: 'text',
      project_extent_amt: 'text',
      project_extent_currency: 'text',
      project_extent_hours: 'text',
      project_type: 'multilingual',
      total_extent_amt: 'text',
      total_extent_currency: 'text',
      total_extent_hours: 'text',
      expected_roll_off_date: 'text',
    },
  },
  languages: { wrapper: 'language', fields: { level: 'multilingual', name: 'multilingual' } },
  technologies: { wrapper: 'technology', fields: { uncategorized: 'flag', category: 'multilingual' } },
  certifications: {
    wrapper: 'certification',
    fields: {
      long_description: 'multilingual',
      month: 'text',
      month_expire: 'text',
      name: 'multilingual',
      organiser: 'multilingual',
      year: 'text',
      year_expire: 'text',
    },
  },
  courses: {
    wrapper: 'course',
    fields: {
      long_description: 'multilingual',
      month: 'text',
      name: 'multilingual',
      program: 'multilingual',
      year: 'text',
    },
  },
  presentations: {
    wrapper: 'presentation',
    fields: { description: 'multilingual', long_description: 'multilingual', month: 'text', year: 'text' },
  },
  recommendations: {
    wrapper: 'recommendation',
    fields: { long_description: 'multilingual', recommender: 'multilingual' },
  },
  positions: {
    wrapper: 'position',
    fields: { description: 'multilingual', name: 'multilingual', year_from: 'text', year_to: 'text' },
  },
  /** Publications. */
  blogs: {
    wrapper: 'blog',
    fields: { long_description: 'multilingual', month: 'text', name: 'multilingual', url: 'text', year: 'text' },
  },
  honors_awards: {
    wrapper: 'honors_award',
    fields: {
      for_work: 'multilingual',
      issuer: 'multilingual',
      long_description: 'multilingual',
      month: 'text',
      name: 'multilingual',
      year: 'text',
    },
  },
  mentorings: {
    wrapper: 'mentoring',
    fields: {
      context: 'multilingual',
      long_description: 'multilingual',
      month_from: 'text',
      month_to: 'text',
      year_from: 'text',
      year_to: 'text',
    },
  },
} as const satisfies Readonly<Record<string, { readonly wrapper: string; readonly fields: FieldKinds }>>;

export type FieldKind = 'multilingual' | 'text' | 'flag';
type FieldKinds = Readonly<Record<string, FieldKind>>;

export type SectionType = keyof typeof SECTIONS;
export const SECTION_TYPES = Object.keys(SECTIONS) as readonly SectionType[];

interface Sent {
  readonly multilingual: Multilingual;
  readonly text: string | null;
  readonly flag: boolean;
}

/** Taken on every section (spec, CV sections); any `order` will do, gaps and ties included. */
export interface CommonSectionFields {
  readonly starred?: boolean;
  readonly disabled?: boolean;
  /** Unique across the sections of the CV. */
  readonly external_unique_id?: string | null;
  readonly order?: number;
}

/** What a section of one kind can be given: own and common fields, under the names the service takes. */
export type SectionFields<T extends SectionType> = CommonSectionFields & {
  readonly [F in keyof (typeof SECTIONS)[T]['fields']]?: (typeof SECTIONS)[T]['fields'][F] extends FieldKind
    ? Sent[(typeof SECTIONS)[T]['fields'][F]]
    : never;
};

/**
 * Only changed fields, and the `version` as read: without it, or with an older one, the answer is 409. On a hard-linked
 * project experience the inherited fields may not be sent (spec, Project linking 7).
 */
export type SectionUpdate<T extends SectionType> = SectionFields<T> & { readonly version: number };
