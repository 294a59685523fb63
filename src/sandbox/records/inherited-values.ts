import type { World } from '../account/world.js';
import type { TextValues } from '../fields/text-fields.js';
import type { SectionDocument } from '../store/cv-documents.js';
import type { ImageDocument } from '../store/documents.js';
import type { EntryDocument, ProjectDocument } from '../store/project-documents.js';

/** Text field of a project experience → text field of the project that it is read from (spec, Project linking 5). */
const TEXTS_OF_PROJECT = {
  description: 'project_name',
  long_description: 'project_description',
  project_type: 'type',
  contract_type: 'contract_type',
} as const;

const STRINGS_OF_PROJECT = {
  project_address: 'project_address',
  location_country_code: 'location_country_code',
  project_extent_amt: 'extent_amt',
  project_extent_currency: 'extent_currency',
  project_extent_hours: 'extent_hours_new',
  total_extent_amt: 'total_extent_amt',
  total_extent_currency: 'total_extent_currency',
  total_extent_hours: 'total_extent_hours',
  area_amt: 'area_amt',
  area_unit: 'area_unit',
} as const;

/** Fields that a hard-linked experience does not accept (spec, Project linking 7). */
export const INHERITED_FIELDS: readonly string[] = [
  ...Object.keys(TEXTS_OF_PROJECT),
  ...Object.keys(STRINGS_OF_PROJECT),
  'customer',
  'customer_description',
  'industry',
  'customer_value_proposition',
  'images',
  'project_experience_customer_contacts',
  'reference_customer_id',
];

export interface InheritedValues extends TextValues {
  readonly contacts: readonly EntryDocument[];
}

export function readInheritedValues(world: World, project: ProjectDocument): InheritedValues {
  const customer = world.store.customers.get(project.company_customer_id);
  const industry = customer?.industry_id ? world.store.industries.get(customer.industry_id) : undefined;
  const texts = Object.entries(TEXTS_OF_PROJECT).map(([field, source]) => [field, project.texts[source] ?? {}]);
  const strings = Object.entries(STRINGS_OF_PROJECT).map(([field, source]) => [field, project.strings[source] ?? null]);
  const proposition = project.entries.customer_value_propositions.find((entry) => !entry.disabled);
  return {
    texts: {
      ...Object.fromEntries(texts),
      customer: customer?.customer_name ?? {},
      customer_description: customer?.customer_description ?? {},
      industry: industry?.values ?? {},
      customer_value_proposition: proposition?.texts.value ?? {},
    },
    strings: Object.fromEntries(strings),
    contacts: project.entries.customer_contacts.filter((contact) => !contact.disabled),
  };
}

/** Finds the project of a hard link; undefined for copies and for sections without an origin. */
export function findLinkedProject(world: World, section: SectionDocument): ProjectDocument | undefined {
  return section.origin?.isLinked ? world.store.projects.get(section.origin.project_id) : undefined;
}

/** Lists the pictures of a section. A hard link shows the pictures of the project's introduction (spec, Project linking 5). */
export function listSectionImages(world: World, section: SectionDocument): readonly ImageDocument[] {
  const project = findLinkedProject(world, section);
  return (project ? project.images?.project_introduction_images : section.images) ?? [];
}

/** Returns the section as clients read it. A hard link contains the values of the project. */
export function resolveSection(world: World, section: SectionDocument): SectionDocument {
  const project = findLinkedProject(world, section);
  if (!project) return section;
  const { texts, strings } = readInheritedValues(world, project);
  return { ...section, texts: { ...section.texts, ...texts }, strings: { ...section.strings, ...strings } };
}
