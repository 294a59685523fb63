import { NAMINGS, type PersonName, pickName } from './names.js';
import { createRandom, type Random } from './random.js';

export type Country = 'no' | 'se' | 'de';

/** One person as HR and the identity provider together know them. */
export interface DemoPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly status: 'active' | 'terminated';
  readonly country: Country;
  readonly office: string;
  readonly title: string;
  /** The title in the language of the country; empty where HR has none. */
  readonly titleLocal: string;
  readonly unit: string;
  readonly seniority: string;
  readonly manager: boolean;
  readonly birthYear: number;
  /** null where nobody entered one. */
  readonly phone: string | null;
}

export const OFFICES: Readonly<Record<Country, readonly [string, ...string[]]>> = {
  no: ['Oslo', 'Bergen', 'Trondheim', 'Stavanger'],
  se: ['Stockholm', 'Göteborg', 'Malmö'],
  de: ['Berlin', 'München', 'Hamburg', 'Köln'],
};
const DIAL: Readonly<Record<Country, string>> = { no: '+47', se: '+46', de: '+49' };
const UNITS = ['advisory', 'cloud', 'data', 'design', 'security'] as const;
const SENIORITIES = ['junior', 'consultant', 'senior', 'principal'] as const;
/** Title in English and, in the order no, se, de, at home. */
type Titles = readonly [english: string, no: string, se: string, de: string];
const PROJECT_MANAGER: Titles = ['Project Manager', 'Prosjektleder', 'Projektledare', 'Projektleiter/in'];
const TITLES: readonly [Titles, ...Titles[]] = [
  ['Software Engineer', 'Utvikler', 'Utvecklare', 'Softwareentwickler/in'],
  ['Data Engineer', 'Dataingeniør', 'Dataingenjör', 'Dateningenieur/in'],
  ['Service Designer', 'Tjenestedesigner', 'Tjänstedesigner', 'Servicedesigner/in'],
  ['Security Adviser', 'Sikkerhetsrådgiver', 'Säkerhetsrådgivare', 'Sicherheitsberater/in'],
  PROJECT_MANAGER,
];
const HOME: Readonly<Record<Country, 1 | 2 | 3>> = { no: 1, se: 2, de: 3 };

export const DOMAIN = 'example.com';

/** Who the story is about; everybody else is made up by the dozen. */
export const CAST = {
  adopted: cast('E-1002', 'Kari Nordmann', 'kari.nordmann', ['no', 'Oslo']),
  mover: cast('E-1017', 'Linnéa Åkerström', 'linnea.akerstrom', ['se', 'Göteborg']),
  renamed: cast('E-1031', 'Ida Bråten', 'ida.braten', ['no', 'Bergen']),
  broken: cast('E-1044', 'Øyvind Sæther', 'oyvind.saether', ['no', 'Bergen']),
  mistyped: cast('E-1058', 'Käthe Weiß', 'kaethe.weiss', ['de', 'Hamburg']),
  twice: cast('E-1073', '王伟', 'wei.wang', ['se', 'Stockholm']),
  leaver: cast('E-1089', 'Jürgen Großmann', 'juergen.grossmann', ['de', 'München']),
  secondLeaver: cast('E-1104', 'Νίκος Παπαδόπουλος', 'nikos.papadopoulos', ['de', 'Berlin']),
  vanished: cast('E-1120', 'Ольга Соколова', 'olga.sokolova', ['se', 'Stockholm']),
  rehired: { ...cast('E-1136', 'Maren Ødegård', 'maren.odegard', ['no', 'Trondheim']), status: 'terminated' },
} as const satisfies Readonly<Record<string, DemoPerson>>;

export const JOINERS: readonly DemoPerson[] = [
  cast('E-1202', 'ليلى حداد', 'layla.haddad', ['de', 'Hamburg']),
  cast('E-1203', '山田 花子', 'hanako.yamada', ['no', 'Bergen']),
  cast('E-1204', 'प्रिया शर्मा', 'priya.sharma', ['se', 'Malmö']),
  cast('E-1205', 'Émilie Lefèvre', 'emilie.lefevre', ['de', 'Köln']),
  cast('E-1206', 'Håvard Lien', 'havard.lien', ['no', 'Stavanger']),
];

const FIRST_ID = 1001;
const PEOPLE = 201;

/** Everybody of the first delivery, by employee id: 200 who work here and one who has left. */
export function buildPeople(): readonly DemoPerson[] {
  const random = createRandom(20);
  const taken = new Set<string>();
  const cast = new Map<string, DemoPerson>(Object.values(CAST).map((person) => [person.id, person]));
  return Array.from({ length: PEOPLE }, (_, index) => {
    const id = `E-${FIRST_ID + index}`;
    return cast.get(id) ?? inventPerson(id, index, random, taken);
  });
}

/** The week after: joiners, a mover, a new name, leavers, somebody who is back. */
export function advanceWeek(people: readonly DemoPerson[]): readonly DemoPerson[] {
  const changes: Readonly<Record<string, Partial<DemoPerson>>> = {
    [CAST.mover.id]: { country: 'no', office: 'Oslo', titleLocal: 'Prosjektleder' },
    [CAST.renamed.id]: { name: 'Ida Bråten Solheim', email: `ida.solheim@${DOMAIN}` },
    [CAST.leaver.id]: { status: 'terminated' },
    [CAST.secondLeaver.id]: { status: 'terminated' },
    [CAST.rehired.id]: { status: 'active' },
  };
  const stayed = people.filter(({ id }) => id !== CAST.vanished.id);
  return [...stayed.map((person) => ({ ...person, ...changes[person.id] })), ...JOINERS];
}

function cast(
  id: string,
  name: string,
  address: string,
  [country, office]: readonly [country: Country, office: string],
): DemoPerson {
  const number = Number(id.slice(2));
  return {
    id,
    name,
    email: `${address}@${DOMAIN}`,
    status: 'active',
    country,
    office,
    title: PROJECT_MANAGER[0],
    titleLocal: PROJECT_MANAGER[HOME[country]],
    unit: UNITS[number % UNITS.length] ?? UNITS[0],
    seniority: 'senior',
    manager: false,
    birthYear: 1960 + (number % 35),
    phone: phoneOf(country, number),
  };
}

function inventPerson(id: string, index: number, random: Random, taken: Set<string>): DemoPerson {
  const country = random.pick(['no', 'no', 'no', 'se', 'se', 'de', 'de'] as const);
  const { name, ascii } = inventName(country, random, taken);
  const titles = random.pick(TITLES);
  const number = Number(id.slice(2));
  return {
    id,
    name,
    email: `${ascii}@${DOMAIN}`,
    status: 'active',
    country,
    office: random.pick(OFFICES[country]),
    title: titles[0],
    // HR has not translated every title.
    titleLocal: random.below(10) < 8 ? titles[HOME[country]] : '',
    unit: random.pick(UNITS),
    seniority: random.pick(SENIORITIES),
    manager: index % 40 === 5,
    birthYear: 1960 + random.below(42),
    phone: random.below(10) === 0 ? null : phoneOf(country, number),
  };
}

function inventName(country: Country, random: Random, taken: Set<string>): PersonName {
  for (;;) {
    const naming = random.below(5) === 0 ? random.pick(NAMINGS.elsewhere) : NAMINGS[country];
    const found = pickName(naming, random);
    if (taken.has(found.ascii)) continue;
    taken.add(found.ascii);
    return found;
  }
}

/** In the ranges that no subscriber has. */
function phoneOf(country: Country, number: number): string {
  return `${DIAL[country]} 555 0${number}`;
}
