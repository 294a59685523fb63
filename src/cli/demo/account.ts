import { DOMAIN, type Employee } from '../../sandbox/company/people.js';
import type { FixtureInput } from '../../sandbox/fixture/fixture.js';
import { buildDemoCompany, CAST } from './people.js';

/** Offices in HR's file that the service does not have yet. */
const MISSING_OFFICES = ['Stavanger', 'Köln'];

/** The account on the first day: places, an administrator, and two people entered manually long ago. */
export function buildAccount(key: string): FixtureInput {
  const { adopted, rehired } = CAST;
  const { account, countries = [] } = buildDemoCompany().frame;
  return {
    account: { ...account, subdomain: 'demo' },
    keys: [{ key, name: 'talent-sync', role: 'internationalmanager' }],
    countries: countries.map(({ offices = [], ...country }) => ({
      ...country,
      offices: offices.filter(({ name }) => !MISSING_OFFICES.includes(name)),
    })),
    users: [
      {
        email: `admin@${DOMAIN}`,
        name: 'Account Administrator',
        country: 'no',
        office: 'Oslo',
        roles: ['internationalmanager'],
      },
      { ...enter(adopted), name: 'Kari Normann', external_unique_id: null },
      { ...enter(rehired), deactivated: true },
    ],
  };
}

/** A manually entered person. There are no tags, because the service has none yet. */
function enter(person: Employee): NonNullable<FixtureInput['users']>[number] {
  const { id, email, name, phone, country, office, title, titleLocal, birthYear } = person;
  return {
    email,
    external_unique_id: id,
    upn: email,
    name,
    telephone: phone,
    country,
    office,
    // Both people are from Norway.
    title: { en: title, no: titleLocal },
    born_year: birthYear,
  };
}
