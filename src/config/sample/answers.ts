import type { DayOrder } from './guess-column.js';
import type { RowKind } from './meanings.js';
import type { Meanings } from './recognise.js';
import type { SampleLanguage } from './sample-languages.js';

/** The account's data that `init` uses: codes of countries, offices and people. */
export interface KnownService {
  readonly countries: readonly string[];
  readonly offices: readonly { readonly country: string; readonly name: string }[];
  readonly people: readonly KnownPerson[];
}

/** A person in the account; null where the account has no value. */
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

/** Answers that a user gave by flags or at the prompt. They replace guesses. */
export interface Answers {
  /** Kind of rows → absolute path of the file that has them. */
  readonly files: Readonly<Partial<Record<RowKind, string>>>;
  /** An empty name says that no column has the meaning. */
  readonly columns: Meanings;
  /** The office for everyone. */
  readonly office: KnownPerson['office'];
  /** Country code for people whose row names no country. */
  readonly country: string | null;
  /** Name of a country, as the source writes it → its code. */
  readonly countries: Readonly<Record<string, string>>;
  readonly language: SampleLanguage | null;
  /** The order of day and month, where the dates of the file do not show it. */
  readonly dates: DayOrder | null;
  /** Words of the status column for people who have left; empty if there are none. */
  readonly left: readonly string[] | null;
  readonly service: KnownService | null;
  /** The day that last and first days of work are compared with; null for today. */
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

/** A question that the samples leave open, and the flag that answers it. */
export interface OpenQuestion {
  readonly flag: '--column' | '--country' | '--country NAME=' | '--language' | '--dates' | '--left';
  /** The subject, where the flag needs it: the name of a country, or the meaning of a column. */
  readonly about: string | null;
  readonly text: string;
  readonly choices: readonly string[];
  /** The default answer. */
  readonly otherwise: string;
}

/** Lines of `fields`, some of them comments, and their open questions. */
export interface ProposedField {
  readonly lines: readonly string[];
  readonly open: readonly OpenQuestion[];
}

/** A part of the configuration, with the words it looks up and its open questions. */
export interface Proposal {
  readonly lines: readonly string[];
  /** Map → its words, each with a meaning and a note. */
  readonly maps: Readonly<Record<string, readonly ProposedWord[]>>;
  readonly open: readonly OpenQuestion[];
}

export interface ProposedWord {
  readonly word: string;
  readonly meaning: string;
  readonly note: string | null;
}
