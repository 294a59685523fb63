import type { CountryFacts, Phrases, Say } from './company-data.js';
import type { Employee } from './people.js';

export interface CompanyOptions {
  readonly users: number;
  readonly customers: number;
  readonly projects: number;
  readonly proposals: number;
  /** ISO 3166 codes in lower case. The first has twice as many people as each of the others. */
  readonly countries: readonly string[];
  readonly seed: number;
  readonly cvs: 'full' | 'short' | 'none';
  readonly images: boolean;
}

/** The input of all generators of a company. */
export interface CompanyPlan extends Omit<CompanyOptions, 'countries'> {
  readonly name: string;
  readonly countries: ReadonlyMap<string, CountryFacts>;
  /** ISO 639-1 codes of the account's languages. */
  readonly languages: readonly string[];
  readonly people: readonly Employee[];
  readonly findPhrases: (language: string) => Phrases;
  /** Returns phrases in English and the language of the country. */
  readonly sayFor: (country: string) => Say;
  readonly sayInAll: Say;
}
