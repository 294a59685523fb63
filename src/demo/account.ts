import type { FixtureInput } from '../sandbox/fixture.js';
import { CAST, type DemoPerson, DOMAIN, OFFICES } from './people.js';

/** Offices that HR knows and the service does not have yet. */
const MISSING_OFFICES = ['Stavanger', 'Köln'];
const LANGUAGES = { no: 'no', se: 'sv', de: 'de' } as const;

/** The account on the first day: places, an administrator, and two people entered by hand long ago. */
export function buildAccount(key: string): FixtureInput {
  const { adopted, rehired } = CAST;
  return {
    account: { subdomain: 'demo', languages: ['en', 'no', 'sv', 'de'], whitelisted_domains: [DOMAIN] },
    keys: [{ key, name: 'talent-sync', role: 'internationalmanager' }],
    countries: (['no', 'se', 'de'] as const).map((code) => ({
      code,
      native_language_code: LANGUAGES[code],
      offices: OFFICES[code].filter((name) => !MISSING_OFFICES.includes(name)).map((name) => ({ name })),
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

/** All but the tags, which the service does not have yet. */
function enter(person: DemoPerson): NonNullable<FixtureInput['users']>[number] {
  const { id, email, name, phone, country, office, title, titleLocal, birthYear } = person;
  return {
    email,
    external_unique_id: id,
    upn: email,
    name,
    telephone: phone,
    country,
    office,
    title: { en: title, [LANGUAGES[country]]: titleLocal },
    born_year: birthYear,
  };
}
