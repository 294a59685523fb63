import type { DayOrder } from './guess-column.js';
import type { RowKind } from './meanings.js';
import type { Meanings } from './recognise.js';
import type { SampleLanguage } from './sample-languages.js';

/** The data of the account that `init` uses: codes of countries, offices and people. */
export interface KnownService {
  readonly countries: readonly string[];
  readonly offices: readonly { readonly country: string; readonly name: string }[];
  readonly people: readonly KnownPerson[];
}

/** A person in the account. A field is null if the account has no value for it. */
export interface KnownPerson {
  readonly email: string;
  readonly externalId: string | null;
  readonly name: string | null;
  /** Language → title in that language. */
  readonly title: Readonly<Record<string, string>>;
  readonly office: { readonly country: string; readonly name: string } | null;
  readonly telephone: string | null;
  readonly deactivated: boolean;
}

/** Answers that the user gave by flags or at the prompt. They take precedence over guesses. */
export interface Answers {
  /** Kind of rows → absolute path of the file that contains them. */
  readonly files: Readonly<Partial<Record<RowKind, string>>>;
  /** Meaning → column. An empty name means that no column has the meaning. */
  readonly columns: Meanings;
  /** The office of all people. */
  readonly office: KnownPerson['office'];
  /** Country code for people whose rows name no country. */
  readonly country: string | null;
  /** Name of a country in the source → its code. */
  readonly countries: Readonly<Record<string, string>>;
  readonly language: SampleLanguage | null;
  /** The order of day and month, if the dates of the file do not show it. */
  readonly dates: DayOrder | null;
  /** Words of the status column for people who have left; empty if there are none. */
  readonly left: readonly string[] | null;
  /** Field → whether the source overwrites it for people who have another value in the account. */
  readonly updates: Readonly<Record<string, boolean>>;
  readonly service: KnownService | null;
  /** The day with which last and first days of work are compared; null for today. */
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
  updates: {},
  service: null,
  today: null,
};

/** A question that the samples do not answer, and the flag that answers it. */
export interface OpenQuestion {
  readonly flag: '--column' | '--country' | '--country NAME=' | '--language' | '--dates' | '--left' | '--update';
  /** The subject, if the flag needs one: the name of a country, the meaning of a column, or a field. */
  readonly about: string | null;
  readonly text: string;
  readonly choices: readonly string[];
  /** The answer if the user gives none. */
  readonly otherwise: string;
}

/** Lines of `fields` with their open questions. Some lines may be comments. */
export interface ProposedField {
  readonly lines: readonly string[];
  readonly open: readonly OpenQuestion[];
}

/** A part of the configuration, with its open questions and the words that it looks up. */
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
