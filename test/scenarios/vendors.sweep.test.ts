import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { allowOffices } from './allow-offices.js';
import { openStory, type Story } from './kit.js';

const VENDORS = join(import.meta.dirname, '../config/sample/vendors');

/** An edit of a line marked GUESS: a word of the line, the old text and the new one. */
type Edit = readonly [line: string, from: string, to: string];

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly office: string;
  readonly title: Readonly<Record<string, string>>;
  readonly telephone: string;
}

interface Expected {
  /** The number of people whom the first plan creates, without leavers and later joiners. */
  readonly users: number;
  /** The column with the offices, none of which the account has yet. */
  readonly office?: string;
  /** The country of everyone, if no column has it. */
  readonly country?: string;
  readonly countryColumn?: string;
  readonly edits?: readonly Edit[];
  readonly people: readonly [Person, Person, Person, Person, Person];
}

function person(
  id: string,
  email: string,
  name: string,
  office: string,
  title: Person['title'],
  telephone: string,
): Person {
  return { id, email, name, office, title, telephone };
}

const AMELIA = [
  'amelia.hart@example.com',
  'Amelia Hart',
  'gb/London',
  { en: 'Senior Consultant' },
  '+44 20 7946 0101',
] as const;
const OLIVER = [
  'oliver.byrne@example.com',
  'Oliver Byrne',
  'ie/Dublin',
  { en: 'Data Engineer' },
  '+353 1 437 0102',
] as const;
const CHLOE = [
  'chloe.martin-reid@example.com',
  'Chloe Martin-Reid',
  'gb/Edinburgh',
  { en: 'Designer' },
  '+44 131 496 0105',
] as const;
const SOFIA = [
  'sofia.lindqvist@example.com',
  'Sofia Lindqvist',
  'se/Stockholm',
  { en: 'Solution Architect' },
  '+46 8 505 0109',
] as const;
const LIAM = ['liam.doyle@example.com', 'Liam Doyle', 'ie/Dublin', { en: 'Accountant' }, '+353 1 437 0112'] as const;
const ENGLISH: Expected['people'] = [
  person('1001', ...AMELIA),
  person('1002', ...OLIVER),
  person('1005', ...CHLOE),
  person('1009', ...SOFIA),
  person('1012', ...LIAM),
];

const HR: Readonly<Record<string, Expected>> = {
  workday: { users: 10, office: 'Location', people: ENGLISH },
  successfactors: {
    users: 10,
    office: 'LOCATION',
    // The column is part of an address, which may be a home address.
    countryColumn: 'COUNTRY',
    people: ENGLISH,
  },
  bamboohr: { users: 10, office: 'Location', people: ENGLISH },
  hibob: { users: 10, office: 'Site', people: ENGLISH },
  personio: {
    users: 8,
    office: 'Standort',
    country: 'de',
    // No column says that Vienna is abroad: one edit puts two offices into other countries.
    edits: [['country', `country: '"de"'`, `country: 'record["Standort"] == "Wien" ? "at" : "de"'`]],
    people: [
      person(
        '4410017',
        'juergen.mueller@example.com',
        'Jürgen Müller',
        'de/München',
        { de: 'Leiter Softwareentwicklung' },
        '+49 89 1234 017',
      ),
      person(
        '4410018',
        'anna.schaefer@example.com',
        'Anna Schäfer',
        'de/Berlin',
        { de: 'Beraterin' },
        '+49 30 1234 018',
      ),
      person(
        '4410030',
        'katharina.vonbuelow@example.com',
        'Katharina von Bülow',
        'at/Wien',
        { de: 'Seniorberaterin' },
        '+43 1 1234 030',
      ),
      person(
        '4410031',
        'mehmet.yilmaz@example.com',
        'Mehmet Yılmaz',
        'de/Berlin',
        { de: 'Softwareentwickler' },
        '+49 30 1234 031',
      ),
      person(
        '4410041',
        'stefan.braun@example.com',
        'Stefan Braun',
        'de/München',
        { de: 'Geschäftsführer' },
        '+49 89 1234 041',
      ),
    ],
  },
  datev: {
    users: 8,
    office: 'Betriebsstätte',
    people: [
      person(
        '00017',
        'juergen.mueller@example.com',
        'Jürgen Müller',
        'de/München',
        { de: 'Leiter Softwareentwicklung' },
        '+49 89 1234 017',
      ),
      person(
        '00022',
        'sabine.lehmann@example.com',
        'Sabine Lehmann',
        'de/Berlin',
        { de: 'Sachbearbeiterin Personal' },
        '+49 30 1234 022',
      ),
      person(
        '00030',
        'katharina.vonbuelow@example.com',
        'Katharina von Bülow',
        'at/Wien',
        { de: 'Seniorberaterin' },
        '+43 1 1234 030',
      ),
      person('00034', 'lukas.weiss@example.com', 'Lukas Weiß', 'at/Wien', { de: 'Projektleiter' }, '+43 1 1234 034'),
      person('00045', 'julia.krueger@example.com', 'Julia Krüger', 'de/Berlin', { de: 'Beraterin' }, '+49 30 1234 045'),
    ],
  },
  simployer: {
    users: 8,
    people: [
      person('101', 'aase.bo@example.com', 'Åse Bø', 'no/Oslo', { no: 'Seniorrådgiver' }, '+47 22 00 01 01'),
      person(
        '102',
        'oyvind.haagensen@example.com',
        'Øyvind Hågensen',
        'no/Bergen',
        { no: 'Utvikler' },
        '+47 55 00 01 02',
      ),
      person(
        '105',
        'ingrid.saether@example.com',
        'Ingrid Sæther',
        'no/Oslo',
        { no: 'Daglig leder' },
        '+47 22 00 01 05',
      ),
      person(
        '107',
        'erik.andersson@example.com',
        'Erik Andersson',
        'se/Stockholm',
        { no: 'Utvikler' },
        '+46 8 505 01 07',
      ),
      person('109', 'jonas.berg@example.com', 'Jonas Berg', 'no/Trondheim', { no: 'Rådgiver' }, '+47 73 00 01 09'),
    ],
  },
  visma: {
    users: 8,
    country: 'no',
    // The service knows the countries of Oslo, Bergen and Stockholm.
    people: [
      person('101', 'aase.bo@example.com', 'Åse Bø', 'no/Oslo', { no: 'Seniorrådgiver' }, '+47 22 00 01 01'),
      person(
        '102',
        'oyvind.haagensen@example.com',
        'Øyvind Hågensen',
        'no/Bergen',
        { no: 'Utvikler' },
        '+47 55 00 01 02',
      ),
      person('106', 'lars.lund@example.com', 'Lars Lund', 'no/Trondheim', { no: 'Utvikler' }, '+47 73 00 01 06'),
      person(
        '107',
        'erik.andersson@example.com',
        'Erik Andersson',
        'se/Stockholm',
        { no: 'Utvikler' },
        '+46 8 505 01 07',
      ),
      person('110', 'hanne.moe@example.com', 'Hanne Moe', 'no/Oslo', { no: 'Rådgiver' }, '+47 22 00 01 10'),
    ],
  },
};

interface Company {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

interface ExpectedCrm {
  readonly customers: number;
  readonly projects: number;
  readonly companies: readonly [Company, Company, Company, Company, Company];
  /** Project → external id of its customer. */
  readonly links: Readonly<Record<string, string>>;
}

interface FoundCustomer {
  readonly external_unique_id: string;
  readonly projects: readonly { readonly project_name: { readonly en: string } }[];
}

const NAMES = ['Fjord Power AS', 'Polar Rail', 'Havn & Sjø', 'Öresund Logistics', 'Tampere Tools Oy'] as const;
const DOMAINS = ['fjordpower', 'polarrail', 'havnsjo', 'oresund', 'tamperetools'] as const;

function companies(ids: readonly string[], url: (domain: string) => string): ExpectedCrm['companies'] {
  const of = (index: number): Company => ({
    id: ids[index] ?? '',
    name: NAMES[index] ?? '',
    url: url(`${DOMAINS[index]}.example`),
  });
  return [of(0), of(1), of(2), of(3), of(4)];
}

const CRM: Readonly<Record<string, ExpectedCrm>> = {
  hubspot: {
    customers: 8,
    projects: 10,
    companies: companies(
      ['17420000010', '17420000017', '17420000031', '17420000045', '17420000059'],
      (domain) => domain,
    ),
    // If a deal has two companies, the first counts.
    links: { 'Grid planning': '17420000010', 'Digital onboarding': '17420000024', 'Tool configurator': '17420000059' },
  },
  salesforce: {
    customers: 8,
    projects: 10,
    companies: companies(
      [0, 1, 3, 5, 7].map((index) => `0013Xx00000000${index}AbCQAU`),
      (domain) => `https://www.${domain}`,
    ),
    links: { 'Grid planning': '0013Xx000000000AbCQAU', 'Port scheduling': '0013Xx000000003AbCQAU' },
  },
  dynamics: {
    customers: 8,
    projects: 10,
    companies: companies(NAMES, (domain) => `https://${domain}`),
    links: { 'Grid planning': 'Fjord Power AS', 'Port scheduling': 'Havn & Sjø' },
  },
  pipedrive: {
    customers: 8,
    projects: 10,
    companies: companies(NAMES, (domain) => domain),
    links: { 'Grid planning': 'Fjord Power AS', 'Warehouse robots': 'Öresund Logistics' },
  },
};

const ABROAD = { gb: 'en', ie: 'en', de: 'de', at: 'de' };

async function openVendor(
  vendor: string,
  { office, country, countryColumn, edits = [] }: Partial<Expected> = {},
): Promise<Story> {
  const story = await openStory({
    account: { languages: ['en', 'no', 'sv', 'de'], whitelisted_domains: ['example.com'] },
  });
  for (const [code, native_language_code] of Object.entries(ABROAD)) {
    await story.others('POST', '/api/v1/countries', { country: { code, native_language_code } });
  }
  const drop = join(story.folder, 'drop', vendor);
  mkdirSync(drop, { recursive: true });
  cpSync(join(VENDORS, vendor), drop, { recursive: true });
  const { code } = await story.init({
    sample: readdirSync(drop).map((name) => join(drop, name)),
    column: [
      ...(office === undefined ? [] : [`office=${office}`]),
      ...(countryColumn === undefined ? [] : [`country=${countryColumn}`]),
    ],
    ...(country === undefined ? {} : { country: [country] }),
  });
  expect(code).toBe(0);
  expect(edits.length).toBeLessThanOrEqual(3);
  for (const [line, from, to] of edits) {
    const text = readFileSync(story.configFile, 'utf8').split('\n');
    const at = text.findIndex((one) => one.includes(line) && one.includes(from));
    expect(at, `${line} is there`).toBeGreaterThan(-1);
    text[at] = text[at]?.replace(from, to) ?? '';
    writeFileSync(story.configFile, text.join('\n'));
  }
  allowOffices(story);
  return story;
}

describe('exports of vendors', () => {
  test.each(oneIn(2, Object.entries(HR)))(
    'creates the people of an export of %s',
    async (vendor, { users, people, ...answers }) => {
      const story = await openVendor(vendor, answers);
      const plan = await story.plan();
      expect(plan.error).toBeUndefined();
      expect(plan.json.held).toEqual([]);
      expect(plan.json.counts.users).toEqual({ create: users });
      expect(await story.sync()).toMatchObject({ code: 0 });
      for (const { id, email, name, office, title, telephone } of people) {
        const { country_code, office_name, ...found } = story.user(id) as never as Record<string, unknown>;
        expect({ office: `${country_code}/${office_name}`, ...found }).toMatchObject({
          email,
          name,
          office,
          title,
          telephone,
        });
      }
    },
  );

  sweep.each(Object.entries(CRM))('creates the customers and projects of an export of %s', async (vendor, expected) => {
    const story = await openVendor(vendor);
    const plan = await story.plan();
    expect(plan.json.held).toEqual([]);
    expect(plan.json.counts).toEqual({
      customers: { create: expected.customers },
      projects: { create: expected.projects },
    });
    expect(await story.sync()).toMatchObject({ code: 0 });
    const found = story.customers() as never as readonly FoundCustomer[];
    expect(found).toHaveLength(expected.customers);
    for (const { id, name, url } of expected.companies) {
      expect(found.find((one) => one.external_unique_id === id)).toMatchObject({
        customer_name: { en: name },
        customer_url: url,
      });
    }
    const links = found.flatMap(({ external_unique_id, projects }) =>
      projects.map(({ project_name }) => [project_name.en, external_unique_id] as const),
    );
    expect(Object.fromEntries(links)).toMatchObject(expected.links);
  });
});
