import { basename } from 'node:path';
import { splitPointer } from '../../connectors/rows/pointer.js';
import { foldText, splitHeader } from '../../model/fold-words.js';
import type { CellLook } from './column-looks.js';
import type { ColumnGuess } from './guess-column.js';
import { coverHeader, isKeyName } from './header-words.js';
import {
  CONTACTS,
  CONTRACTS,
  FILE_WORDS,
  headOf,
  MEANING_NAMES,
  MEANINGS,
  type Meaning,
  OTHERS,
  PHRASES,
  PRIVATE,
  type RowKind,
} from './meanings.js';
import type { SampleLanguage } from './sample-languages.js';

/** Column of each meaning. */
export type Meanings = Readonly<Partial<Record<Meaning, string>>>;

export interface Recognised {
  /** What the rows are; null where nothing says so. */
  readonly kind: RowKind | null;
  /** How much says that they are of each kind. */
  readonly scores: Readonly<Record<RowKind, number>>;
  /** Of all kinds: the same column may be the name of a customer, and of a project. */
  readonly meanings: Meanings;
  /** In which most of the recognised headers are written; null where they are none of one language more than of another. */
  readonly language: SampleLanguage | null;
}

const KINDS: readonly RowKind[] = ['people', 'customers', 'projects'];
/** Less of a header is about something else. */
const LEAST_COVER = 0.5;
/** What a look that needs no header counts beside one. */
const LOOK_ALONE = 0.3;
/** From what score on rows are of a kind. */
const LEAST_SCORE: Readonly<Record<RowKind, number>> = { people: 1.7, customers: 2, projects: 2 };
const FILE_SCORE = 1.5;

/** @param given columns that somebody has named */
export function recognise(at: string, columns: readonly ColumnGuess[], rows: number, given: Meanings = {}): Recognised {
  const found = Object.assign({}, ...KINDS.map((kind) => assign(kind, columns, rows, given))) as Meanings;
  const meanings = { ...preferParts(found, columns), ...given };
  const scores = scoreKinds(at, columns, meanings);
  const [kind] = KINDS.filter((one) => scores[one] >= LEAST_SCORE[one]).sort((a, b) => scores[b] - scores[a]);
  return { kind: kind ?? null, scores, meanings, language: languageOfHeaders(Object.values(meanings)) };
}

interface Fit {
  readonly meaning: Meaning;
  readonly column: string;
  readonly score: number;
}

/** The best column for each meaning of a kind, and no column for two. */
function assign(kind: RowKind, columns: readonly ColumnGuess[], rows: number, given: Meanings): Meanings {
  const meanings = MEANING_NAMES.filter((meaning) => MEANINGS[meaning].of === kind && given[meaning] === undefined);
  const taken = new Set(Object.values(given));
  const fits = columns
    .filter(({ name }) => !taken.has(name))
    .flatMap((column): readonly Fit[] =>
      meanings.map((meaning) => ({ meaning, column: column.name, score: scoreColumn(column, rows, meaning) })),
    )
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const found: Partial<Record<Meaning, string>> = {};
  for (const { meaning, column } of fits) {
    if (found[meaning] !== undefined || taken.has(column)) continue;
    found[meaning] = column;
    taken.add(column);
  }
  return found;
}

/** How well a column has a meaning: 0 where it has not. Of two with the same header the one that is filled has it. */
function scoreColumn(guess: ColumnGuess, rows: number, meaning: Meaning): number {
  const { cover, phrase } = coverColumn(guess, meaning);
  const byLook = MEANINGS[meaning].byLook === true && isLike(guess, meaning) && !isOfOthers(guess) ? LOOK_ALONE : 0;
  const told = cover === 0 ? 0 : cover + phrase.length / 1_000;
  return (told + byLook) * (0.15 + (0.85 * guess.filled) / rows);
}

/** The names that lead to a column: one, or in JSON those of the objects around it. */
function pathOf({ name, column }: ColumnGuess): readonly (readonly string[])[] {
  if (column?.from !== undefined) return splitPointer(column.from).map(splitHeader);
  const levels = /^\w+(?:\.\w+)+$/.test(name) ? name.split('.') : name.split(/: +/);
  return levels.map(splitHeader);
}

function isLike({ filled, looks }: ColumnGuess, meaning: Meaning): boolean {
  const { look, share, never } = MEANINGS[meaning];
  return filled > 0 && looks[look] >= share && never?.some((one) => looks[one] > 0.5) !== true;
}

/** About somebody or something else than the person of the row: `Manager Email`. */
export function isOfOthers(guess: ColumnGuess): boolean {
  return pathOf(guess)
    .flat()
    .some((word) => OTHERS.has(word));
}

/** About the person at home. */
export function isAtHome(guess: ColumnGuess): boolean {
  return pathOf(guess)
    .flat()
    .some((word) => PRIVATE.has(word));
}

/**
 * How much of its header says that a column has a meaning, 0 to 1: 0 where its cells do not look like it, or where the header is
 * that of something else.
 */
export function coverColumn(guess: ColumnGuess, meaning: Meaning): Cover {
  if (!isLike(guess, meaning)) return NO_COVER;
  const path = pathOf(guess);
  const whole = coverPath(path, meaning);
  // In brackets a header says how something is written: `Name (Last, First)`.
  const bare = guess.name.replaceAll(/\s*[([][^)\]]*[)\]]/g, '').trim();
  const outer = whole.cover >= LEAST_COVER || bare === '' ? whole : coverPath([splitHeader(bare)], meaning);
  const { cover, phrase, words, share } = outer;
  const around = path.flat().filter((word) => !phrase.includes(word));
  if (cover < LEAST_COVER || around.some((word) => OTHERS.has(word))) return NO_COVER;
  const ofContract = around.filter((word) => CONTRACTS.has(word));
  // A contract that begins later is no harm to who is there already.
  const isStart = meaning === 'startDate' && ofContract.every((word) => TERMS.test(word));
  if (NOT_OF_CONTRACTS.has(meaning) && ofContract.length > 0 && !isStart) return NO_COVER;
  // The code of something is not its name.
  const beside = words.filter((word) => !phrase.includes(word));
  if (!ALSO_KEYS.has(MEANINGS[meaning].look) && isKeyName(beside.join(' '))) return NO_COVER;
  // Somebody who comes back starts again.
  const isFirst = meaning === 'startDate' && path.flat().some((word) => FIRST.test(word));
  const isPrivate = AT_HOME.has(meaning) && around.some((word) => PRIVATE.has(word));
  return { cover: cover * share * (isPrivate ? 0.3 : 1) * (isFirst || ofContract.length > 0 ? 0.7 : 1), phrase };
}

const NO_COVER: Cover = { cover: 0, phrase: '' };
/** What a place has, and people in it. */
const PLACED: ReadonlySet<Meaning> = new Set(['email', 'phone', 'country']);
/** What a person has at work, and at home as well. */
const AT_HOME: ReadonlySet<Meaning> = new Set(['email', 'phone', 'country', 'office']);
const FIRST = /^(?:original|first|initial|adjusted|seniority|continuous|ersteintritt|erst|forsta|forste)/;
const TERMS = /^(?:contract|vertrag|avtal|kontrakt|sopimu|contrat|umow)/;
const NOT_OF_CONTRACTS: ReadonlySet<Meaning> = new Set(['id', 'startDate', 'endDate']);
/** What may well be called a number or a code. */
const ALSO_KEYS: ReadonlySet<CellLook> = new Set(['code', 'any', 'phone']);
/** What a phrase counts of which an object says a part, or nothing: `name` in `office` is first of all `office name`. */
const PER_LEVEL = 0.95;
/** What a part of a compound counts. */
const STEM_COVER = 0.9;

interface PathCover extends Cover {
  /** Those that were looked at: the last names of the path. */
  readonly words: readonly string[];
  /** What it counts, 1 where the whole path was looked at. */
  readonly share: number;
}

/** Of JSON the names that an object is in say little: `attributes/work/email` is an e-mail. */
function coverPath(path: readonly (readonly string[])[], meaning: Meaning): PathCover {
  const covers = path.map((_, level): PathCover => {
    const words = path.slice(level).flat();
    return { ...coverBest(words, meaning), words, share: PER_LEVEL ** level };
  });
  const [best] = covers.sort((a, b) => b.cover * b.share - a.cover * a.share);
  return best ?? { ...NO_COVER, words: [], share: 1 };
}

export interface Cover {
  readonly cover: number;
  readonly phrase: string;
}

function coverBest(words: readonly string[], meaning: Meaning): Cover {
  let best = NO_COVER;
  for (const [phrase, language] of PHRASES.get(meaning) ?? []) {
    const cover = coverHeader(words, phrase, headOf(language), PLACED.has(meaning));
    if (cover > best.cover || (cover === best.cover && phrase.length > best.phrase.length)) best = { cover, phrase };
  }
  if (best.cover >= STEM_COVER) return best;
  const joined = words.join('');
  const stem = MEANINGS[meaning].stems?.split(' ').find((part) => joined.includes(part));
  return stem === undefined ? best : { cover: STEM_COVER, phrase: stem };
}

/** `Name` beside `Vorname` is the last name alone. */
function preferParts(found: Meanings, columns: readonly ColumnGuess[]): Meanings {
  const { name, firstName, lastName } = found;
  if (name === undefined || firstName === undefined || lastName !== undefined) return found;
  const values = columns.find((column) => column.name === name)?.firstValues ?? [];
  if (values.filter((value) => /\s/.test(value)).length * 3 > values.length) return found;
  const { name: _whole, ...rest } = found;
  return { ...rest, lastName: name };
}

function scoreKinds(
  at: string,
  columns: readonly ColumnGuess[],
  meanings: Meanings,
): Readonly<Record<RowKind, number>> {
  const file = foldText(basename(at));
  const sum = (kind: RowKind): number =>
    MEANING_NAMES.filter((meaning) => MEANINGS[meaning].of === kind && meanings[meaning] !== undefined)
      .map((meaning) => MEANINGS[meaning].weight)
      .reduce((all, weight) => all + weight, FILE_WORDS[kind].test(file) ? FILE_SCORE : 0);
  const { email, customerName, projectName } = meanings;
  const { firstName, lastName } = meanings;
  const turned = columns.find((column) => column.looks.turnedName > 0.9 && !isOfOthers(column));
  const name = meanings.name ?? turned?.name;
  const headers = columns.map((column) => foldText(column.name)).join(' ');
  const isPeople = email !== undefined && (name ?? firstName ?? lastName) !== undefined;
  return {
    // Contacts of customers are people as well, and nobody's colleagues.
    people: isPeople ? sum('people') - (CONTACTS.test(`${headers} ${file}`) ? 3 : 0) : 0,
    customers: customerName === undefined ? 0 : sum('customers') + isNamed(customerName),
    projects: projectName === undefined ? 0 : sum('projects') + isNamed(projectName),
  };
}

/** Whether a header has the last name before the first, as `Cognome e nome`. */
export function saysLastFirst(header: string): boolean {
  const words = splitHeader(header);
  const placeOf = (meaning: Meaning): number =>
    words.findIndex((word, at) => isPhrase(meaning, word) || isPhrase(meaning, `${word}${words[at + 1] ?? ''}`));
  const [last, first] = [placeOf('lastName'), placeOf('firstName')];
  return last >= 0 && first > last;
}

function isPhrase(meaning: Meaning, text: string): boolean {
  return PHRASES.get(meaning)?.some(([phrase]) => phrase === text) === true;
}

/** `Company name` says more than `Name`. */
function isNamed(header: string): number {
  return splitHeader(header).length > 1 ? 0.5 : 0;
}

function languageOfHeaders(headers: readonly string[]): SampleLanguage | null {
  const counts = new Map<SampleLanguage, number>();
  for (const header of headers) {
    const spoken = languagesOf(header);
    for (const language of spoken) counts.set(language, (counts.get(language) ?? 0) + 1 / spoken.size);
  }
  const [best, next] = [...counts].sort((a, b) => b[1] - a[1]);
  return best === undefined || best[1] - (next?.[1] ?? 0) < 0.5 ? null : best[0];
}

/** Those in which a column is called so. */
function languagesOf(header: string): ReadonlySet<SampleLanguage> {
  const words = splitHeader(header);
  const phrases = [...PHRASES.values()].flat();
  return new Set(
    phrases
      .filter(([phrase, language]) => coverHeader(words, phrase, headOf(language)) > 0.9)
      .map(([, language]) => language),
  );
}
