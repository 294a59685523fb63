// A company with any number of people: its service, HR's delivery, and the configuration that connects them. The people are
// those of `talent-sync sandbox seed`. They are generated one by one, so a million people are possible.
import { readCountries, readLanguages } from '../../dist/sandbox/company/company-data.js';
import { createPersonMaker, DOMAIN, phoneOf } from '../../dist/sandbox/company/people.js';

export const COLUMNS = [
  'employee_id',
  'first_name',
  'last_name',
  'email',
  'upn',
  'mobile',
  'phone',
  'birth_year',
  'title',
  'title_no',
  'nationality',
  'country',
  'department',
  'manager',
  'cost_center',
  'division',
  'hired',
  'grade',
  'location',
  'status',
];

/** English names of the nationalities. The first country has the most people. */
const NATIONALITIES = { no: 'Norwegian', se: 'Swedish', dk: 'Danish', de: 'German', gr: 'Greek', in: 'Indian' };
const SEED = 1;
const countries = readCountries(Object.keys(NATIONALITIES));
const { codes: languages, find: findPhrases } = readLanguages(countries);
const inventPerson = createPersonMaker({ seed: SEED, countries, findPhrases });
const norwegianTitles = findPhrases('no').professions.map(([title]) => title);

/** The offices of the account, in the order of their countries. */
export const OFFICES = [...countries].flatMap(([country, { cities }]) => cities.map((name) => ({ country, name })));

/**
 * Each edition of a person has a different telephone number. The service has edition 0. Each person is generated
 * independently.
 */
export function buildPerson(index, edition) {
  const { id, given, family, ascii, profession, title, birthYear, country, office, unit, seniority } =
    inventPerson(index);
  const facts = countries.get(country);
  return {
    employee_id: id,
    first_name: given,
    last_name: family,
    email: `${ascii}.${index}@${DOMAIN}`,
    upn: `${id.toLowerCase()}@${DOMAIN}`,
    mobile: phoneOf(facts, index),
    phone: `${facts.dial} ${220 + edition} ${index}`,
    birth_year: String(birthYear),
    title,
    title_no: norwegianTitles[profession],
    nationality: NATIONALITIES[country],
    country,
    department: office,
    manager: `E-${1_001 + (index % 900)}`,
    cost_center: String(4000 + (index % 120)),
    division: unit,
    hired: `20${String(10 + (index % 15))}-03-01`,
    grade: seniority,
    location: `Floor ${index % 7}`,
    status: 'active',
  };
}

/**
 * The rows of HR's file. One of every `changedEvery` people has the edition `edition`; 0 changes nobody. `step` writes
 * the people in another order, as a new export may do. It must share no factor with the number of people.
 */
export function* writeRows(people, { changedEvery = 0, edition = 1, step = 1 } = {}) {
  yield `${COLUMNS.join(';')}\n`;
  for (let at = 0; at < people; at += 1) {
    const index = (at * step) % people;
    const row = buildPerson(index, changedEvery > 0 && index % changedEvery === 0 ? edition : 0);
    yield `${COLUMNS.map((name) => row[name]).join(';')}\n`;
  }
}

export function buildFixture(people) {
  return {
    account: { languages, whitelisted_domains: [DOMAIN] },
    keys: [{ key: 'bench-key', name: 'Bench', role: 'internationalmanager' }],
    countries: [...countries].map(([code, { language, cities }]) => ({
      code,
      native_language_code: language,
      offices: cities.map((name) => ({ name })),
    })),
    users: Array.from({ length: people }, (_, index) => {
      const row = buildPerson(index, 0);
      return {
        external_unique_id: row.employee_id,
        email: row.email,
        upn: row.upn,
        name: `${row.first_name} ${row.last_name}`,
        telephone: row.mobile,
        landline: row.phone,
        born_year: Number(row.birth_year),
        title: { en: row.title, no: row.title_no },
        nationality: { en: row.nationality },
        country: row.country,
        office: row.department,
        // Spread over months, as in an account that has grown over time.
        profile_updated_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
      };
    }),
  };
}

const ALL_FIELDS = `    upn: record.upn
    telephone: record.mobile
    landline: record.phone
    born_year: record.birth_year
    title: { en: record.title, no: record.title_no }
    nationality: { en: record.nationality }
    office: { country: record.country, name: record.department }
`;
/** With the e-mail, the name and the external id, the four attributes that Adobe's tool compares. */
const FEW_FIELDS = '    title: { en: record.title }\n';

/**
 * @param name the expression for people's names; a different expression with the same result maps every row again
 * @param isShort only four fields
 */
export function buildConfig(url, { name = 'record.first_name + " " + record.last_name', isShort = false } = {}) {
  const columns = COLUMNS.map((name) => `      ${name}: ${name === 'birth_year' ? 'int' : 'string'}`).join('\n');
  return `service:
  base_url: ${url}
  api_key: { env: API_KEY }
  rate_limit: { concurrency: 8 }
state: ./state
policy: sync
guards: { users: { update: off } }
sources:
  hr:
    type: csv
    drop: ./drop
    pattern: "employees-*.csv"
    key: employee_id
    settle: 0s
    columns:
${columns}
users:
  existence: hr
  match: [external_unique_id]
  leaver: { when: record.status == "left" || record.hired > string(today), after_missing_reads: 3 }
  fields:
    external_unique_id: record.employee_id
    email: record.email.lowerAscii()
    name: '${name}'
${isShort ? FEW_FIELDS : ALL_FIELDS}`;
}

export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** A person's row as a SCIM user. */
export function toScimUser(row) {
  return {
    userName: row.upn,
    externalId: row.employee_id,
    active: true,
    displayName: `${row.first_name} ${row.last_name}`,
    name: { givenName: row.first_name, familyName: row.last_name },
    title: row.title,
    emails: [{ value: row.email, type: 'work', primary: true }],
    phoneNumbers: [{ value: row.mobile, type: 'mobile' }],
    addresses: [{ country: row.country, type: 'work' }],
    [ENTERPRISE]: { department: row.department, division: row.division, costCenter: row.cost_center },
  };
}
