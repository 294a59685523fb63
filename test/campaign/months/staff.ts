import { toAscii } from '../../../src/sandbox/company/names.js';
import type { Random } from '../random.js';

/** A row of HR. */
export interface Employee {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly status: 'active' | 'inactive' | 'left';
  readonly country: string;
  readonly office: string;
  readonly unit: string;
  readonly title: string;
  readonly phone: string;
  readonly birthYear: string;
}

export const COLUMNS = [
  ...(['id', 'first', 'last', 'email', 'status', 'country', 'office', 'unit', 'title', 'phone', 'birthYear'] as const),
];

/** Eight units of equal size: each is an eighth of the company. */
export const UNITS = ['advisory', 'cloud', 'data', 'design', 'health', 'industry', 'public', 'security'] as const;
const TITLES: readonly string[] = [
  'Analyst',
  'Consultant',
  'Senior Consultant',
  'Manager',
  'Senior Manager',
  'Director',
];
/** Some offices are larger than others. */
const PLACES = [
  ...['no/Oslo', 'no/Oslo', 'no/Oslo', 'no/Bergen', 'no/Trondheim', 'no/Stavanger'],
  ...['se/Stockholm', 'se/Stockholm', 'se/Malmö', 'se/Göteborg'],
];

/*
 * Names are distributed as unevenly as in a country: 2 % have the most frequent first name, 0.5 % the most frequent
 * family name.
 */
const FIRST = combine(
  'An Be Da El Fi Gu Ha In Jo Ka Li Ma No Ol Pe Ra Si To Va Yn',
  'na nik ra lea ne vid sa mar dor tha lie ren ke nus ris bet gar las mo sten',
);
const LAST = combine(
  'Berg Dal Eng Fjell Gran Haug Lund Myr Nord Os Rud Sand Tveit Vik Ås Bakk Brek Dyr Ek Falk Gjer Holm Ing Jor Kvam Lind Moe Nyg Opp Ramb Sol Thor Ul Vang West Aas Bjørn Carl Eide Foss Grim Hell Jen Kar Lar Mik Nil Ols Pet Rasm Sim Tor Vold Wil Ander Christ Erik Fred Gust Hans',
  'sen heim land stad vik e by dal haug moen rud set stuen tad um vold ås en lien nes gård bakk berg eng fjord holt hus kvist lund mark mo myr næs røn skog sund tun vang ve voll ø strand strøm quist man felt foss gren hagen rød',
);

function combine(starts: string, ends: string): readonly string[] {
  return starts.split(' ').flatMap((start) => ends.split(' ').map((end) => `${start}${end}`));
}

function pickName(names: readonly string[], random: Random): string {
  return names[Math.floor(names.length * random.next() ** 1.5)] ?? '';
}

export interface StaffMaker {
  /** Hires a new person under the next number. */
  hire(title?: string): Employee;
  hireContractor(): Employee;
  /** The same person as an employee, or again, under the next number. */
  numberAgain(person: Employee): Employee;
  /** Gives a person another family name, and the matching address. */
  rename(person: Employee): Pick<Employee, 'last' | 'email'>;
  nextPhone(): string;
  /** Another office in the same country, another unit, another title. */
  move(person: Employee): Pick<Employee, 'country' | 'office'>;
  promote(person: Employee): Pick<Employee, 'title'>;
}

export function createStaffMaker(random: Random): StaffMaker {
  const addresses = new Map<string, number>();
  let [number, phone] = [1000, 10_000];

  function address(first: string, last: string, end = ''): string {
    const local = toAscii(`${first}.${last}`);
    const before = addresses.get(local) ?? 0;
    addresses.set(local, before + 1);
    return `${local}${before === 0 ? '' : before + 1}${end}@example.com`;
  }

  function nextPhone(): string {
    phone += 1;
    return `+47 555 ${phone}`;
  }

  function place(of: readonly string[] = PLACES): Pick<Employee, 'country' | 'office'> {
    const [country = '', office = ''] = random.pick(of).split('/');
    return { country, office };
  }

  function make(letter: string, title: string, end: string): Employee {
    number += 1;
    const [first, last] = [pickName(FIRST, random), pickName(LAST, random)];
    return {
      ...{ id: `${letter}${number}`, first, last, email: address(first, last, end), status: 'active', ...place() },
      ...{ unit: random.pick(UNITS), title, phone: nextPhone(), birthYear: String(1962 + random.below(40)) },
    };
  }

  return {
    hire: (title = random.pick(TITLES)) => make('E', title, ''),
    hireContractor: () => make('C', 'Contractor', '.ext'),
    numberAgain(person) {
      number += 1;
      return { ...person, id: `E${number}`, status: 'active' };
    },
    rename(person) {
      const last = pickName(LAST, random);
      return { last, email: address(person.first, last) };
    },
    nextPhone,
    move: ({ country, office }) =>
      place(PLACES.filter((name) => name.startsWith(country) && name !== `${country}/${office}`)),
    promote: ({ title }) => ({
      title: TITLES[Math.min(TITLES.indexOf(title) + 1, TITLES.length - 1)] ?? title,
    }),
  };
}
