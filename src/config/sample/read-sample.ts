import { SyncError } from '../../base/errors.js';
import type { Columns } from '../../model/column.js';
import { settleByOthers } from './day-order.js';
import type { DeclaredInterface } from './declare-interface.js';
import { type ColumnGuess, type ColumnGuesser, compileCandidates, createColumnGuesser } from './guess-column.js';
import { isKeyName } from './header-words.js';
import { markHomes } from './home-address.js';
import { InnerColumns, isTaken } from './inner-columns.js';
import { KeptRows, type SampleRow } from './kept-rows.js';
import type { Meaning, RowKind } from './meanings.js';
import { readTable, type TableFacts, type TableTaker } from './read-table.js';
import { type Meanings, type Recognised, recognise } from './recognise.js';
import { openSample } from './sample-file.js';

/** A file that is not configured yet: its content, and how it can be declared. */
export interface Sample extends Recognised {
  readonly at: string;
  readonly facts: TableFacts;
  readonly rows: number;
  /** Rows from all parts of the file, or every row if there are few. */
  readonly kept: readonly SampleRow[];
  /** All columns that can be declared, in the order of the file. */
  readonly columns: readonly ColumnGuess[];
  /** Columns that cannot be declared, with the reason for each. */
  readonly leftOut: readonly { readonly name: string; readonly because: string }[];
  readonly key: string;
  /** Why another column may be the key; null if there is no doubt. */
  readonly keyNote: string | null;
  /** The interface that the rows were read from; absent for a file. */
  readonly interface?: SampledInterface;
}

/** An interface that `init` has read rows from. */
export interface SampledInterface extends DeclaredInterface {
  readonly key: string;
  readonly columns: Columns;
}

export interface SampleHints {
  /** The separator that the source declares, if any. */
  readonly separator?: string | null;
  /** Columns that the user has named. Those that the file lacks are ignored. */
  readonly columns?: Meanings;
}

/** Reads the entire file and keeps some of its rows. */
export async function readSample(
  path: string,
  { separator = null, columns: named = {} }: SampleHints = {},
): Promise<Sample> {
  const file = await openSample(path);
  return gatherSample({ at: file.at, named }, (take) => readTable(file, separator, take));
}

interface GatheredAs {
  readonly at: string;
  readonly named: Meanings;
  readonly known?: SampledInterface;
}

/** Does the same as `readSample` for rows from any source. */
export async function gatherSample(
  { at, named, known }: GatheredAs,
  read: (take: TableTaker) => Promise<TableFacts>,
): Promise<Sample> {
  const candidates = compileCandidates();
  const guessers = new Map<string, ColumnGuesser>();
  const inner = new InnerColumns(candidates);
  const kept = new KeptRows();
  let rows = 0;
  const facts = await read({
    header: (names) => {
      for (const name of names) guessers.set(name, createColumnGuesser(candidates));
    },
    row: (row, line) => {
      rows++;
      kept.take(row);
      for (const [name, value] of row) {
        const guesser = guessers.get(name) ?? createColumnGuesser(candidates);
        guessers.set(name, guesser);
        guesser.take(value, line);
        inner.take([name], value, line);
      }
    },
  });
  const pointers = new Map<string, string>();
  for (const { at, path, guesser } of inner.list()) {
    const name = freeName(path.join('_'), guessers);
    guessers.set(name, guesser);
    pointers.set(name, at);
  }
  const free = [...guessers].filter(([name]) => !isTaken(name));
  const first = markHomes(
    free.map(([name, guesser]) => pointAt(pointers.get(name), { name, ...guesser.finish(rows, false) })),
  );
  const given = Object.fromEntries(Object.entries(named).filter(([, column]) => guessers.has(column ?? '')));
  const recognised = recognise(at, first.filter(isValue), rows, given);
  const { key, note: keyNote } = known === undefined ? chooseKey(first, recognised) : { key: known.key, note: null };
  if (key === null) throw refuseColumns(at);
  const isText = chooseTexts(recognised, key);
  const isKnownBy = chooseKnownBy(recognised, key);
  const guessed = free.map(([name, guesser]) => {
    const declared = known?.columns[name];
    if (declared !== undefined)
      return { name, ...guesser.finish(rows, true, isKnownBy(name)), column: declared, rival: null, note: null };
    const guess = pointAt(pointers.get(name), { name, ...guesser.finish(rows, isText(name), isKnownBy(name)) });
    // Every record needs a key; rows without one are held.
    return name === key && guess.column !== null ? { ...guess, column: { ...guess.column, optional: false } } : guess;
  });
  const guesses = markHomes(settleByOthers(guessed));
  return {
    ...recognised,
    at,
    facts,
    rows,
    kept: kept.list(),
    columns: guesses.filter(isDeclarable),
    leftOut: [
      ...[...guessers.keys()]
        .filter(isTaken)
        .map((name) => ({ name, because: 'the name is reserved: rename the column' })),
      ...guesses.filter(({ column }) => column === null).map(({ name, note }) => ({ name, because: note ?? '' })),
    ],
    key,
    keyNote,
    ...(known === undefined ? {} : { interface: known }),
  };
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}

function pointAt(from: string | undefined, guess: ColumnGuess): ColumnGuess {
  if (from === undefined || guess.column === null) return guess;
  return { ...guess, column: { ...guess.column, from }, rival: guess.rival && { ...guess.rival, from } };
}

function isDeclarable({ column }: ColumnGuess): boolean {
  return column !== null;
}

/** True unless the value is a JSON object. An object has no meaning itself, but its values may have one. */
function isValue({ column }: ColumnGuess): boolean {
  return column !== null && column.type !== 'map';
}

/**
 * Meanings that need not be texts. Keys, references, telephone numbers and names remain texts even if they contain only digits.
 */
const NO_TEXT: readonly Meaning[] = ['startDate', 'endDate', 'status', 'industry', 'projectStage'];

const TEXTS = /(?:phone|telefon|mobil|postal|postnr|zip|plz|ssn|cost.?cent|kostenst|konto|account)/i;

function chooseTexts({ meanings }: Recognised, key: string): (column: string) => boolean {
  const others = new Set(NO_TEXT.map((meaning) => meanings[meaning]));
  const texts = new Set(Object.values(meanings).filter((column) => !others.has(column)));
  return (column) =>
    column === key || isKeyName(column) || (!others.has(column) && (texts.has(column) || TEXTS.test(column)));
}

/** Meanings that identify people and things. */
const KNOWN_BY: readonly Meaning[] = ['name', 'firstName', 'nameParticle', 'lastName', 'email', 'id'];

/** Matches headers of names and parts of names, in any file. */
const NAMES =
  /^(?:first|last|middle|given|family)$|name|navn|namn|nimi|naam|nom\b|cognome|nombre|apellido|imi[eę]|nazwisko/i;

export function chooseKnownBy({ meanings }: Pick<Recognised, 'meanings'>, key: string): (column: string) => boolean {
  const columns = new Set([key, ...KNOWN_BY.map((meaning) => meanings[meaning])]);
  return (column) => columns.has(column) || isKeyName(column) || NAMES.test(column);
}

/** Kind of rows → meanings that identify a row, the most reliable first. */
const KEYS: Readonly<Record<RowKind, readonly Meaning[]>> = {
  people: ['id'],
  customers: ['customerId'],
  projects: ['projectId'],
};

interface ChosenKey {
  readonly key: string | null;
  readonly note: string | null;
}

/**
 * Chooses a unique column without empty cells: by its meaning, then by a header that is typical of keys, then the address, then
 * the first one.
 */
function chooseKey(guesses: readonly ColumnGuess[], { kind, meanings }: Recognised): ChosenKey {
  const texts = guesses.filter(({ column }) => column !== null && ['string', 'int'].includes(column.type));
  const unique = texts.filter(({ isKey }) => isKey).map(({ name }) => name);
  const meant = (kind === null ? Object.values(KEYS).flat() : KEYS[kind]).map((meaning) => meanings[meaning]);
  const named = meant.find((name) => unique.includes(name ?? '')) ?? unique.find(isKeyName);
  if (named !== undefined) return { key: named, note: null };
  const [first] = unique;
  const email = unique.find((name) => name === meanings.email);
  if (email !== undefined || first !== undefined) {
    return { key: email ?? first ?? null, note: 'this column is unique, unlike those named like a key' };
  }
  const rows = Math.max(0, ...guesses.map(({ filled }) => filled));
  const filled = texts.filter((guess) => guess.filled === rows).map(({ name }) => name);
  const fallback = filled.find(isKeyName) ?? filled[0] ?? texts[0]?.name ?? null;
  return { key: fallback, note: 'no column is unique and never empty: rows that share a key are held' };
}

function refuseColumns(at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: 'No column of the sample could be a key: no row could be read, or no cell is a text.',
    place: at,
    remedy: 'Name a CSV, JSON or NDJSON file with rows and a column that identifies each row.',
  });
}
