const PERIOD = { month_from: 'text', month_to: 'text', year_from: 'text', year_to: 'text' } as const;

/**
 * The fourteen kinds of CV section by their names in paths of the service, with the wrapper of their bodies and their own
 * fields (spec, CV sections). A new kind or field needs only a row or word here. Types, checks, calls and mappable fields are
 * derived from the table.
 */
export const SECTIONS = {
  key_qualifications: {
    singular: 'key qualification',
    wrapper: 'key_qualification',
    fields: { label: 'multilingual', long_description: 'multilingual', tag_line: 'multilingual' },
  },
  educations: {
    singular: 'education',
    wrapper: 'education',
    fields: {
      degree: 'multilingual',
      description: 'multilingual',
      school: 'multilingual',
      ...PERIOD,
    },
  },
  work_experiences: {
    singular: 'work experience',
    wrapper: 'work_experience',
    fields: {
      description: 'multilingual',
      employer: 'multilingual',
      long_description: 'multilingual',
      ...PERIOD,
    },
  },
  project_experiences: {
    singular: 'project experience',
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
      ...PERIOD,
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
  languages: { singular: 'language', wrapper: 'language', fields: { level: 'multilingual', name: 'multilingual' } },
  technologies: {
    singular: 'technology',
    wrapper: 'technology',
    fields: { uncategorized: 'flag', category: 'multilingual' },
  },
  certifications: {
    singular: 'certification',
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
    singular: 'course',
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
    singular: 'presentation',
    wrapper: 'presentation',
    fields: { description: 'multilingual', long_description: 'multilingual', month: 'text', year: 'text' },
  },
  recommendations: {
    singular: 'recommendation',
    wrapper: 'recommendation',
    fields: { long_description: 'multilingual', recommender: 'multilingual' },
  },
  positions: {
    singular: 'position',
    wrapper: 'position',
    fields: { description: 'multilingual', name: 'multilingual', year_from: 'text', year_to: 'text' },
  },
  blogs: {
    singular: 'publication',
    wrapper: 'blog',
    fields: { long_description: 'multilingual', month: 'text', name: 'multilingual', url: 'text', year: 'text' },
  },
  honors_awards: {
    singular: 'award',
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
    singular: 'mentoring',
    wrapper: 'mentoring',
    fields: {
      context: 'multilingual',
      long_description: 'multilingual',
      ...PERIOD,
    },
  },
} as const satisfies Readonly<Record<string, Section>>;

/**
 * Fields that a hard-linked project experience reads from its project and customer, so they must not be sent to it (spec,
 * Project linking 5 and 7).
 */
export const INHERITED_FROM_PROJECT: ReadonlySet<string> = new Set([
  'description',
  'long_description',
  'project_type',
  'project_extent_amt',
  'project_extent_currency',
  'project_extent_hours',
  'total_extent_amt',
  'total_extent_currency',
  'total_extent_hours',
  'area_amt',
  'area_unit',
  'customer_value_proposition',
  'customer',
  'customer_description',
  'industry',
]);

/** Additional fields of every kind of section. Any `order` is valid, with gaps and ties. */
export const COMMON_FIELDS = { starred: 'flag', disabled: 'flag', order: 'integer' } as const;

export type FieldKind = 'multilingual' | 'text' | 'flag';
interface Section {
  /** The name for one section of this kind. */
  readonly singular: string;
  readonly wrapper: string;
  readonly fields: Readonly<Record<string, FieldKind>>;
}

export type SectionType = keyof typeof SECTIONS;
type OwnTable<T extends SectionType> = (typeof SECTIONS)[T]['fields'];
/** The fields of one kind of section, each with the type for its kind of field. */
export type OwnFields<T extends SectionType, Kinds extends Readonly<Record<FieldKind, unknown>>> = {
  readonly [F in keyof OwnTable<T>]?: OwnTable<T>[F] extends FieldKind ? Kinds[OwnTable<T>[F]] : never;
};
export const SECTION_TYPES = Object.keys(SECTIONS) as readonly SectionType[];
