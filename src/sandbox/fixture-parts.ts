import type { FixtureInput } from './fixture.js';

/** What there may be many of: read one by one. */
export type FixtureList = 'users' | 'customers' | 'proposals';
export const FIXTURE_LISTS: readonly FixtureList[] = ['users', 'customers', 'proposals'];

/** A fixture in parts, so that no more than a record of it need be held. */
export interface FixtureParts {
  /** All but the lists, which are empty there; what is in the place of a list and is none stays. */
  readFrame(): Readonly<Record<string, unknown>>;
  readList(name: FixtureList): Iterable<unknown>;
}

export function splitFixture(fixture: FixtureInput): FixtureParts {
  return {
    readFrame: () => {
      const lists = FIXTURE_LISTS.filter((name) => Array.isArray(fixture[name]));
      return { ...fixture, ...Object.fromEntries(lists.map((name) => [name, []])) };
    },
    readList: (name) => fixture[name] ?? [],
  };
}
