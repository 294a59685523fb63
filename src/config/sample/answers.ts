import type { DayOrder } from './guess-column.js';
import type { RowKind } from './meanings.js';
import type { Meanings } from './recognise.js';
import type { SampleLanguage } from './sample-languages.js';

/** What the account knows already: codes of countries, its offices and its people. */
export interface KnownService {
  readonly countries: readonly string[];
  readonly offices: readonly { readonly country: string; readonly name: string }[];
  readonly people: readonly KnownPerson[];
}

/** Somebody in the account; null for what it does not know of them. */
export interface KnownPerson {
  readonly email: string;
  readonly externalId: string | null;
  readonly name: string | null;
  /** Language → title. */
  readonly title: Readonly<Record<string, string>>;
  readonly office: { readonly country: string; readonly name: string } | null;
  readonly telephone: string | null;
  readonly deactivated: boolean;
}

/** What somebody has said, by flags or when asked, in place of what would be guessed. */
export interface Answers {
  /** Absolute path of the file that has rows of a kind. */
  readonly files: Readonly<Partial<Record<RowKind, string>>>;
  /** Empty for a meaning that no column has. */
  readonly columns: Meanings;
  /** That of everybody. */
  readonly office: KnownPerson['office'];
  /** Code of the country of everybody whose row has none. */
  readonly country: string | null;
  /** Name of a country as the source writes it → its code. */
  readonly countries: Readonly<Record<string, string>>;
  readonly language: SampleLanguage | null;
  /** What the dates of the file have first, where their days tell nothing. */
  readonly dates: DayOrder | null;
  /** Words of the status column that say that somebody has left; empty for none. */
  readonly left: readonly string[] | null;
  readonly service: KnownService | null;
  /** The day on which somebody has left or not; null for this one. */
  readonly today: Date | null;
}

export const NO_ANSWERS: Answers = {
  files: {},
  columns: {},
  office: null,
  country: null,
  countries: {},
  language: null,
  dates: null,
  left: null,
  service: null,
  today: null,
};

/** What could not be told from the samples, and which flag answers it. */
export interface OpenQuestion {
  readonly flag: '--column' | '--country' | '--country NAME=' | '--language' | '--dates' | '--left';
  /** What it is about, where the flag takes it too: the name of a country, the meaning of a column. */
  readonly about: string | null;
  readonly text: string;
  readonly choices: readonly string[];
  /** What is taken unless somebody says otherwise. */
  readonly otherwise: string;
}

/** A part of the configuration, with the words it looks up and what is open in it. */
export interface Proposal {
  readonly lines: readonly string[];
  /** Map → word → what it stands for, with a note. */
  readonly maps: Readonly<Record<string, readonly ProposedWord[]>>;
  readonly open: readonly OpenQuestion[];
}

export interface ProposedWord {
  readonly word: string;
  readonly meaning: string;
  readonly note: string | null;
}
