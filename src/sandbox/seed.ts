import type { OfficeDocument } from './documents.js';
import {
  type CustomerFixture,
  FIXTURE_PLACE,
  FIXTURE_RECORDS,
  type Fixture,
  type FixtureProblem,
  listProblems,
  type ProjectFixture,
  type ProposalFixture,
  readFixturePart,
  refuseFixture as refuse,
  refuseProblems,
  type UserFixture,
} from './fixture.js';
import type { FixtureList, FixtureParts } from './fixture-parts.js';
import { keepImages, keepPicture } from './pictures.js';
import { COUNTRY_FIELDS, emptyFields } from './plain-fields.js';
import {
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKind,
  IMAGE_KINDS,
  type ProjectDocument,
} from './project-documents.js';
import type { World } from './route.js';
import { listOffices } from './routes/countries.js';
import { buildEntry, buildProject, fillProjectName, mergeProjectBody } from './save-project.js';
import { buildUserDraft, resolveRoles } from './save-user.js';
import { type FixtureLink, seedCv, seedLinks } from './seed-cv.js';
import { seedProposal } from './seed-proposal.js';
import { createId, emailKey } from './store.js';

interface FixtureRecords {
  readonly users: UserFixture;
  readonly customers: CustomerFixture;
  readonly proposals: ProposalFixture;
}

interface Names {
  readonly world: World;
  /** Of the CVs so far. */
  readonly links: FixtureLink[];
  findOffice(country: string, name: string, place: string): OfficeDocument;
  findTags(references: Readonly<Record<string, string>>, place: string): readonly string[];
}

/** Fills an empty account. Throws SYNC_CONFIG_INVALID where the fixture names something it does not define. */
export function seedWorld(world: World, frame: Fixture, parts: FixtureParts): void {
  const { store } = world;
  store.write(() => {
    seedCountries(world, frame);
    seedIndustries(world, frame);
    seedCategories(world, frame);
    const names = buildNames(world);
    const records = readRecords(parts);
    store.fill([store.users, store.cvs], () => {
      for (const [user, place] of records.read('users')) seedUser(world, names, user, place);
    });
    for (const [customer, place] of records.read('customers')) seedCustomer(world, names, customer, place);
    seedLinks(world, names.links);
    for (const [proposal, place] of records.read('proposals')) seedProposal(world, proposal, place);
    records.finish();
  });
}

/** Each record with its place, as long as all were valid; once one was not, the others are only checked. */
function readRecords(parts: FixtureParts) {
  const problems: FixtureProblem[] = [];
  return {
    *read<L extends FixtureList>(list: L): IterableIterator<readonly [record: FixtureRecords[L], place: string]> {
      let count = 0;
      for (const value of parts.readList(list)) {
        const place = `/${list}/${count}`;
        count += 1;
        const result = FIXTURE_RECORDS[list].safeParse(value);
        if (!result.success) problems.push(...listProblems(result.error, place));
        else if (problems.length === 0) yield [result.data as FixtureRecords[L], place];
      }
    },
    finish() {
      if (problems.length > 0) throw refuseProblems(problems, FIXTURE_PLACE);
    },
  };
}

function seedIndustries({ store }: World, { industries }: Fixture): void {
  for (const [index, { id = createId(), values, external_unique_id = null }] of industries.entries()) {
    if (store.industries.get(id)) refuse(`/industries/${index}`, `Two industries have the id ${id}.`);
    store.industries.put({ id, values, external_unique_id });
  }
}

function seedCategories({ store }: World, fixture: Fixture): void {
  for (const { custom_tags, ...category } of fixture.tag_categories) {
    const { id } = store.categories.put({ ...category, id: createId() });
    for (const { values, external_unique_id = null } of custom_tags)
      store.tags.put({ id: createId(), values, external_unique_id, category_id: id });
  }
}

function seedCountries(world: World, fixture: Fixture): void {
  for (const { offices, override_ui_language_code = null, cv_template_id = null, ...country } of fixture.countries) {
    const { id } = world.store.countries.put({
      ...country,
      id: createId(),
      override_ui_language_code,
      ...emptyFields(COUNTRY_FIELDS),
      cv_template_id,
    });
    for (const { override_language_code = null, cv_template_id = null, ...office } of offices) {
      world.store.offices.put({ ...office, id: createId(), country_id: id, override_language_code, cv_template_id });
    }
  }
}

/** Lookups by name, read once: a fixture may hold 100,000 users. */
function buildNames(world: World): Names {
  const offices = new Map<string, OfficeDocument>();
  for (const country of world.store.countries.all()) {
    for (const office of listOffices(world, country.id)) offices.set(`${country.code}/${office.name}`, office);
  }
  const tags = new Map<string, string>();
  for (const tag of world.store.tags.all()) {
    const category = world.store.categories.get(tag.category_id);
    tags.set(`${category?.external_unique_id}/${tag.external_unique_id}`, tag.id);
  }
  return {
    world,
    links: [],
    findOffice: (country, name, place) =>
      offices.get(`${country}/${name}`) ?? refuse(place, `The fixture has no office ${name} in country ${country}.`),
    findTags: (references, place) =>
      Object.entries(references).map(
        ([category, tag]) =>
          tags.get(`${category}/${tag}`) ??
          refuse(place, `The fixture has no custom tag ${tag} in category ${category}.`),
      ),
  };
}

/** Not held to the whitelist and the unique values: an account may hold what it would not take today. */
function seedUser(world: World, names: Names, fixture: UserFixture, place: string): void {
  const {
    country,
    office,
    roles,
    role_allowed_offices,
    role_allowed_tags,
    tags,
    deactivated,
    profile_updated_at,
    cv,
    image,
    ...fields
  } = fixture;
  const where = names.findOffice(country, office, place);
  const draft = buildUserDraft({ office_id: where.id, country_id: where.country_id });
  const now = world.clock.now();
  const stamp = profile_updated_at === undefined ? now : Date.parse(profile_updated_at);
  const user = world.store.users.put({
    ...draft,
    ...fields,
    ...readFixturePart(place, () => resolveRoles(roles[0], roles.slice(1), draft)),
    role_allowed_office_ids: role_allowed_offices.map((scope) => names.findOffice(scope.country, scope.name, place).id),
    role_allowed_tag_ids: role_allowed_tags.map(
      (external) =>
        world.store.tags.first('WHERE external_unique_id = ?', [external])?.id ??
        refuse(place, `The fixture has no custom tag ${external}.`),
    ),
    custom_tag_ids: names.findTags(tags, place),
    deactivated_at: deactivated ? now : null,
    created_at: now,
    updated_at: now,
    profile_updated_at: Math.floor(stamp / 1000),
    profile_shown_at: stamp,
    image_id: image === undefined ? null : readFixturePart(place, () => keepPicture(world, image)),
  });
  if (cv) names.links.push(...seedCv(world, user, { ...cv, tagIds: names.findTags(cv.tags, place) }, `${place}/cv`));
}

function seedCustomer(world: World, names: Names, fixture: CustomerFixture, place: string): void {
  const { industry, tags, projects, ...fields } = fixture;
  const known = world.store.industries.all().find((candidate) => candidate.external_unique_id === industry);
  if (industry !== undefined && !known) refuse(place, `The fixture has no industry ${industry}.`);
  const now = world.clock.now();
  const customer = world.store.customers.put({
    ...fields,
    id: createId(),
    industry_id: known?.id ?? null,
    version: 1,
    custom_tag_ids: names.findTags(tags, place),
    created_at: now,
    updated_at: now,
  });
  for (const [index, project] of projects.entries()) {
    seedProject(names, customer.id, project, `${place}/projects/${index}`);
  }
}

/** The schema has checked the fields already: texts are objects, strings are strings. */
function readEntry(kind: EntryKind, entry: Readonly<Record<string, unknown>>): EntryDocument {
  const pick = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, entry[field]]));
  return buildEntry({
    texts: pick(ENTRIES[kind].texts) as EntryDocument['texts'],
    strings: pick(ENTRIES[kind].strings) as EntryDocument['strings'],
    disabled: entry.disabled === true,
  });
}

function seedProject(names: Names, customerId: string, fixture: ProjectFixture, place: string): void {
  const { world } = names;
  const { owners, offices, tags, ...body } = fixture;
  const images = IMAGE_KINDS.map((kind) => [kind, readFixturePart(place, () => keepImages(world, fixture[kind]))]);
  const empty = buildProject(world, customerId);
  const entries = { ...empty.entries };
  for (const kind of ENTRY_KINDS) {
    const given: readonly Readonly<Record<string, unknown>>[] = fixture[kind];
    if (given.length > 0) entries[kind] = given.map((entry) => readEntry(kind, entry));
  }
  const merged = readFixturePart(place, () => mergeProjectBody(world, empty, body, 'iso'));
  world.store.projects.put({
    ...fillProjectName(world, merged),
    entries,
    images: Object.fromEntries(images) as NonNullable<ProjectDocument['images']>,
    owner_ids: owners.map(
      (email) =>
        world.store.users.first('WHERE email_key = ?', [emailKey(email)])?.id ??
        refuse(place, `The fixture has no user ${email}.`),
    ),
    office_ids: offices.map((office) => names.findOffice(office.country, office.name, place).id),
    custom_tag_ids: names.findTags(tags, place),
  });
}
