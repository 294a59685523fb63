import { SyncError } from '../errors.js';
import { findMeanings, isKeyName, isTextName, type Meanings } from './column-names.js';
import { type ColumnGuess, type ColumnGuesser, compileCandidates, createColumnGuesser } from './guess-column.js';
import { readTable, type TableFacts } from './read-table.js';
import { openSample } from './sample-file.js';

/** A file that nobody has configured yet: what is in it, and how it could be declared. */
export interface Sample {
  readonly at: string;
  readonly facts: TableFacts;
  readonly rows: number;
  /** Every column that can be declared, in the order of the file. */
  readonly columns: readonly ColumnGuess[];
  /** Columns that cannot be declared, each with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly because: string }[];
  readonly key: string;
  /** Why another column may be the key; null where nothing speaks against this one. */
  readonly keyNote: string | null;
  readonly meanings: Meanings;
}

/**
 * Reads the whole file; its cells are not kept.
 *
 * @param separator that of the source, where it declares one
 */
export async function readSample(path: string, separator: string | null = null): Promise<Sample> {
  const file = await openSample(path);
  const candidates = compileCandidates();
  const guessers = new Map<string, ColumnGuesser>();
  let rows = 0;
  const facts = await readTable(file, separator, {
    header: (names) => {
      for (const name of names) guessers.set(name, createColumnGuesser(candidates));
    },
    row: (row, line) => {
      rows++;
      for (const [name, value] of row) {
        const guesser = guessers.get(name) ?? createColumnGuesser(candidates);
        guessers.set(name, guesser);
        guesser.take(value, line);
      }
    },
  });
  const named = [...guessers].filter(([name]) => !isTaken(name));
  const { key, note: keyNote } = chooseKey(named.map(([name, guesser]) => ({ name, ...guesser.finish(rows, false) })));
  if (key === null) throw refuseColumns(file.at);
  const guesses = named.map(([name, guesser]) => {
    const guess = { name, ...guesser.finish(rows, name === key || isTextName(name)) };
    // Every record needs its key: rows without one are held.
    return name === key && guess.column !== null ? { ...guess, column: { ...guess.column, optional: false } } : guess;
  });
  const columns = guesses.filter(({ column }) => column !== null);
  return {
    at: file.at,
    facts,
    rows,
    columns,
    leftOut: [
      ...[...guessers.keys()]
        .filter(isTaken)
        .map((name) => ({ name, because: 'the name is taken: rename the column' })),
      ...guesses.filter(({ column }) => column === null).map(({ name, note }) => ({ name, because: note ?? '' })),
    ],
    key,
    keyNote,
    meanings: findMeanings(columns.map(({ name }) => name)),
  };
}

/** As in `resolve-sources.ts`: the cells of a record are a plain object. */
function isTaken(name: string): boolean {
  return name.trim() === '' || name in Object.prototype || name === 'prototype';
}

interface ChosenKey {
  readonly key: string | null;
  readonly note: string | null;
}

/** A unique column that is never empty: by its name if one has the name of a key, else an address, else the first. */
function chooseKey(guesses: readonly ColumnGuess[]): ChosenKey {
  const texts = guesses.filter(({ column }) => column !== null && ['string', 'int'].includes(column.type));
  const unique = texts.filter(({ isKey }) => isKey).map(({ name }) => name);
  const { id, email } = findMeanings(unique);
  const named = id ?? unique.find(isKeyName);
  if (named !== undefined) return { key: named, note: null };
  const [first] = unique;
  if (email !== undefined || first !== undefined) {
    return { key: email ?? first ?? null, note: 'no column with the name of a key is unique; this one is' };
  }
  const rows = Math.max(0, ...guesses.map(({ filled }) => filled));
  const filled = texts.filter((guess) => guess.filled === rows).map(({ name }) => name);
  const fallback = filled.find(isKeyName) ?? filled[0] ?? texts[0]?.name ?? null;
  return { key: fallback, note: 'no column is unique and never empty: rows of one key are held together' };
}

function refuseColumns(at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: 'The sample has no column that could be a key: no row could be read, or none of its cells is a text.',
    place: at,
    remedy: 'Name a CSV, JSON or NDJSON file of rows, one of whose columns identifies the row.',
  });
}
