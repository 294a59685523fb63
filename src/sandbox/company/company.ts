import type { FixtureInput } from '../fixture/fixture.js';
import { PROPOSAL_STATUSES } from '../store/documents.js';
import { readCountries, readLanguages } from './company-data.js';
import type { CompanyOptions, CompanyPlan } from './company-plan.js';
import { buildCustomer, type CustomerInput, INDUSTRIES, renderCustomer, renderProject } from './customers.js';
import { renderFullCv, renderShortCv } from './cv.js';
import { createEngagements, type Engagements } from './engagements.js';
import { buildPeople, DOMAIN, type Employee, KINDS, SENIORITIES, UNITS } from './people.js';
import { drawPortrait } from './portrait.js';
import { at, createRandom } from './random.js';

type UserInput = NonNullable<FixtureInput['users']>[number];
type ProposalInput = NonNullable<FixtureInput['proposals']>[number];

/**
 * A generated company. The same options give the same company on every machine. Large lists are generated while they are read.
 */
export interface Company {
  readonly plan: CompanyPlan;
  /** The fixture without its users, customers and proposals. */
  readonly frame: Omit<FixtureInput, 'users' | 'customers' | 'proposals'>;
  users(): IterableIterator<UserInput>;
  customers(): IterableIterator<CustomerInput>;
  proposals(): IterableIterator<ProposalInput>;
  readonly engagements: Engagements;
}

export const COMPANY_KEY = 'company-key';

export function createCompany(options: CompanyOptions): Company {
  const countries = readCountries(options.countries);
  const { codes, find, sayIn } = readLanguages(countries);
  const people = buildPeople(options.users, { seed: options.seed, countries, findPhrases: find });
  const plan: CompanyPlan = {
    ...options,
    // Projects refer to customers, and proposals refer to people.
    projects: options.customers === 0 ? 0 : options.projects,
    proposals: options.users === 0 ? 0 : options.proposals,
    name: 'Example Consulting',
    countries,
    languages: codes,
    people,
    findPhrases: find,
    sayFor: rememberEach((country) => sayIn([...new Set(['en', countries.get(country)?.language ?? 'en'])])),
    sayInAll: sayIn(codes),
  };
  const engagements = createEngagements(plan);
  return {
    plan,
    frame: renderFrame(plan),
    engagements,
    *users() {
      for (const [index, person] of people.entries()) yield renderUser(index, person, plan, engagements);
    },
    *customers() {
      for (let index = 0; index < plan.customers; index += 1) {
        const customer = buildCustomer(index, plan);
        const projects = [];
        for (let project = index; project < plan.projects; project += plan.customers)
          projects.push(renderProject(engagements.find(project), engagements.listOwners(project), plan));
        yield renderCustomer(customer, projects, plan.sayFor(customer.country));
      }
    },
    *proposals() {
      for (let index = 0; index < plan.proposals; index += 1) yield renderProposal(index, plan, engagements);
    },
  };
}

function rememberEach<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

function renderFrame({ countries, languages, sayInAll }: CompanyPlan): Company['frame'] {
  const tags = (ids: readonly string[], list: 'units' | 'seniorities') =>
    ids.map((external_unique_id, index) => ({
      external_unique_id,
      values: sayInAll((phrases) => at(phrases[list], index)),
    }));
  return {
    account: { subdomain: 'example', languages: [...languages], whitelisted_domains: [DOMAIN] },
    keys: [{ key: COMPANY_KEY, name: 'talent-sync', role: 'internationalmanager' }],
    countries: [...countries].map(([code, { language, cities }]) => ({
      code,
      native_language_code: language,
      offices: cities.map((name) => ({ name })),
    })),
    industries: INDUSTRIES.map((external_unique_id, index) => ({
      external_unique_id,
      values: sayInAll((phrases) => at(phrases.industries, index)[0]),
    })),
    tag_categories: [
      { external_unique_id: 'business_unit', values: { en: 'Business unit' }, custom_tags: tags(UNITS, 'units') },
      { external_unique_id: 'seniority', values: { en: 'Seniority' }, custom_tags: tags(SENIORITIES, 'seniorities') },
    ],
  };
}

function renderUser(index: number, person: Employee, plan: CompanyPlan, engagements: Engagements): UserInput {
  const { id, email, name, latin, country, office, title, titleLocal, birthYear, phone, unit, seniority } = person;
  const language = plan.countries.get(country)?.language ?? 'en';
  return {
    external_unique_id: id,
    email,
    upn: email,
    name,
    ...(latin === name ? {} : { name_multilang: { en: latin, [language]: name } }),
    country,
    office,
    title: { en: title, ...(titleLocal === '' ? {} : { [language]: titleLocal }) },
    telephone: phone,
    born_year: birthYear,
    roles: listRoles(index, person),
    tags: { business_unit: unit, seniority },
    deactivated: person.status === 'terminated',
    ...(plan.images ? { image: drawPortrait(plan.seed, index) } : {}),
    ...(plan.cvs === 'none' ? {} : { cv: renderCv(index, person, plan, engagements) }),
  };
}

/** Lists the roles of a person. The first person is the administrator; some others manage a country. */
function listRoles(index: number, { manager }: Employee): string[] {
  if (index === 0) return ['internationalmanager'];
  return manager ? ['consultant', 'countrymanager'] : ['consultant'];
}

function renderCv(index: number, person: Employee, plan: CompanyPlan, engagements: Engagements) {
  const random = createRandom(plan.seed, KINDS.cv, index);
  const isFull = plan.cvs === 'full';
  const parts = engagements.listParts(index, isFull ? 3 + random.below(6) : 1 + random.below(2), random);
  const life = { person, parts, say: plan.sayFor(person.country), plan, random };
  return isFull ? renderFullCv(life) : renderShortCv(life);
}

/** Renders a bid for a customer's next project, with the CVs of a few people and similar reference projects. */
function renderProposal(index: number, plan: CompanyPlan, engagements: Engagements): ProposalInput {
  const random = createRandom(plan.seed, KINDS.proposal, index);
  const active = (): Employee => {
    for (;;) {
      const person = random.pick(plan.people);
      if (person.status === 'active') return person;
    }
  };
  const some = (most: number): string[] => [
    ...new Set(Array.from({ length: 1 + random.below(most) }, () => active().email)),
  ];
  const references =
    plan.projects === 0 ? [] : [...new Set([0, 1].map(() => engagements.find(random.below(plan.projects))))];
  const customer = plan.customers === 0 ? null : buildCustomer(random.below(plan.customers), plan);
  const work = at(plan.findPhrases('en').works, random.below(8))[0];
  const owner = active().email;
  return {
    name: customer === null ? work : `${customer.name}: ${work}`,
    status: random.pick(PROPOSAL_STATUSES),
    owner,
    collaborators: some(2).filter((email) => email !== owner),
    cvs: some(4),
    references: [...new Set(references.map(({ id }) => id))],
  };
}
