import { foldLoosely } from '../../model/raw-text.js';
import type { TemplateSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { SECTION_TYPES, type SectionName } from '../fields/section-kinds.js';
import { cvUpdatedAt, type OwnedCv, profileOf } from '../records/cvs.js';
import { languageOf } from '../records/places.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import { buildLook, findPicture } from './choose-look.js';
import { buildEntry, describeExperiences, isShown } from './describe-experiences.js';
import { formatMonth, formatPeriod } from './format-values.js';
import type { EntryBlock, Fact, Paper, PaperBlock, PaperHead, PaperSection, SectionLayout } from './paper.js';
import { createTeller, joinWords, listSection, type Teller, tellFacts } from './teller.js';

/** The title, subtitle and text fields of a section type, in the order in which a CV shows them. */
interface EntryFields {
  readonly title: string;
  readonly subtitle?: string;
  readonly prose: readonly string[];
}

const ENTRIES: Readonly<Partial<Record<SectionName, EntryFields>>> = {
  key_qualifications: { title: 'label', prose: ['tag_line', 'long_description'] },
  technologies: { title: 'category', prose: [] },
  work_experiences: { title: 'employer', subtitle: 'description', prose: ['long_description'] },
  educations: { title: 'degree', subtitle: 'school', prose: ['description'] },
  certifications: { title: 'name', subtitle: 'organiser', prose: ['long_description'] },
  courses: { title: 'name', subtitle: 'program', prose: ['long_description'] },
  languages: { title: 'name', subtitle: 'level', prose: [] },
  positions: { title: 'name', prose: ['description'] },
  presentations: { title: 'description', prose: ['long_description'] },
  blogs: { title: 'name', prose: ['long_description'] },
  honors_awards: { title: 'name', subtitle: 'issuer', prose: ['for_work', 'long_description'] },
  mentorings: { title: 'context', prose: ['long_description'] },
  recommendations: { title: 'recommender', prose: ['long_description'] },
};

/** For section types that the table does not contain. */
const PLAIN: EntryFields = { title: 'name', prose: ['description', 'long_description'] };

/** The sections of a CV in reading order. */
const ORDER = [
  ...new Set(['key_qualifications', 'technologies', 'project_experiences', ...Object.keys(ENTRIES), ...SECTION_TYPES]),
] as readonly SectionName[];

/** Describes a CV as a document, without disabled parts. */
export function describeCv(world: World, owned: OwnedCv, language: string, template: TemplateSettings): Paper {
  const teller = createTeller(world, language);
  const head = describeHead(teller, owned, template.hide);
  return {
    title: joinWords([head.name, head.subtitle], ' – '),
    standIn: `cv-${owned.cv.id}`,
    language,
    isRightToLeft: teller.isRightToLeft,
    labels: teller.labels,
    changedMs: cvUpdatedAt(owned),
    look: buildLook(template, language),
    head,
    sections: ORDER.flatMap((type) => describeSection(teller, type, owned.cv.sections[type] ?? [])),
  };
}

function describeHead(teller: Teller, owned: OwnedCv, hide: TemplateSettings['hide']): PaperHead {
  const { world, labels } = teller;
  const { user } = owned;
  const profile = profileOf(owned);
  const { place_of_residence: place, born_year: born } = profile;
  const office = world.store.offices.get(user.office_id)?.name ?? '';
  const native = languageOf(world, user) ?? 'en';
  const residence = teller.name(typeof place === 'string' ? { [native]: place } : (place ?? {}));
  const name = profile.name_multilang[teller.language] || profile.name || teller.name(profile.name_multilang);
  const personal = {
    email: user.email,
    telephone: profile.telephone ?? '',
    born_year: born ? `${labels.born} ${born}` : '',
  };
  const shown = (['email', 'telephone', 'born_year'] as const).map((key) => (hide.includes(key) ? '' : personal[key]));
  return {
    name,
    subtitle: teller.name(profile.title),
    lines: [
      joinWords([
        foldLoosely(office) === foldLoosely(residence) ? '' : office,
        residence,
        teller.name(profile.nationality),
      ]),
      joinWords(shown),
    ].filter((line) => line !== ''),
    portrait: findPicture(world, user.image_id, name),
  };
}

function describeSection(
  teller: Teller,
  type: SectionName,
  sections: readonly SectionDocument[],
): readonly PaperSection[] {
  const shown = sections.filter((section) => !section.disabled);
  return listSection(headingOf(teller.labels, type), describeBlocks(teller, type, shown), KINDS[type] ?? 'list');
}

const KINDS: Readonly<Partial<Record<SectionName, SectionLayout>>> = {
  key_qualifications: 'summary',
  technologies: 'skills',
  project_experiences: 'projects',
};

function describeBlocks(teller: Teller, type: SectionName, shown: readonly SectionDocument[]): readonly PaperBlock[] {
  if (type in AS_FACTS) return listFacts(teller, type, shown);
  if (type === 'project_experiences') return describeExperiences(teller, shown);
  return shown.flatMap((section, rank) => describeEntry(teller, type, section, rank));
}

function headingOf(labels: Readonly<Record<string, string>>, type: SectionName): string {
  return labels[type] ?? type.replaceAll('_', ' ');
}

/** Section types with entries that take one line each. */
const AS_FACTS: Readonly<Partial<Record<SectionName, (teller: Teller, section: SectionDocument) => Fact>>> = {
  languages: ({ name }, { texts }) => ({ label: name(texts.name), value: name(texts.level) || '–' }),
  technologies: (teller, { texts, parts }) => ({
    label: teller.name(texts.category),
    value: joinWords((parts.technology_skills ?? []).filter(isShown).map((skill) => describeSkill(teller, skill))),
  }),
};

function listFacts(teller: Teller, type: SectionName, sections: readonly SectionDocument[]): readonly PaperBlock[] {
  const facts = sections.flatMap((section) => AS_FACTS[type]?.(teller, section) ?? []);
  return tellFacts(facts);
}

function describeSkill({ name, language }: Teller, { texts, numbers }: PartDocument): string {
  const years = (numbers.base_duration_in_years ?? 0) + (numbers.offset_duration_in_years ?? 0);
  if (years <= 0) return name(texts.tags);
  const format = new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit: 'year',
    maximumFractionDigits: 1,
  });
  return `${name(texts.tags)} (${format.format(years)})`;
}

function describeEntry(
  teller: Teller,
  type: SectionName,
  { texts, strings }: SectionDocument,
  rank: number,
): readonly EntryBlock[] {
  const fields = ENTRIES[type] ?? PLAIN;
  return buildEntry({
    title: teller.name(texts[fields.title]),
    subtitle: teller.name(texts[fields.subtitle ?? '']),
    period: tellTime(teller, strings),
    blocks: [
      ...teller.prose(...fields.prose.map((field) => texts[field])),
      ...tellFacts([{ label: teller.labels.links, value: strings.url ?? '' }]),
    ],
    rank,
  });
}

/** Formats a period, or a month together with the end of validity. */
function tellTime({ language, labels }: Teller, strings: SectionDocument['strings']): string {
  if (strings.year_from || strings.year_to) return formatPeriod(language, labels, strings);
  const end = formatMonth(language, strings.month_expire, strings.year_expire);
  return joinWords([formatMonth(language, strings.month, strings.year), end && `${labels.validUntil} ${end}`]);
}
