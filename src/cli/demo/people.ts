import { type Company, createCompany } from '../../sandbox/company/company.js';
import { DOMAIN, type Employee } from '../../sandbox/company/people.js';

/** Everyone except the cast, and the customers they work for. */
export function buildDemoCompany(): Company {
  return createCompany({
    users: 201,
    customers: 40,
    projects: 120,
    proposals: 0,
    countries: ['no', 'se', 'de'],
    seed: 26, // has a name in each of nine scripts
    cvs: 'none',
    images: false,
  });
}

/** Dialling codes and titles of the cast. */
const AT_HOME = {
  no: ['+47', 'Prosjektleder'],
  se: ['+46', 'Projektledare'],
  de: ['+49', 'Projektleiter/in'],
} as const;
const UNITS = ['advisory', 'cloud', 'data', 'design', 'security'];

/** The people in the story. All other people are generated. */
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
} as const satisfies Readonly<Record<string, Employee>>;

export const JOINERS: readonly Employee[] = [
  cast('E-1202', 'ليلى حداد', 'layla.haddad', ['de', 'Hamburg']),
  cast('E-1203', '山田 花子', 'hanako.yamada', ['no', 'Bergen']),
  cast('E-1204', 'प्रिया शर्मा', 'priya.sharma', ['se', 'Malmö']),
  cast('E-1205', 'Émilie Lefèvre', 'emilie.lefevre', ['de', 'Köln']),
  cast('E-1206', 'Håvard Lien', 'havard.lien', ['no', 'Stavanger']),
];

const STORY: ReadonlyMap<string, Employee> = new Map(Object.values(CAST).map((person) => [person.id, person]));

/** True for a person who stays unchanged throughout the story. */
export function isExtra({ id }: Employee): boolean {
  return !STORY.has(id);
}

/** All people of the first delivery, by employee id: 200 active ones and one who has left. */
export function buildPeople({ plan: { people } } = buildDemoCompany()): readonly Employee[] {
  return people.map((person) => STORY.get(person.id) ?? { ...person, status: 'active' });
}

/** The people one week later, with joiners, a mover, a new name, leavers and a rehired person. */
export function advanceStory(people: readonly Employee[]): readonly Employee[] {
  const changes: Readonly<Record<string, Partial<Employee>>> = {
    [CAST.mover.id]: { country: 'no', office: 'Oslo', titleLocal: 'Prosjektleder' },
    [CAST.renamed.id]: { name: 'Ida Bråten Solheim', email: `ida.solheim@${DOMAIN}` },
    [CAST.leaver.id]: { status: 'terminated' },
    [CAST.secondLeaver.id]: { status: 'terminated' },
    [CAST.rehired.id]: { status: 'active' },
  };
  const stayed = people.filter(({ id }) => id !== CAST.vanished.id);
  return [...stayed.map((person) => ({ ...person, ...changes[person.id] })), ...JOINERS];
}

/**
 * Later still, HR has corrected the three records, including one move, and adopted the phone number that a colleague
 * entered.
 */
export function advanceAfter(people: readonly Employee[], phone: string): readonly Employee[] {
  const changes: Readonly<Record<string, Partial<Employee>>> = {
    [CAST.adopted.id]: { phone },
    [CAST.twice.id]: { office: 'Malmö' },
  };
  return people.map((person) => ({ ...person, ...changes[person.id] }));
}

function cast(
  id: string,
  name: string,
  address: string,
  [country, office]: readonly [country: keyof typeof AT_HOME, office: string],
): Employee {
  const number = Number(id.slice(2));
  const [dial, titleLocal] = AT_HOME[country];
  return {
    id,
    name,
    latin: name,
    email: `${address}@${DOMAIN}`,
    status: 'active',
    country,
    office,
    profession: 4,
    title: 'Project Manager',
    titleLocal,
    unit: UNITS[number % UNITS.length] ?? '',
    seniority: 'senior',
    manager: false,
    birthYear: 1960 + (number % 35),
    phone: `${dial} 555 0${number}`,
  };
}
