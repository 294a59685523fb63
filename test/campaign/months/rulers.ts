import { createRandom } from '../random.js';
import { YEAR } from './company-year.js';
import { createStaffMaker, type Employee } from './staff.js';

/** A company whose HR decides who has power, and that takes over another one in November. */
export interface Rulers {
  /** The role cell of each row, by its number. */
  rolesOf(rows: readonly Employee[]): ReadonlyMap<string, readonly string[]>;
  /** The people from the other company at that time. */
  merged(atMs: number): readonly Employee[];
}

const BY_TITLE: Readonly<Record<string, readonly string[]>> = {
  Director: ['consultant', 'bidmanager'],
  'Senior Manager': ['consultant', 'referencemanager'],
};
const MERGER_MS = Date.UTC(YEAR, 10, 1);
/** Relative to the company's own people. */
const MERGED = 0.15;

/** Administrators, and one manager per country, are ordinary employees: when one leaves, the next one follows. */
export function createRulers(people: number, seed: number): Rulers {
  const maker = createStaffMaker(createRandom(seed * 7 + people));
  const others = Array.from({ length: Math.round(people * MERGED) }, () => maker.hire()).map((person) => ({
    ...{ ...person, id: person.id.replace('E', 'M'), email: person.email.replace('@', '.merged@') },
  }));
  const administrators = Math.max(2, Math.ceil(people / 1000));
  return {
    merged: (atMs) => (atMs < MERGER_MS ? [] : others),
    rolesOf(rows) {
      const own = rows.filter(({ id, status }) => id.startsWith('E') && status !== 'left');
      const roles = new Map(rows.map(({ id, title }) => [id, BY_TITLE[title] ?? ['consultant']]));
      const rest = own.slice(administrators);
      for (const country of new Set(rest.map((row) => row.country)))
        roles.set(rest.find((row) => row.country === country)?.id ?? '', ['consultant', 'countrymanager']);
      for (const { id } of own.slice(0, administrators)) roles.set(id, ['internationalmanager']);
      return roles;
    },
  };
}
