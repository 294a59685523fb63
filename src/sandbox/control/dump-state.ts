import { compareTexts } from '../../model/compare-texts.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { keyId } from '../calls/access.js';
import { CUSTOMER_FIELDS, pickFields, USER_FIELDS } from '../fields/plain-fields.js';
import { pickTextFields } from '../fields/text-fields.js';
import type { CvDocument, SectionDocument } from '../store/cv-documents.js';
import type {
  CategoryDocument,
  CustomerDocument,
  PartyDocument,
  ProposalDocument,
  UserDocument,
} from '../store/documents.js';
import { ENTRIES, ENTRY_KINDS, type ProjectDocument } from '../store/project-documents.js';

export interface StateDump {
  readonly countries: readonly object[];
  readonly offices: readonly object[];
  readonly tag_categories: readonly object[];
  readonly users: readonly object[];
  readonly customers: readonly object[];
  readonly proposals: readonly object[];
  readonly imports: readonly object[];
  readonly mails: readonly object[];
}

/**
 * Dumps the content of the account by names and external ids, sorted, without ids, versions and times. Accounts with the same
 * content have equal dumps, whatever their history.
 */
export function dumpState(world: World): StateDump {
  const { store } = world;
  return {
    countries: list(store.countries.all(), ({ id: _, ...country }) => country),
    offices: list(store.offices.all(), ({ id, override_language_code }) => ({
      office: nameOffice(world, id),
      override_language_code,
    })),
    tag_categories: list(store.categories.all(), (category) => dumpCategory(world, category)),
    users: store.users.find('ORDER BY email_key').map((user) => dumpUser(world, user)),
    customers: list(store.customers.all(), (customer) => dumpCustomer(world, customer)),
    proposals: list(store.proposals.all(), (proposal) => dumpProposal(world, proposal)),
    imports: list(store.imports.all(), ({ id: _, file: __, ...task }) => task),
    mails: list(store.mails.all(), ({ to, reason }) => ({ to, reason })),
  };
}

function list<T>(documents: readonly T[], dump: (document: T) => object): readonly object[] {
  const text = (dumped: object): string => canonicalJson(dumped as JsonObject);
  return documents.map(dump).sort((a, b) => compareTexts(text(a), text(b)));
}

function dumpCategory({ store }: World, { id, ...category }: CategoryDocument): object {
  const tags = store.tags.find('WHERE category_id = ?', [id]);
  const custom_tags = list(tags, ({ values, external_unique_id }) => ({ values, external_unique_id }));
  return { ...category, custom_tags };
}

function dumpCustomer(world: World, customer: CustomerDocument): object {
  const { projects, industries } = world.store;
  return {
    ...pickFields(CUSTOMER_FIELDS, customer),
    customer_name: customer.customer_name,
    industry: industries.get(customer.industry_id ?? '')?.values ?? null,
    tags: nameTags(world, customer.custom_tag_ids),
    projects: list(projects.find('WHERE company_customer_id = ?', [customer.id]), (project) =>
      dumpProject(world, project),
    ),
  };
}

function dumpProposal(world: World, { id, name, status, archived, ...proposal }: ProposalDocument): object {
  const { cvs, users, tailored_references } = world.store;
  return {
    name,
    status,
    archived,
    owner: nameParty(world, proposal.owner),
    collaborators: proposal.collaborators.map((party) => nameParty(world, party)).sort(),
    cvs: list(cvs.find('WHERE proposal_id = ?', [id]), (cv) => ({
      user: users.get(cv.user_id)?.email ?? cv.user_id,
      ...dumpCv(world, cv),
    })),
    references: list(tailored_references.find('WHERE proposal_id = ?', [id]), (reference) => ({
      status: reference.status,
      ...dumpProject(world, reference.project),
    })),
  };
}

function dumpUser(world: World, user: UserDocument): object {
  const cv = world.store.cvs.get(user.default_cv_id);
  return {
    email: user.email,
    ...pickFields(USER_FIELDS, user),
    name: user.name,
    name_multilang: user.name_multilang,
    place_of_residence: user.place_of_residence,
    twitter: user.twitter,
    override_language_code: user.override_language_code,
    office: nameOffice(world, user.office_id),
    roles: [user.role, ...[...user.extra_roles].sort()],
    role_allowed_offices: user.role_allowed_office_ids.map((id) => nameOffice(world, id)).sort(),
    role_allowed_tags: nameTags(world, user.role_allowed_tag_ids),
    tags: nameTags(world, user.custom_tag_ids),
    deactivated: user.deactivated_at !== null,
    // Only users whose CV has content are included.
    ...(cv ? { cv: dumpCv(world, cv) } : {}),
  };
}

function dumpCv(world: World, cv: CvDocument): object {
  const sections = Object.entries(cv.sections).map(([type, list]) => [
    type,
    list.map((section) => dumpSection(world, section)),
  ]);
  return {
    ...(cv.profile === null ? {} : { status: cv.status, profile: cv.profile }),
    tags: nameTags(world, cv.custom_tag_ids),
    sections: Object.fromEntries(sections),
  };
}

function dumpSection({ store }: World, { origin, ...section }: SectionDocument): object {
  const { texts, strings, starred, disabled, order, uncategorized, external_unique_id } = section;
  const parts = Object.entries(section.parts).map(([type, entries]) => [
    type,
    entries.map((part) => ({ texts: part.texts, strings: part.strings, numbers: part.numbers })),
  ]);
  const source = origin && {
    external_unique_id: store.projects.get(origin.project_id)?.strings.external_unique_id ?? null,
    linked: origin.isLinked,
  };
  return {
    texts,
    strings,
    starred,
    disabled,
    order,
    ...(uncategorized === undefined ? {} : { uncategorized }),
    external_unique_id,
    project: source ?? null,
    parts: Object.fromEntries(parts),
  };
}

function nameParty(world: World, party: PartyDocument): string {
  if (party.type === 'user') return world.store.users.get(party.id)?.email ?? party.id;
  return [...world.keys.values()].find((key) => keyId(key) === party.id)?.name ?? party.id;
}

function dumpProject(world: World, project: ProjectDocument): object {
  const entries = ENTRY_KINDS.map((kind) => [
    kind,
    project.entries[kind].map((entry) => ({ ...pickTextFields(ENTRIES[kind], entry), disabled: entry.disabled })),
  ]);
  return {
    ...project.strings,
    ...project.texts,
    ...Object.fromEntries(entries),
    workflow_stage: project.workflow_stage,
    custom_fields: project.custom_fields,
    owners: project.owner_ids.map((id) => world.store.users.get(id)?.email ?? id).sort(),
    offices: project.office_ids.map((id) => nameOffice(world, id)).sort(),
    tags: nameTags(world, project.custom_tag_ids),
  };
}

function nameOffice({ store }: World, id: string): string {
  const office = store.offices.get(id);
  return office ? `${store.countries.get(office.country_id)?.code}/${office.name}` : id;
}

/** Names tags as `category/tag`, by external ids or else by names. */
function nameTags({ store }: World, ids: readonly string[]): readonly string[] {
  const names = ids.map((id) => {
    const tag = store.tags.get(id);
    const category = store.categories.get(tag?.category_id);
    if (!tag || !category) return id;
    const name = (item: typeof tag | typeof category): string =>
      item.external_unique_id ?? Object.values(item.values)[0] ?? item.id;
    return `${name(category)}/${name(tag)}`;
  });
  return names.sort();
}
