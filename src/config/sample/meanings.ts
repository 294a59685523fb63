import { foldText } from '../../model/fold-words.js';
import type { CellLook } from './column-looks.js';
import type { HeadPlace } from './header-words.js';
import data from './meanings.json' with { type: 'json' };
import type { SampleLanguage } from './sample-languages.js';

/*
 * The table of meanings that columns may have (meanings.json): words of headers in twelve languages, and the look of the cells.
 * `recognise.ts` weighs the two.
 */

/** The entity that the rows of a file describe. */
export type RowKind = 'people' | 'customers' | 'projects';

export interface MeaningRow {
  readonly of: RowKind;
  /** Language → phrases, separated by commas. The words of a phrase may be separate, joined or hyphenated in a header. */
  readonly words: Readonly<Partial<Record<SampleLanguage, string>>>;
  /** The look of its cells. At least `share` of the filled cells must have it; 0 where headers alone decide. */
  readonly look: CellLook;
  readonly share: number;
  /** The look alone is enough; the header need not name it. */
  readonly byLook?: true;
  /** Looks that rule the meaning out. */
  readonly never?: readonly CellLook[];
  /** Folded parts of compounds that have the meaning too, separated by blanks: `alkupaiv` for `Työsuhteen alkupäivä`. */
  readonly stems?: string;
  /** Phrases, separated by commas, that may mean something else too: they raise a question. */
  readonly vague?: string;
  /** How strongly such a column shows that the rows are of this kind. */
  readonly weight: number;
}

export type Meaning = keyof typeof data.meanings;
export const MEANINGS = data.meanings as Readonly<Record<Meaning, MeaningRow>>;
export const MEANING_NAMES = Object.keys(MEANINGS) as readonly Meaning[];

/** Languages that put the main word of a phrase first: `date d'entrée`, `data zatrudnienia`. */
const HEAD_FIRST: ReadonlySet<string> = new Set(['fr', 'es', 'pt', 'it', 'pl']);

export function headOf(language: SampleLanguage): HeadPlace {
  return HEAD_FIRST.has(language) ? 'first' : 'last';
}

/** Meaning → its folded phrases, each with its language. */
export const PHRASES: ReadonlyMap<Meaning, readonly (readonly [phrase: string, language: SampleLanguage])[]> = new Map(
  MEANING_NAMES.map((meaning) => [
    meaning,
    Object.entries(MEANINGS[meaning].words).flatMap(([language, text]) =>
      text.split(',').map((phrase) => [foldText(phrase), language as SampleLanguage] as const),
    ),
  ]),
);

/** Meaning → its folded phrases that may mean something else too. */
export const VAGUE: ReadonlyMap<Meaning, ReadonlySet<string>> = new Map(
  MEANING_NAMES.map((meaning) => [meaning, new Set((MEANINGS[meaning].vague ?? '').split(',').map(foldText))]),
);

/** Kind of rows → folded names of files that have them. */
export const FILE_WORDS = Object.fromEntries(
  Object.entries(data.files).map(([kind, pattern]) => [kind, new RegExp(pattern)]),
) as Readonly<Record<RowKind, RegExp>>;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words for another person or thing: such a column is not about the person of the row. */
export const OTHERS = wordsOf(data.others);

/** Words for a person's private life: such a column is used only where there is no other. */
export const PRIVATE = wordsOf(data.private);

/** People in a CRM are contacts of customers, not colleagues. */
export const CONTACTS = new RegExp(data.contacts);

/** Words for a contract, a position or an object: its number is not a person's number, and its dates are not theirs. */
export const CONTRACTS = wordsOf(data.contracts);

/** Words for dates that do not show when a person works here. */
export const SPARE_DATES = wordsOf(data.spare);
