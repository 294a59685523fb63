import { compareTexts } from '../model/compare-texts.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import { keyId } from './access.js';
import type { CvDocument, SectionDocument } from './cv-documents.js';
import type { PartyDocument, UserDocument } from './documents.js';
import { CUSTOMER_FIELDS, pickFields, USER_FIELDS } from './plain-fields.js';
import { ENTRIES, ENTRY_KINDS, type ProjectDocument } from './project-documents.js';
import type { World } from './route.js';

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
 * Everything in the account, told by names and external ids, sorted, without ids, versions and times: two accounts that
 * hold the same have equal dumps, however they came to it.
 */
export function dumpState(world: World): StateDump {
  const { store } = world;
  return {
    countries: store.countries
      .all()
      .map(({ id: _, ...country }) => country)
      .sort(byText),
    offices: store.offices
      .all()
      .map((office) => ({ office: nameOffice(world, office.id) }))
      .sort(byText),
    tag_categories: store.categories
      .all()
      .map(({ id, ...category }) => ({
        ...category,
        custom_tags: store.tags
          .find('WHERE category_id = ?', [id])
          .map(({ values, external_unique_id }) => ({ values, external_unique_id }))
          .sort(byText),
      }))
      .sort(byText),
    users: store.users.find('ORDER BY email_key').map((user) => dumpUser(world, user)),
    customers: store.customers
      .all()
      .map((customer) => ({
        ...pickFields(CUSTOMER_FIELDS, customer),
        customer_name: customer.customer_name,
        industry: customer.industry_id === null ? null : (store.industries.get(customer.industry_id)?.values ?? null),
        tags: nameTags(world, customer.custom_tag_ids),
        projects: store.projects
          .find('WHERE company_customer_id = ?', [customer.id])
          .map((project) => dumpProject(world, project))
          .sort(byText),
      }))
      .sort(byText),
    proposals: store.proposals
      .all()
      .map((proposal) => ({
        name: proposal.name,
        status: proposal.status,
        archived: proposal.archived,
        owner: nameParty(world, proposal.owner),
        collaborators: proposal.collaborators.map((party) => nameParty(world, party)).sort(),
        cvs: store.cvs
          .find('WHERE proposal_id = ?', [proposal.id])
          .map((cv) => ({ user: store.users.get(cv.user_id)?.email ?? cv.user_id, ...dumpCv(world, cv) }))
          .sort(byText),
        references: store.tailored_references
          .find('WHERE proposal_id = ?', [proposal.id])
          .map(({ status, project }) => ({ status, ...dumpProject(world, project) }))
          .sort(byText),
      }))
      .sort(byText),
    imports: store.imports
      .all()
      .map(({ id: _, file: __, ...task }) => task)
      .sort(byText),
    mails: store.mails
      .all()
      .map(({ to, reason }) => ({ to, reason }))
      .sort(byText),
  };
}

function dumpUser(world: World, user: UserDocument): object {
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
    ...dumpMasterCv(world, user),
  };
}

/** Only of users who have one with something in it. */
function dumpMasterCv(world: World, user: UserDocument): object {
  const cv = world.store.cvs.get(user.default_cv_id);
  return cv ? { cv: dumpCv(world, cv) } : {};
}

function dumpCv(world: World, cv: CvDocument): object {
  const sections = Object.entries(cv.sections).map(([type, list]) => [
    type,
    list.map((section) => ({
      texts: section.texts,
      strings: section.strings,
      starred: section.starred,
      disabled: section.disabled,
      external_unique_id: section.external_unique_id,
      project: section.origin ? nameOrigin(world, section.origin) : null,
      parts: Object.fromEntries(
        Object.entries(section.parts).map(([part, entries]) => [
          part,
          entries.map(({ texts, strings, numbers }) => ({ texts, strings, numbers })),
        ]),
      ),
    })),
  ]);
  return {
    ...(cv.profile === null ? {} : { status: cv.status, profile: cv.profile }),
    tags: nameTags(world, cv.custom_tag_ids),
    sections: Object.fromEntries(sections),
  };
}

function nameOrigin(world: World, origin: NonNullable<SectionDocument['origin']>): object {
  const project = world.store.projects.get(origin.project_id);
  return { external_unique_id: project?.strings.external_unique_id ?? null, linked: origin.isLinked };
}

function nameParty(world: World, party: PartyDocument): string {
  if (party.type === 'user') return world.store.users.get(party.id)?.email ?? party.id;
  return [...world.keys.values()].find((key) => keyId(key) === party.id)?.name ?? party.id;
}

function dumpProject(world: World, project: ProjectDocument): object {
  const entries = ENTRY_KINDS.map((kind) => [
    kind,
    project.entries[kind].map(({ texts, strings, disabled }) => ({
      ...Object.fromEntries(ENTRIES[kind].texts.map((field) => [field, texts[field] ?? {}])),
      ...Object.fromEntries(ENTRIES[kind].strings.map((field) => [field, strings[field] ?? null])),
      disabled,
    })),
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

function nameOffice(world: World, id: string): string {
  const office = world.store.offices.get(id);
  return office ? `${world.store.countries.get(office.country_id)?.code}/${office.name}` : id;
}

/** `category/tag`, by external id, else by name. */
function nameTags(world: World, ids: readonly string[]): readonly string[] {
  return ids
    .map((id) => {
      const tag = world.store.tags.get(id);
      const category = tag && world.store.categories.get(tag.category_id);
      if (!tag || !category) return id;
      const name = (item: typeof tag | typeof category): string =>
        item.external_unique_id ?? Object.values(item.values)[0] ?? item.id;
      return `${name(category)}/${name(tag)}`;
    })
    .sort();
}

function byText(a: object, b: object): number {
  return compareTexts(canonicalJson(a as JsonObject), canonicalJson(b as JsonObject));
}
