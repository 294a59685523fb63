import { listSectionImages, resolveSection } from '../records/inherited-values.js';
import type { SectionDocument } from '../store/cv-documents.js';
import { formatAmount, formatNumber, formatPeriod } from './format-values.js';
import type { EntryBlock, RoleBlock } from './paper.js';
import { dropRepeats, joinWords, type Teller, tellFacts } from './teller.js';

/**
 * Describes the projects of a CV. Each begins with the customer and its own text. Skills follow, and then the roles with their
 * texts, so that no text seems to belong to another part.
 */
export function describeExperiences(teller: Teller, sections: readonly SectionDocument[]): readonly EntryBlock[] {
  const ranked = rankExperiences(sections);
  return sections.flatMap((section) => describeExperience(teller, section, ranked.indexOf(section)));
}

/** Sorts experiences: starred ones first, then those that are ongoing or ended last, then those that began last. */
function rankExperiences(sections: readonly SectionDocument[]): readonly SectionDocument[] {
  return sections.toSorted(
    (a, b) =>
      Number(b.starred) - Number(a.starred) ||
      endOf(b) - endOf(a) ||
      countMonths(b.strings.year_from, b.strings.month_from) - countMonths(a.strings.year_from, a.strings.month_from),
  );
}

function endOf({ strings }: SectionDocument): number {
  const isOpen = Boolean(strings.year_from) && !strings.year_to;
  return isOpen ? Number.MAX_SAFE_INTEGER : countMonths(strings.year_to, strings.month_to);
}

/** Counts months; zero without a year. */
function countMonths(year: string | null | undefined, month: string | null | undefined): number {
  return 12 * (Number(year) || 0) + (Number(month) || 0);
}

function describeExperience(teller: Teller, section: SectionDocument, rank: number): readonly EntryBlock[] {
  const { language, labels } = teller;
  const { texts, strings } = resolveSection(teller.world, section);
  // A customer with an anonymized name is shown under that name in every language. A description could reveal the real name.
  const anonymized = Object.values(texts.customer_anonymized ?? {}).some((text) => text.trim() !== '');
  const [title = '', customer = '', industry = '', projectType = ''] = dropRepeats(teller, [
    texts.description,
    anonymized ? texts.customer_anonymized : texts.customer,
    texts.industry,
    texts.project_type,
  ]);
  const skills = (section.parts.project_experience_skills ?? []).filter(isShown);
  return buildEntry({
    title,
    subtitle: joinWords([customer, industry]),
    period: formatPeriod(language, labels, strings),
    blocks: [
      ...teller.prose(
        texts.long_description,
        anonymized ? undefined : texts.customer_description,
        texts.customer_value_proposition,
      ),
      ...tellFacts([
        { label: labels.projectType, value: projectType },
        {
          label: labels.cost,
          value:
            formatAmount(language, strings.project_extent_amt, strings.project_extent_currency?.toUpperCase()) ||
            formatAmount(language, strings.total_extent_amt, strings.total_extent_currency?.toUpperCase()),
        },
        {
          label: labels.hours,
          value: formatNumber(language, strings.project_extent_hours ?? strings.total_extent_hours ?? ''),
        },
        { label: labels.area, value: formatAmount(language, strings.area_amt, strings.area_unit) },
        { label: labels.technologies, value: joinWords(skills.map((skill) => teller.name(skill.texts.tags))) },
      ]),
      ...describeRoles(teller, section),
      ...teller.pictures(listSectionImages(teller.world, section)),
    ],
    rank,
  });
}

function describeRoles(teller: Teller, { parts }: SectionDocument): readonly RoleBlock[] {
  return (parts.roles ?? []).filter(isShown).map(({ texts }) => ({
    kind: 'role',
    label: teller.labels.role,
    name: teller.name(texts.name),
    paragraphs: teller.prose(texts.summary, texts.long_description).flatMap((block) => block.paragraphs),
  }));
}

export function isShown({ disabled }: { readonly disabled: boolean }): boolean {
  return !disabled;
}

/** Builds an entry; an empty one is left out. */
export function buildEntry(entry: Omit<EntryBlock, 'kind'>): readonly EntryBlock[] {
  const isEmpty = entry.title === '' && entry.subtitle === '' && entry.blocks.length === 0;
  return isEmpty ? [] : [{ kind: 'entry', ...entry }];
}
