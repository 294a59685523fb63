import { foldKey } from '../../model/observed.js';
import type { KnownPerson } from './answers.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { Sample } from './read-sample.js';
import { isOfOthers } from './recognise.js';

/** A row and the person in the account whom it describes. */
export interface MatchedRow {
  readonly row: SampleRow;
  readonly person: KnownPerson;
}

/** Minimum number of different people per row for a column. A manager's address occurs in many rows and stays below it. */
const LEAST_DISTINCT = 0.6;

type PeopleIndex = ReadonlyMap<string, KnownPerson>;
type FindPerson = (row: SampleRow) => KnownPerson | undefined;

/**
 * Finds the people of an account in a sample by their addresses, external ids and names, in any column. A row matches no one if
 * its address and its id belong to different people.
 */
export function matchPeople(sample: Sample, people: readonly KnownPerson[]): readonly MatchedRow[] {
  const byAddress = findBy(
    sample,
    indexBy(people, ({ email }) => email),
  );
  const byId = findBy(
    sample,
    indexBy(people, ({ externalId }) => externalId),
  );
  const byName = findByName(
    sample,
    indexBy(people, ({ name }) => name),
  );
  return sample.kept.flatMap((row) => {
    const [first, second] = [byAddress(row), byId(row)];
    if (first !== undefined && second !== undefined && first !== second) return [];
    const person = first ?? second ?? byName(row);
    return person === undefined ? [] : [{ row, person }];
  });
}

/** Indexes people by a value. Values that several people share are left out. */
function indexBy(people: readonly KnownPerson[], value: (person: KnownPerson) => string | null): PeopleIndex {
  const index = new Map<string, KnownPerson>();
  const shared = new Set<string>();
  for (const person of people) {
    const key = foldKey(value(person) ?? '');
    if (index.has(key)) shared.add(key);
    index.set(key, person);
  }
  for (const key of [...shared, '']) index.delete(key);
  return index;
}

/** Finds people by the column that contains most of them. */
function findBy(sample: Sample, index: PeopleIndex): FindPerson {
  const [best] = sample.columns
    .filter((column) => index.size > 0 && !isOfOthers(column))
    .map((column) => ({ find: findIn(column, index), named: new Set<KnownPerson>() }))
    .map(({ find, named }) => {
      const rows = sample.kept.map(find).filter((person) => person !== undefined);
      for (const person of rows) named.add(person);
      return { find, count: named.size >= rows.length * LEAST_DISTINCT ? named.size : 0 };
    })
    .sort((a, b) => b.count - a.count);
  return best === undefined || best.count === 0 ? () => undefined : best.find;
}

function findIn(column: ColumnGuess, index: PeopleIndex): FindPerson {
  const read = readCell(column);
  return (row) => index.get(foldKey(read(row)));
}

/** Finds people by the columns with their names. A person is not found if two rows have the name. */
function findByName(sample: Sample, index: PeopleIndex): FindPerson {
  const { firstName, lastName, name } = sample.meanings;
  const columns = [name, firstName, lastName].map((one) => sample.columns.find((column) => column.name === one));
  const [whole, first, last] = columns.map((column) => (column === undefined ? () => '' : readCell(column)));
  const find: FindPerson = (row) => {
    const turned = (whole?.(row) ?? '').replace(/^([^,]+),\s*([^,]+)$/, '$2 $1');
    return index.get(foldKey(`${first?.(row)} ${last?.(row)}`.trim() || turned)) ?? index.get(foldKey(turned));
  };
  const counts = new Map<KnownPerson | undefined, number>();
  for (const row of sample.kept) counts.set(find(row), (counts.get(find(row)) ?? 0) + 1);
  return (row) => {
    const person = find(row);
    return counts.get(person) === 1 ? person : undefined;
  };
}
