import { foldText } from '../../model/fold-words.js';
import type { CellLook } from './column-looks.js';
import type { HeadPlace } from './header-words.js';
import data from './meanings.json' with { type: 'json' };
import type { SampleLanguage } from './sample-languages.js';

/*
 * The meanings of columns, in one table (meanings.json): by the words of their headers in twelve languages, and by their cells.
 * `recognise.ts` weighs the two.
 */

/** The entity that the rows of a file describe. */
export type RowKind = 'people' | 'customers' | 'projects';

export interface MeaningRow {
  readonly of: RowKind;
  /** Phrases by language, separated by commas; the words of one may be apart, joined or written with hyphens. */
  readonly words: Readonly<Partial<Record<SampleLanguage, string>>>;
  /** The form of its cells. At least `share` of those that are filled must; 0 where headers alone decide. */
  readonly look: CellLook;
  readonly share: number;
  /** So sure that no word of the header is needed. */
  readonly byLook?: true;
  /** Cells that look like this are something else. */
  readonly never?: readonly CellLook[];
  /** Parts of compounds that mean it too, as \`alkupaiv\` of \`Työsuhteen alkupäivä\`, folded, separated by blanks. */
  readonly stems?: string;
  /** How much a column of it says that the rows are of this kind. */
  readonly weight: number;
}

export type Meaning = keyof typeof data.meanings;
export const MEANINGS = data.meanings as Readonly<Record<Meaning, MeaningRow>>;
export const MEANING_NAMES = Object.keys(MEANINGS) as readonly Meaning[];

/** Languages that put first what a thing is: \`date d'entrée\`, \`data zatrudnienia\`. */
const HEAD_FIRST: ReadonlySet<string> = new Set(['fr', 'es', 'pt', 'it', 'pl']);

export function headOf(language: SampleLanguage): HeadPlace {
  return HEAD_FIRST.has(language) ? 'first' : 'last';
}

/** The phrases of a meaning, folded, each with its language. */
export const PHRASES: ReadonlyMap<Meaning, readonly (readonly [phrase: string, language: SampleLanguage])[]> = new Map(
  MEANING_NAMES.map((meaning) => [
    meaning,
    Object.entries(MEANINGS[meaning].words).flatMap(([language, text]) =>
      text.split(',').map((phrase) => [foldText(phrase), language as SampleLanguage] as const),
    ),
  ]),
);

/** Names of files, by the kind of their rows; folded. */
export const FILE_WORDS = Object.fromEntries(
  Object.entries(data.files).map(([kind, pattern]) => [kind, new RegExp(pattern)]),
) as Readonly<Record<RowKind, RegExp>>;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Somebody or something else: a column with such a word is about them, not about the person of the row. */
export const OTHERS = wordsOf(data.others);

/** About the person at home: a column with such a word is used where there is nothing else. */
export const PRIVATE = wordsOf(data.private);

/** People in a CRM are contacts of customers, not colleagues. */
export const CONTACTS = new RegExp(data.contacts);

/** Neither a person's number nor the days between which somebody works here: those of a contract, a position, an object. */
export const CONTRACTS = wordsOf(data.contracts);

/** Days that say nothing of when somebody works here. */
export const SPARE_DATES = wordsOf(data.spare);
