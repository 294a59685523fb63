import { foldText } from '../../model/fold-words.js';
import type { CellLook } from './column-looks.js';
import type { HeadPlace } from './header-words.js';
import data from './meanings.json' with { type: 'json' };
import type { SampleLanguage } from './sample-languages.js';

/*
 * The meanings that columns may have (meanings.json): words of headers in twelve languages, and the look of the cells.
 * `recognise.ts` weighs both.
 */

/** The entity that the rows of a file describe. */
export type RowKind = 'people' | 'customers' | 'projects';

export interface MeaningRow {
  readonly of: RowKind;
  /** Language → phrases, separated by commas. A header may write the words of a phrase separately, joined or hyphenated. */
  readonly words: Readonly<Partial<Record<SampleLanguage, string>>>;
  /** The look of the cells. At least `share` of the filled cells must have it; 0 if the header alone decides. */
  readonly look: CellLook;
  readonly share: number;
  /** Set if the look is sufficient and the header need not name the meaning. */
  readonly byLook?: true;
  /** Looks that exclude the meaning. */
  readonly never?: readonly CellLook[];
  /** Folded parts of compounds with the same meaning, separated by blanks: `alkupaiv` for `Työsuhteen alkupäivä`. */
  readonly stems?: string;
  /** Phrases, separated by commas, that may also mean something else and therefore raise a question. */
  readonly vague?: string;
  /** How strongly a column with this meaning shows that the rows are of this kind. */
  readonly weight: number;
}

export type Meaning = keyof typeof data.meanings;
export const MEANINGS = data.meanings as Readonly<Record<Meaning, MeaningRow>>;
export const MEANING_NAMES = Object.keys(MEANINGS) as readonly Meaning[];

/** Languages in which the main word of a phrase comes first: `date d'entrée`, `data zatrudnienia`. */
const HEAD_FIRST: ReadonlySet<string> = new Set(['fr', 'es', 'pt', 'it', 'pl']);

export function headOf(language: SampleLanguage): HeadPlace {
  return HEAD_FIRST.has(language) ? 'first' : 'last';
}

/** Meaning → its folded phrases, each with its language. */
export const PHRASES: ReadonlyMap<Meaning, readonly (readonly [phrase: string, language: SampleLanguage])[]> = new Map(
  MEANING_NAMES.map((meaning) => [
    meaning,
    Object.entries(MEANINGS[meaning].words).flatMap(([language, text]) =>
      text
        .split(',')
        .flatMap(abbreviate)
        .map((phrase) => [foldText(phrase), language as SampleLanguage] as const),
    ),
  ]),
);

/** `employee number` is also written `Employee No.` or `Employee Nr`. */
function abbreviate(phrase: string): readonly string[] {
  return ['number', 'no', 'nr'].map((word) => phrase.replace(/ number$/, ` ${word}`));
}

/** Meaning → its folded phrases that may also mean something else. */
export const VAGUE: ReadonlyMap<Meaning, ReadonlySet<string>> = new Map(
  MEANING_NAMES.map((meaning) => [meaning, new Set((MEANINGS[meaning].vague ?? '').split(',').map(foldText))]),
);

/** Kind of rows → folded names of files that contain such rows. */
export const FILE_WORDS = Object.fromEntries(
  Object.entries(data.files).map(([kind, pattern]) => [kind, new RegExp(pattern)]),
) as Readonly<Record<RowKind, RegExp>>;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words for another person or thing. A column with such a header does not describe the person of the row. */
export const OTHERS = wordsOf(data.others);

/** Words for a person's private life. A column with such a header is used only if there is no other. */
export const PRIVATE = wordsOf(data.private);

/** Matches headers that only contacts in a CRM have. Such contacts are people of customers, not colleagues. */
export const CONTACTS = new RegExp(data.contacts);

/** Words for a contract, a position or an object. Numbers and dates under such a header are not those of the person. */
export const CONTRACTS = wordsOf(data.contracts);

/** Words for dates that do not show when a person works here. */
export const SPARE_DATES = wordsOf(data.spare);
