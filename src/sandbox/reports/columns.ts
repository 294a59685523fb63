import type { World } from '../account/world.js';
import { type CodeMode, pickText, type Texts, toWireCode } from '../fields/languages.js';
import type { OwnedCv } from '../records/cvs.js';
import { cvUpdatedAt, profileOf } from '../records/cvs.js';
import { languageOf } from '../records/places.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import type { ReportCell, TitledColumn } from './report-table.js';

export interface ReportContext {
  readonly world: World;
  /** ISO codes of the report's languages, at least one. */
  readonly languages: readonly string[];
  /** ISO code → the language as written in the request. */
  readonly titles: Readonly<Record<string, string>>;
  readonly mode: CodeMode;
  /** Ids of users who own a reference project. */
  readonly ownerIds: ReadonlySet<string>;
}

/** The content of a line: a CV, and in some reports a section of it, or a part of a section. */
export interface ReportLine {
  readonly owned: OwnedCv;
  readonly section?: SectionDocument;
  readonly part?: PartDocument;
}

export interface ReportColumn extends TitledColumn {
  readonly read: (line: ReportLine, context: ReportContext) => ReportCell;
}

/** A column, or a column per language if the title contains `#{lang}`. */
export type ColumnRow = ReportColumn | { readonly title: string; readonly readText: (line: ReportLine) => Texts };

export function expandColumns(
  rows: readonly ColumnRow[],
  { languages, titles, mode }: ReportContext,
): readonly ReportColumn[] {
  return rows.flatMap((row): readonly ReportColumn[] => {
    if ('read' in row) return [row];
    return languages.map((language) => ({
      title: row.title.replace('#{lang}', titles[language] ?? toWireCode(language, mode)),
      read: (line) => row.readText(line)[language] ?? '',
    }));
  });
}

export function perLanguage(title: string, readText: (line: ReportLine) => Texts): ColumnRow {
  return { title: `${title} (#{lang})`, readText };
}

/** Returns one column for a multilingual field: the text in the report's first language, or else in any language. */
export function inOneLanguage(title: string, readText: (line: ReportLine) => Texts): ColumnRow {
  return { title, read: (line, { languages }) => pickText(readText(line), languages[0] ?? 'en') };
}

export function sectionText(field: string): (line: ReportLine) => Texts {
  return ({ section }) => section?.texts[field] ?? {};
}

export function ofSection(title: string, field: string): ColumnRow {
  return { title, read: ({ section }) => section?.strings[field] ?? null };
}

/** Returns a column for a number that is stored as text (spec, Conventions 6: months and years are strings). */
export function numberOfSection(title: string, field: string): ColumnRow {
  return { ...ofSection(title, field), holdsNumbers: true };
}

/** The sandbox has no masterdata except custom tags, so this column is always empty. */
export const IS_MASTERDATA: ColumnRow = { title: 'Is official masterdata (in #{lang})', readText: () => NONE };
const NONE: Texts = new Proxy({}, { get: () => 'No' });

export const HIGHLIGHTED: ColumnRow = {
  title: 'Highlighted',
  read: ({ section }) => (section?.starred ? 'Yes' : 'No'),
};

/** This column is always empty, because the sandbox stores no attachments of sections. */
export const ATTACHMENTS: ColumnRow = { title: 'Attachments', read: () => '' };

export function timeOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

const PERSON: Readonly<Record<string, ReportColumn['read']>> = {
  Name: ({ owned }) => profileOf(owned).name,
  Email: ({ owned }) => owned.user.email,
  Department: ({ owned }, { world }) => world.store.offices.get(owned.user.office_id)?.name ?? '',
  Country: ({ owned }, { world }) => world.store.countries.get(owned.user.country_id)?.code ?? '',
  Nationality: ({ owned }, { languages }) => pickText(profileOf(owned).nationality, languages[0] ?? 'en'),
  UPN: ({ owned }) => owned.user.upn,
  'External User ID': ({ owned }) => owned.user.external_unique_id,
  'Platform User ID': ({ owned }) => owned.user.id,
  'Platform CV ID': ({ owned }) => owned.cv.id,
  'Phone Number': ({ owned }) => profileOf(owned).telephone,
  Landline: ({ owned }) => profileOf(owned).landline,
  'Birth Year': ({ owned }) => profileOf(owned).born_year,
  'Name (multilang)': ({ owned }, { languages }) => pickText(profileOf(owned).name_multilang, languages[0] ?? 'en'),
  'User language': ({ owned }, { world, mode }) => toWireCode(languageOf(world, owned.user) ?? 'en', mode),
  'User created at': ({ owned }) => timeOf(owned.user.created_at),
  'CV Last updated by owner': ({ owned }) => timeOf(owned.cv.owner_updated_at),
  'Owner last updated CV': ({ owned }) => timeOf(owned.cv.owner_updated_at),
  'Owner last removed or added a section': ({ owned }) =>
    timeOf(Math.max(0, ...Object.values(owned.cv.owner_updated)) || null),
  'CV Last updated': ({ owned }) => timeOf(cvUpdatedAt(owned)),
  'Last updated CV': ({ owned }) => timeOf(cvUpdatedAt(owned)),
  'Access roles': ({ owned }) => [owned.user.role, ...owned.user.extra_roles].join(' '),
  'Has profile image': ({ owned }) => (owned.user.image_id ? 'Yes' : 'No'),
  'Owns a reference project': ({ owned }, { ownerIds }) => (ownerIds.has(owned.user.id) ? 'Yes' : 'No'),
  'Read and understood privacy notice': () => 'No',
  'Unique roles': ({ owned }) => owned.cv.cv_roles.length,
  'Years of education': ({ owned }) =>
    (owned.cv.sections.educations ?? []).reduce((years, section) => years + countYears(section), 0),
  'Years since first work experience': ({ owned }, { world }) => {
    const starts = (owned.cv.sections.work_experiences ?? []).flatMap(({ strings }) => readYearOf(strings.year_from));
    return starts.length === 0 ? null : new Date(world.clock.now()).getUTCFullYear() - Math.min(...starts);
  },
  'Platform section ID': ({ section }) => section?.id ?? null,
  'External unique ID': ({ section }) => section?.external_unique_id ?? null,
  Updated: ({ section }) => timeOf(section?.updated_at ?? null),
  'Updated by owner': ({ section }) => timeOf(section?.owner_updated_at ?? null),
};

function readYearOf(text: string | null | undefined): number[] {
  return text && /^\d{4}$/.test(text) ? [Number(text)] : [];
}

function countYears({ strings }: SectionDocument): number {
  const [from] = readYearOf(strings.year_from);
  const [to] = readYearOf(strings.year_to);
  return from === undefined || to === undefined ? 0 : Math.max(0, to - from);
}

/** Returns the columns about the person and the CV with these titles in the spec. */
export function personColumns(...titles: readonly string[]): readonly ColumnRow[] {
  return titles.map((title) => {
    const read = PERSON[title];
    if (!read) throw new Error(`no column is called ${title}`);
    return { title, read };
  });
}
