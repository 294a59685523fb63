import type { SectionName } from '../fields/section-kinds.js';
import { profileOf } from '../records/cvs.js';
import {
  ATTACHMENTS,
  type ColumnRow,
  HIGHLIGHTED,
  IS_MASTERDATA,
  inOneLanguage,
  numberOfSection,
  ofSection,
  perLanguage,
  personColumns,
  sectionText,
  timeOf,
} from './columns.js';

export interface ReportType {
  /** The content of a line: a CV, a section of this type, a skill, or a role. */
  readonly lines: 'cv' | 'skill' | 'role' | SectionName;
  readonly columns: readonly ColumnRow[];
}

const PERSON = [
  'Name',
  'Email',
  'Department',
  'Country',
  'Nationality',
  'UPN',
  'External User ID',
  'Platform User ID',
  'Platform CV ID',
] as const;

const SECTION = [
  ...personColumns(...PERSON, 'Platform section ID', 'External unique ID', 'Updated', 'Updated by owner'),
] as const;

const FROM_TO = [
  numberOfSection('Month from', 'month_from'),
  numberOfSection('Year from', 'year_from'),
  numberOfSection('Month to', 'month_to'),
  numberOfSection('Year to', 'year_to'),
] as const;

const MONTH_YEAR = [numberOfSection('Month', 'month'), numberOfSection('Year', 'year')] as const;

function textInBoth(title: string, field: string): readonly ColumnRow[] {
  return [
    perLanguage(title, sectionText(field)),
    { title: `${title} (int)`, read: ({ section }) => section?.texts[field]?.en ?? '' },
  ];
}

function text(title: string, field: string): ColumnRow {
  return inOneLanguage(title, sectionText(field));
}

/** Title in the usage report → the section type to count; null if the sandbox does not have it. */
const COUNTED: Readonly<Record<string, SectionName | null>> = {
  'Summary Of Qualifications': 'key_qualifications',
  'Project Experiences': 'project_experiences',
  'Highlighted roles': null,
  'Skill categories': 'technologies',
  Educations: 'educations',
  'Work experiences': 'work_experiences',
  Certifications: 'certifications',
  Courses: 'courses',
  Presentations: 'presentations',
  Recommendations: 'recommendations',
  Positions: 'positions',
  Mentoring: 'mentorings',
  Publications: 'blogs',
  'Honors and awards': 'honors_awards',
  Languages: 'languages',
};

function ownerUpdate(title: string, type: SectionName | null): ColumnRow {
  return {
    title: `Owner last updated ${title}`,
    read: ({ owned }) => timeOf((type && owned.cv.owner_updated[type]) ?? null),
  };
}

/** Returns a report type with one line per section. */
function perSection(lines: SectionName, columns: readonly ColumnRow[]): ReportType {
  return { lines, columns: [...SECTION, ...columns] };
}

/** The report types and their columns (spec, Report records, CV report columns). */
export const REPORT_TYPES: Readonly<Record<string, ReportType>> = {
  user_report: {
    lines: 'cv',
    columns: [
      ...personColumns('Name', 'Name (multilang)'),
      perLanguage('Title', ({ owned }) => profileOf(owned).title),
      ...personColumns(
        'Email',
        'UPN',
        'External User ID',
        'Platform User ID',
        'Platform CV ID',
        'Phone Number',
        'Landline',
        'Birth Year',
        'Department',
        'Country',
        'User language',
        'User created at',
        'CV Last updated by owner',
        'CV Last updated',
        'Years of education',
        'Years since first work experience',
        'Access roles',
        'Has profile image',
        'Owns a reference project',
        'Read and understood privacy notice',
      ),
    ],
  },
  usage_report: {
    lines: 'cv',
    columns: [
      ...personColumns('Name', 'Name (multilang)'),
      perLanguage('Title', ({ owned }) => profileOf(owned).title),
      ...personColumns(
        'Birth Year',
        'Email',
        'UPN',
        'External User ID',
        'Platform User ID',
        'Platform CV ID',
        'Phone Number',
        'Landline',
      ),
      perLanguage('Nationality', ({ owned }) => profileOf(owned).nationality),
      ...personColumns(
        'Department',
        'Country',
        'Owner last removed or added a section',
        'Owner last updated CV',
        'Last updated CV',
      ),
      ...Object.entries(COUNTED).flatMap(([title, type]): readonly ColumnRow[] => [
        { title, read: ({ owned }) => (type === null ? 0 : (owned.cv.sections[type] ?? []).length) },
        ownerUpdate(title, type),
      ]),
      ownerUpdate('Qualifications', 'key_qualifications'),
      ...personColumns('Unique roles', 'Years of education', 'Years since first work experience'),
    ],
  },
  project_experiences: perSection('project_experiences', [
    ...FROM_TO,
    ...textInBoth('Customer', 'customer'),
    ...textInBoth('Customer Anonymized', 'customer_anonymized'),
    ...textInBoth('Description', 'description'),
    ...textInBoth('Long description', 'long_description'),
    ...textInBoth('Industry', 'industry'),
    ...textInBoth('Project type', 'project_type'),
    numberOfSection('Percent allocated', 'percent_allocated'),
    numberOfSection('Project extent (individual hours)', 'extent_hours'),
    numberOfSection('Project extent (hours)', 'project_extent_hours'),
    numberOfSection('Project extent total (hours)', 'total_extent_hours'),
    numberOfSection('Project extent', 'project_extent_amt'),
    ofSection('Project extent (currency)', 'project_extent_currency'),
    numberOfSection('Project extent total', 'total_extent_amt'),
    ofSection('Project extent total (currency)', 'total_extent_currency'),
    numberOfSection('Project area', 'area_amt'),
    ofSection('Project area (unit)', 'area_unit'),
    HIGHLIGHTED,
  ]),
  certifications: perSection('certifications', [
    ...MONTH_YEAR,
    numberOfSection('Month expire', 'month_expire'),
    numberOfSection('Year expire', 'year_expire'),
  ]),
  courses: perSection('courses', [
    ...MONTH_YEAR,
    text('Name', 'name'),
    text('Organiser', 'program'),
    text('Long description', 'long_description'),
    HIGHLIGHTED,
    IS_MASTERDATA,
    ATTACHMENTS,
  ]),
  languages: perSection('languages', [HIGHLIGHTED, IS_MASTERDATA, text('Language', 'name'), text('Level', 'level')]),
  technologies: {
    lines: 'skill',
    columns: [
      ...personColumns(...PERSON),
      { title: 'Platform skill ID', read: ({ part }) => part?.id ?? null },
      { title: 'Platform skill category ID', read: ({ section }) => section?.id ?? null },
      inOneLanguage('Skill name', ({ part }) => part?.texts.tags ?? {}),
      {
        title: 'Year experience',
        read: ({ part }) => (part?.numbers.base_duration_in_years ?? 0) + (part?.numbers.offset_duration_in_years ?? 0),
      },
      { title: 'Proficiency (0-5)', read: ({ part }) => part?.numbers.proficiency ?? 0 },
      IS_MASTERDATA,
    ],
  },
  key_qualifications: perSection('key_qualifications', [
    text('Label', 'label'),
    text('Summary of Qualifications', 'long_description'),
    text('Short description', 'tag_line'),
  ]),
  educations: perSection('educations', [
    ...FROM_TO,
    HIGHLIGHTED,
    ATTACHMENTS,
    text('Place of study', 'school'),
    text('Degree', 'degree'),
    text('Description', 'description'),
  ]),
  work_experiences: perSection('work_experiences', [
    ...FROM_TO,
    HIGHLIGHTED,
    text('Employer', 'employer'),
    text('Description', 'description'),
    text('Long Description', 'long_description'),
  ]),
  positions: perSection('positions', [
    numberOfSection('Year from', 'year_from'),
    numberOfSection('Year to', 'year_to'),
    HIGHLIGHTED,
    text('Name', 'name'),
    text('Description', 'description'),
  ]),
  // The spec does not list the columns of the last two types, so they show the fields of the records.
  blogs: perSection('blogs', [
    ...MONTH_YEAR,
    HIGHLIGHTED,
    text('Name', 'name'),
    text('Long description', 'long_description'),
    ofSection('URL', 'url'),
  ]),
  cv_roles: {
    lines: 'role',
    columns: [
      ...SECTION,
      { title: 'Platform role ID', read: ({ part }) => part?.id ?? null },
      { title: 'Platform CV role ID', read: ({ part }) => part?.cv_role_id ?? null },
      inOneLanguage('Role', ({ part }) => part?.texts.name ?? {}),
    ],
  },
};
