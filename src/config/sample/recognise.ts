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
  VAGUE,
} from './meanings.js';
import type { SampleLanguage } from './sample-languages.js';

/** Meaning → column with this meaning. */
export type Meanings = Readonly<Partial<Record<Meaning, string>>>;

export interface Recognised {
  /** The kind of the rows; null if it is unclear. */
  readonly kind: RowKind | null;
  /** Kind → how strongly the columns and the name of the file indicate it. */
  readonly scores: Readonly<Record<RowKind, number>>;
  /** The meanings for all kinds, because the same column may be the name of a customer or of a project. */
  readonly meanings: Meanings;
  /** The language of most recognised headers; null if there is no majority. */
  readonly language: SampleLanguage | null;
}

const KINDS: readonly RowKind[] = ['people', 'customers', 'projects'];
/** Minimum cover. A header with less is about something else. */
const LEAST_COVER = 0.5;
/** Score of a column with the required look whose header does not name the meaning. */
const LOOK_ALONE = 0.3;
/** Kind → minimum score for rows to be of this kind. */
const LEAST_SCORE: Readonly<Record<RowKind, number>> = { people: 1.7, customers: 2, projects: 2 };
const FILE_SCORE = 1.5;

/** @param given columns that the user has named */
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

/** Assigns the best column to each meaning of a kind. No column gets two meanings. */
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

/**
 * Rates how well a column fits a meaning; 0 if it does not. Among columns with similar headers, the one with more filled cells
 * wins.
 */
function scoreColumn(guess: ColumnGuess, rows: number, meaning: Meaning): number {
  const { cover, phrase } = coverColumn(guess, meaning);
  const byLook = MEANINGS[meaning].byLook === true && isLike(guess, meaning) && !isOfOthers(guess) ? LOOK_ALONE : 0;
  const told = cover === 0 ? 0 : cover + phrase.length / 1_000;
  return (told + byLook) * (0.15 + (0.85 * guess.filled) / rows);
}

/** Returns the words of a column's name, preceded by those of the objects around it. */
function pathOf({ name, column }: ColumnGuess): readonly (readonly string[])[] {
  if (column?.from !== undefined) return splitPointer(column.from).map(splitHeader);
  const levels = /^\w+(?:\.\w+)+$/.test(name) ? name.split('.') : name.split(/: +/);
  return levels.map(splitHeader);
}

function isLike({ filled, looks }: ColumnGuess, meaning: Meaning): boolean {
  const { look, share, never } = MEANINGS[meaning];
  return filled > 0 && looks[look] >= share && never?.some((one) => looks[one] > 0.5) !== true;
}

/** True for a column that describes another person or thing than the row does: `Manager Email`. */
export function isOfOthers(guess: ColumnGuess): boolean {
  return pathOf(guess)
    .flat()
    .some((word) => OTHERS.has(word));
}

/** True for a column about a person's private life. */
export function isAtHome(guess: ColumnGuess): boolean {
  return (
    guess.isHome === true ||
    pathOf(guess)
      .flat()
      .some((word) => PRIVATE.has(word))
  );
}

/**
 * Returns the share of a column's header, 0 to 1, that names a meaning. It is 0 if the cells do not fit or the header is about
 * something else.
 */
export function coverColumn(guess: ColumnGuess, meaning: Meaning): Cover {
  if (!isLike(guess, meaning)) return NO_COVER;
  const path = pathOf(guess);
  const whole = coverPath(path, meaning);
  // The text in brackets says how a value is written: `Name (Last, First)`.
  const bare = guess.name.replaceAll(/\s*[([][^)\]]*[)\]]/g, '').trim();
  const outer = whole.cover >= LEAST_COVER || bare === '' ? whole : coverPath([splitHeader(bare)], meaning);
  const { cover, phrase, words, share } = outer;
  const around = path.flat().filter((word) => !phrase.includes(word));
  if (cover < LEAST_COVER || around.some((word) => OTHERS.has(word))) return NO_COVER;
  const ofContract = around.filter((word) => CONTRACTS.has(word));
  // A later start of a contract does not affect people who have accounts already.
  const isStart = meaning === 'startDate' && ofContract.every((word) => TERMS.test(word));
  if (NOT_OF_CONTRACTS.has(meaning) && ofContract.length > 0 && !isStart) return NO_COVER;
  // The code of a thing is not the same as its name.
  const beside = words.filter((word) => !phrase.includes(word));
  if (!ALSO_KEYS.has(MEANINGS[meaning].look) && isKeyName(beside.join(' '))) return NO_COVER;
  const isVague = VAGUE.get(meaning)?.has(phrase) === true;
  const lessBy = lessen(guess, meaning, around) * (isVague ? VAGUE_COVER : 1);
  return { cover: cover * share * lessBy * (ofContract.length > 0 ? 0.7 : 1), phrase };
}

/** Lowers the cover of columns about a home or a first start. People who come back have a later start. */
function lessen(guess: ColumnGuess, meaning: Meaning, around: readonly string[]): number {
  const isPrivate = AT_HOME.has(meaning) && (guess.isHome === true || around.some((word) => PRIVATE.has(word)));
  const isFirst =
    meaning === 'startDate' &&
    pathOf(guess)
      .flat()
      .some((word) => FIRST.test(word));
  return (isPrivate ? 0.3 : 1) * (isFirst ? 0.7 : 1);
}

/** Returns the share of a column's header that names a meaning, ignoring the cells. */
export function coverHeaderAlone(guess: ColumnGuess, meaning: Meaning): number {
  const path = pathOf(guess);
  const around = path.flat();
  if (around.some((word) => OTHERS.has(word) || CONTRACTS.has(word))) return 0;
  return coverPath(path, meaning).cover;
}

const NO_COVER: Cover = { cover: 0, phrase: '' };
/** Meanings that a place can have as well as a person. */
const PLACED: ReadonlySet<Meaning> = new Set(['email', 'phone', 'country']);
/** Meanings that exist both for work and for home. */
const AT_HOME: ReadonlySet<Meaning> = new Set(['email', 'phone', 'country', 'office']);
const FIRST = /^(?:original|first|initial|adjusted|seniority|continuous|ersteintritt|erst|forsta|forste)/;
const TERMS = /^(?:contract|vertrag|avtal|kontrakt|sopimu|contrat|umow)/;
const NOT_OF_CONTRACTS: ReadonlySet<Meaning> = new Set(['id', 'startDate', 'endDate']);
/** Looks of meanings for which a header may contain words for number or code. */
const ALSO_KEYS: ReadonlySet<CellLook> = new Set(['code', 'any', 'phone']);
/** Factor for each object that a phrase leaves out: `name` in `office` most likely means `office name`. */
const PER_LEVEL = 0.95;
/** Factor for a phrase that may also mean something else: a `Function` may be a title or a department. */
export const VAGUE_COVER = 0.6;
/** Cover if the header only contains a part of a compound. */
const STEM_COVER = 0.9;

interface PathCover extends Cover {
  /** The words that were compared, which are the last names of the path. */
  readonly words: readonly string[];
  /** Factor for the cover: 1 if the entire path was compared. */
  readonly share: number;
}

/** Rates a path. In JSON, names of outer objects count for little: `attributes/work/email` is an e-mail address. */
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

/** If there is a column for the first name, a column `Name` contains only the last name: `Name` next to `Vorname`. */
function preferParts(found: Meanings, columns: readonly ColumnGuess[]): Meanings {
  const { name, firstName, lastName } = found;
  if (name === undefined || (firstName === undefined) === (lastName === undefined)) return found;
  const values = columns.find((column) => column.name === name)?.firstValues ?? [];
  if (values.filter((value) => /\s/.test(value)).length * 3 > values.length) return found;
  const { name: _whole, ...rest } = found;
  return lastName === undefined ? { ...rest, lastName: name } : { ...rest, firstName: name };
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
    // Contacts of customers are people, but not colleagues.
    people: isPeople ? sum('people') - (CONTACTS.test(`${headers} ${file}`) ? 3 : 0) : 0,
    customers: customerName === undefined ? 0 : sum('customers') + isNamed(customerName),
    projects: projectName === undefined ? 0 : sum('projects') + isNamed(projectName),
  };
}

/** True if a header puts the last name before the first name: `Cognome e nome`. */
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

/** Extra score for a header of several words, because `Company name` says more than `Name`. */
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

/** Lists the languages in which the header exists. */
function languagesOf(header: string): ReadonlySet<SampleLanguage> {
  const words = splitHeader(header);
  const phrases = [...PHRASES.values()].flat();
  return new Set(
    phrases
      .filter(([phrase, language]) => coverHeader(words, phrase, headOf(language)) > 0.9)
      .map(([, language]) => language),
  );
}
