import type { TemplateSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import type { Texts } from '../fields/languages.js';
import { SECTION_TYPES, type SectionName } from '../fields/section-kinds.js';
import { cvUpdatedAt, type OwnedCv, profileOf } from '../records/cvs.js';
import { listSectionImages, resolveSection } from '../records/inherited-values.js';
import { languageOf } from '../records/places.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import { buildLook, findPicture } from './choose-look.js';
import { formatAmount, formatMonth, formatNumber, formatPeriod } from './format-values.js';
import type { EntryBlock, Fact, Paper, PaperBlock, PaperHead, PaperSection } from './paper.js';
import { createTeller, joinWords, listSection, type Teller, tellFacts } from './teller.js';

/** The title, subtitle and text fields of a section type. In the order of a CV. */
interface EntryFields {
  readonly title: string;
  readonly subtitle?: string;
  readonly prose: readonly string[];
}

const ENTRIES: Readonly<Partial<Record<SectionName, EntryFields>>> = {
  key_qualifications: { title: 'label', prose: ['tag_line', 'long_description'] },
  technologies: { title: 'category', prose: [] },
  project_experiences: { title: 'description', prose: ['long_description'] },
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

/** For section types that are not in the table. */
const PLAIN: EntryFields = { title: 'name', prose: ['description', 'long_description'] };

const ORDER = [...new Set([...Object.keys(ENTRIES), ...SECTION_TYPES])] as readonly SectionName[];

/** A CV as a document, without disabled parts. */
export function describeCv(world: World, owned: OwnedCv, language: string, template: TemplateSettings): Paper {
  const teller = createTeller(world, language);
  const head = describeHead(teller, owned);
  return {
    title: joinWords([head.name, head.subtitle], ' – '),
    standIn: `cv-${owned.cv.id}`,
    language,
    isRightToLeft: teller.isRightToLeft,
    notShown: teller.labels.notShown,
    changedMs: cvUpdatedAt(owned),
    look: buildLook(template, language),
    head,
    sections: ORDER.flatMap((type) => describeSection(teller, type, owned.cv.sections[type] ?? [])),
  };
}

function describeHead(teller: Teller, owned: OwnedCv): PaperHead {
  const { world, labels } = teller;
  const { user } = owned;
  const profile = profileOf(owned);
  const { place_of_residence: place, born_year: born } = profile;
  const office = world.store.offices.get(user.office_id)?.name ?? '';
  const native = languageOf(world, user) ?? 'en';
  const residence = teller.name(typeof place === 'string' ? { [native]: place } : (place ?? {}));
  const name = profile.name_multilang[teller.language] || profile.name || teller.name(profile.name_multilang);
  return {
    name,
    subtitle: teller.name(profile.title),
    lines: [
      joinWords([office === residence ? '' : office, residence, teller.name(profile.nationality)]),
      joinWords([user.email, profile.telephone ?? '', born === null ? '' : `${labels.born} ${born}`]),
    ].filter((line) => line !== ''),
    portrait: findPicture(world, user.image_id, name),
  };
}

function describeSection(teller: Teller, type: SectionName, sections: readonly SectionDocument[]): PaperSection[] {
  const shown = sections.filter((section) => !section.disabled);
  const blocks =
    type in AS_FACTS ? listFacts(teller, type, shown) : shown.flatMap((one) => describeEntry(teller, type, one));
  return listSection(headingOf(teller.labels, type), blocks);
}

function headingOf(labels: Readonly<Record<string, string>>, type: SectionName): string {
  return labels[type] ?? type.replaceAll('_', ' ');
}

/** Section types whose entries are one line each. */
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

function isShown({ disabled }: { readonly disabled: boolean }): boolean {
  return !disabled;
}

function describeEntry(teller: Teller, type: SectionName, section: SectionDocument): readonly EntryBlock[] {
  const fields = ENTRIES[type] ?? PLAIN;
  const isProject = type === 'project_experiences';
  const { texts, strings } = isProject ? resolveSection(teller.world, section) : section;
  const entry: EntryBlock = {
    kind: 'entry',
    title: teller.name(texts[fields.title]),
    subtitle: isProject
      ? joinWords([tellCustomer(teller, texts), teller.name(texts.industry)])
      : teller.name(texts[fields.subtitle ?? '']),
    period: tellTime(teller, strings),
    blocks: [
      ...(isProject ? describeRoles(teller, section) : []),
      ...teller.prose(...fields.prose.map((field) => texts[field])),
      ...(isProject ? describeProject(teller, section, texts, strings) : []),
      ...tellFacts([{ label: teller.labels.links, value: strings.url ?? '' }]),
    ],
  };
  return entry.title === '' && entry.subtitle === '' && entry.blocks.length === 0 ? [] : [entry];
}

/** The anonymized name of a customer, in any language, replaces the real one. */
function tellCustomer(
  { name }: Teller,
  { customer, customer_anonymized: anonymized }: Readonly<Record<string, Texts>>,
): string {
  return name(anonymized) || name(customer);
}

/** A period; or a month, with the end of validity. */
function tellTime({ language, labels }: Teller, strings: SectionDocument['strings']): string {
  if (strings.year_from || strings.year_to) return formatPeriod(language, labels, strings);
  const end = formatMonth(language, strings.month_expire, strings.year_expire);
  return joinWords([formatMonth(language, strings.month, strings.year), end && `${labels.validUntil} ${end}`]);
}

function describeRoles(teller: Teller, { parts }: SectionDocument): EntryBlock['blocks'] {
  return (parts.roles ?? [])
    .filter(isShown)
    .flatMap(({ texts }) => [
      ...tellFacts([{ label: teller.labels.role, value: teller.name(texts.name) }]),
      ...teller.prose(texts.summary, texts.long_description),
    ]);
}

function describeProject(
  teller: Teller,
  section: SectionDocument,
  texts: Readonly<Record<string, Texts>>,
  strings: SectionDocument['strings'],
): EntryBlock['blocks'] {
  const { language, labels } = teller;
  const skills = (section.parts.project_experience_skills ?? []).filter(isShown);
  // The description of an anonymous customer would reveal its name.
  const isNamed = teller.name(texts.customer_anonymized) === '';
  const hours = strings.project_extent_hours ?? strings.total_extent_hours ?? '';
  return [
    ...(isNamed ? teller.prose(texts.customer_description) : []),
    ...teller.prose(texts.customer_value_proposition),
    ...tellFacts([
      { label: labels.projectType, value: teller.name(texts.project_type) },
      {
        label: labels.cost,
        value:
          formatAmount(language, strings.project_extent_amt, strings.project_extent_currency?.toUpperCase()) ||
          formatAmount(language, strings.total_extent_amt, strings.total_extent_currency?.toUpperCase()),
      },
      { label: labels.hours, value: formatNumber(language, hours) },
      { label: labels.area, value: formatAmount(language, strings.area_amt, strings.area_unit) },
      { label: labels.technologies, value: joinWords(skills.map((skill) => teller.name(skill.texts.tags))) },
    ]),
    ...teller.pictures(listSectionImages(teller.world, section)),
  ];
}
