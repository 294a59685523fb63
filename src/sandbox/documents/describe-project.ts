import type { TemplateSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import type { Texts } from '../fields/languages.js';
import type { EntryKind, ImageKind, ProjectDocument } from '../store/project-documents.js';
import { buildLook } from './choose-look.js';
import { describeCustomFields } from './describe-custom-fields.js';
import { formatAmount, formatNumber, formatPeriod } from './format-values.js';
import type { Fact, Paper, PaperBlock } from './paper.js';
import { createTeller, joinWords, listSection, type Teller, tellFacts } from './teller.js';

/** Describes a reference project as a document, without disabled parts and internal notes. */
export function describeProject(
  world: World,
  project: ProjectDocument,
  language: string,
  template: TemplateSettings,
): Paper {
  const teller = createTeller(world, language);
  const { labels } = teller;
  const { texts } = project;
  const customer = world.store.customers.get(project.company_customer_id);
  const industry = world.store.industries.get(customer?.industry_id ?? '');
  const name = teller.name(texts.project_name);
  const described = (field: string, kind?: ImageKind): readonly PaperBlock[] => [
    ...teller.prose(texts[field]),
    ...(kind ? teller.pictures(project.images?.[kind] ?? []) : []),
  ];
  const facts = [...listFacts(teller, project, industry?.values), ...describeCustomFields(teller, project)];
  return {
    title: joinWords([name, teller.name(customer?.customer_name)], ' – '),
    standIn: `project-${project.id}`,
    language,
    isRightToLeft: teller.isRightToLeft,
    labels,
    changedMs: project.updated_at,
    look: buildLook(template, language),
    head: {
      name,
      subtitle: teller.name(customer?.customer_name),
      lines: project.workflow_stage === 'live' ? [] : [labels.draft],
      portrait: undefined,
    },
    sections: [
      ...listSection(labels.introduction, described('project_introduction', 'project_introduction_images')),
      ...listSection(labels.keyFacts, tellFacts(facts)),
      ...listSection(labels.customer, teller.prose(customer?.customer_description)),
      ...listSection(labels.description, described('project_description')),
      ...listSection(labels.challenges, describeVariants(teller, project, 'project_challenges')),
      ...listSection(labels.solutions, describeVariants(teller, project, 'project_solutions')),
      ...listSection(labels.benefits, describeVariants(teller, project, 'customer_value_propositions')),
      ...listSection(labels.technologies, [
        ...described('project_skills_description'),
        ...describeSkills(teller, project),
      ]),
      ...listSection(labels.contacts, describeContacts(project, template.hide)),
      ...listSection(labels.links, tellFacts(describeLinks(teller, project))),
    ],
  };
}

function listFacts(teller: Teller, { texts, strings }: ProjectDocument, industry: Texts | undefined): readonly Fact[] {
  const { language, labels } = teller;
  const country = strings.location_country_code;
  const regions = new Intl.DisplayNames([language], { type: 'region' });
  return [
    { label: labels.industry, value: teller.name(industry) },
    { label: labels.period, value: formatPeriod(language, labels, strings) },
    {
      label: labels.place,
      value: joinWords([strings.project_address ?? '', country ? (regions.of(country.toUpperCase()) ?? '') : ''], ', '),
    },
    { label: labels.projectType, value: teller.name(texts.type) },
    { label: labels.contractType, value: teller.name(texts.contract_type) },
    {
      label: labels.cost,
      value:
        formatAmount(language, strings.extent_amt, strings.extent_currency?.toUpperCase()) ||
        formatAmount(language, strings.total_extent_amt, strings.total_extent_currency?.toUpperCase()) ||
        (strings.extent ?? ''),
    },
    {
      label: labels.hours,
      value: formatNumber(language, strings.extent_hours_new ?? strings.total_extent_hours ?? ''),
    },
    { label: labels.area, value: formatAmount(language, strings.area_amt, strings.area_unit) },
    { label: labels.architect, value: strings.architect ?? '' },
    { label: labels.buildingOwner, value: strings.building_owner ?? '' },
    { label: labels.partners, value: strings.collaborating_partners ?? '' },
  ];
}

/** Lists the enabled entries. Disabled entries are not published (spec, sub-resource entries). */
function listEnabled({ entries }: ProjectDocument, kind: EntryKind) {
  return entries[kind].filter((entry) => !entry.disabled);
}

type Variant = 'project_challenges' | 'project_solutions' | 'customer_value_propositions';

function describeVariants(teller: Teller, project: ProjectDocument, kind: Variant): readonly PaperBlock[] {
  return [
    ...listEnabled(project, kind).flatMap(({ texts }) => teller.prose(texts.value)),
    ...teller.pictures(project.images?.[`${kind}_images`] ?? []),
  ];
}

function describeSkills(teller: Teller, project: ProjectDocument): readonly PaperBlock[] {
  const skills = listEnabled(project, 'company_project_skills').map(({ texts }) => teller.name(texts.tags));
  const text = joinWords(skills);
  return text === '' ? [] : [{ kind: 'text', paragraphs: [{ text, isItem: false }] }];
}

function describeContacts(project: ProjectDocument, hide: TemplateSettings['hide']): readonly PaperBlock[] {
  return listEnabled(project, 'customer_contacts').flatMap(({ strings }) => {
    const { name, title } = strings;
    const ways = (['email', 'telephone'] as const).map((way) => (hide.includes(way) ? '' : (strings[way] ?? '')));
    const facts = tellFacts([{ label: name ?? '', value: joinWords([title ?? '', ...ways]) }]);
    const text = { kind: 'text', paragraphs: [{ text: name ?? '', isItem: false }] } as const;
    return facts.length > 0 || !name ? facts : [text];
  });
}

function describeLinks(teller: Teller, project: ProjectDocument): readonly Fact[] {
  return listEnabled(project, 'project_links').map(({ texts, strings }) => ({
    label: teller.name(texts.label),
    value: strings.url ?? '',
  }));
}
