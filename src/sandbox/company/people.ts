import type { CountryFacts, Phrases } from './company-data.js';
import { createNamePicker, type PersonName } from './names.js';
import { at, createRandom, type Random } from './random.js';

/** One person in the HR data. */
export interface Employee {
  readonly id: string;
  readonly name: string;
  /** The person's name in Latin letters. */
  readonly latin: string;
  readonly email: string;
  readonly status: 'active' | 'terminated';
  readonly country: string;
  readonly office: string;
  /** Index in the list of professions in the phrases. */
  readonly profession: number;
  readonly title: string;
  /** The title in the language of the country; empty if HR has not translated it. */
  readonly titleLocal: string;
  /** External id of the person's unit, which is a tag. */
  readonly unit: string;
  readonly seniority: string;
  /** True if the person manages the country. */
  readonly manager: boolean;
  readonly birthYear: number;
  /** null if HR has no telephone number. */
  readonly phone: string | null;
}

/** A person who has no e-mail address yet. If several have the same name, their addresses get a number. */
export type Newcomer = Omit<Employee, 'email'> & PersonName;

export const UNITS = ['advisory', 'cloud', 'data', 'design', 'security'] as const;
export const SENIORITIES = ['junior', 'consultant', 'senior', 'principal'] as const;
export const DOMAIN = 'example.com';
const FIRST_ID = 1001;
/** Kind of data → its seed, so that each kind has its own random numbers. */
export const KINDS = { person: 1, cv: 2, engagement: 4, proposal: 5, week: 6, portrait: 7 } as const;
/** Percentage of people who have left. */
const LEAVERS = 4;
/** One in this many people joins each week. */
const JOINERS_AMONG = 50;

export interface PeopleOptions {
  readonly seed: number;
  readonly countries: ReadonlyMap<string, CountryFacts>;
  readonly findPhrases: (language: string) => Phrases;
}

/** Generates people with unique addresses, ordered by employee id. A longer list begins with the same people. */
export function buildPeople(count: number, options: PeopleOptions): readonly Employee[] {
  const inventPerson = createPersonMaker(options);
  const addresses = new Map<string, number>();
  return Array.from({ length: count }, (_, index) => {
    const person = inventPerson(index);
    const before = addresses.get(person.ascii) ?? 0;
    addresses.set(person.ascii, before + 1);
    return { ...person, email: `${person.ascii}${before === 0 ? '' : before + 1}@${DOMAIN}` };
  });
}

/**
 * Returns a generator of people by number. Each person is independent of the others. The first country has twice as many people
 * as each of the others.
 */
export function createPersonMaker({ seed, countries, findPhrases }: PeopleOptions): (index: number) => Newcomer {
  const pickName = createNamePicker();
  const codes = [...countries.keys()];
  const shares = [at(codes, 0), ...codes];
  return (index) => {
    const random = createRandom(seed, KINDS.person, index);
    const country = index < codes.length ? at(codes, index) : random.pick(shares);
    const facts = countries.get(country) as CountryFacts;
    const name = pickName(facts.names, random);
    return { id: `E-${FIRST_ID + index}`, ...name, country, ...inventWork(random, index, facts, findPhrases) };
  };
}

function inventWork(random: Random, index: number, facts: CountryFacts, findPhrases: PeopleOptions['findPhrases']) {
  return {
    office: random.pick(facts.cities),
    ...inventTitle(random, facts, findPhrases),
    unit: random.pick(UNITS),
    seniority: random.pick(SENIORITIES),
    manager: index % 40 === 5,
    birthYear: 1960 + random.below(42),
    phone: random.chance(10) ? null : phoneOf(facts, FIRST_ID + index),
    status: index > 0 && random.chance(LEAVERS) ? ('terminated' as const) : ('active' as const),
  };
}

/** Invents a title. HR has translated only some of the titles. */
function inventTitle(random: Random, { language }: CountryFacts, findPhrases: PeopleOptions['findPhrases']) {
  const { professions } = findPhrases('en');
  const profession = random.below(professions.length);
  const isTranslated = language !== 'en' && random.chance(85);
  const titleLocal = isTranslated ? at(findPhrases(language).professions, profession)[0] : '';
  return { profession, title: at(professions, profession)[0], titleLocal };
}

/** Returns the HR data one week later. Some people have joined, moved to another office, changed title, or left. */
export function advanceWeek(people: readonly Employee[], options: PeopleOptions): readonly Employee[] {
  const joined = Math.ceil(people.length / JOINERS_AMONG);
  return buildPeople(people.length + joined, options).map((person, index) => {
    const random = createRandom(options.seed, KINDS.week, index);
    const facts = options.countries.get(person.country);
    if (index === 0 || index >= people.length || person.status !== 'active' || facts === undefined) return person;
    const happens = random.below(100);
    if (happens < 1) return { ...person, status: 'terminated' };
    if (happens < 4) return { ...person, office: random.pick(facts.cities) };
    if (happens < 7) return { ...person, ...inventTitle(random, facts, options.findPhrases) };
    return person;
  });
}

/** Returns a telephone number from a range that is not assigned to subscribers. */
export function phoneOf({ dial }: CountryFacts, number: number): string {
  return `${dial} 555 0${number}`;
}
