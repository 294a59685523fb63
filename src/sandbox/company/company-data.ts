import { readFileSync } from 'node:fs';
import { SyncError } from '../../base/errors.js';
import type { Texts } from '../fields/languages.js';

/** Facts about a country, from `config/company/countries.json`. */
export interface CountryFacts {
  /** ISO 639-1 code of the main language. */
  readonly language: string;
  readonly dial: string;
  /** Suffix of company names in the country. */
  readonly legal: string;
  /** Key in names.json. */
  readonly names: string;
  readonly cities: readonly string[];
  readonly schools: readonly string[];
}

type Phrase = readonly [name: string, text: string];

/** Phrases for CVs in one language, from `config/company/languages/`. The lists have the same order in all languages. */
export interface Phrases {
  readonly own: string;
  readonly english: string;
  readonly levels: readonly string[];
  readonly professions: readonly (readonly [title: string, summary: string, part: string])[];
  readonly works: readonly (readonly [name: string, description: string, result: string])[];
  readonly industries: readonly Phrase[];
  readonly degrees: readonly string[];
  readonly groups: readonly string[];
  readonly units: readonly string[];
  readonly seniorities: readonly string[];
  readonly more: Readonly<Record<'course' | 'position' | 'recommendation' | 'award' | 'mentoring', string>>;
}

const FOLDER = new URL('../../../config/company/', import.meta.url);

export function readCompanyData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T;
}

/** @throws SyncError SYNC_CLI_USAGE for a country without data */
export function readCountries(codes: readonly string[]): ReadonlyMap<string, CountryFacts> {
  const known = readCompanyData<Readonly<Record<string, CountryFacts>>>('countries.json');
  return new Map(
    codes.map((code) => {
      const facts = known[code];
      if (facts !== undefined) return [code, facts];
      throw new SyncError('SYNC_CLI_USAGE', {
        message: `The sandbox has no data to invent a company in "${code}".`,
        place: '--countries',
        remedy: `Use one or more of ${Object.keys(known).join(', ')}.`,
      });
    }),
  );
}

/** Returns one phrase in several languages. */
export type Say = (pick: (phrases: Phrases) => string) => Texts;

/** Reads English and the languages of the countries, in their order. */
export function readLanguages(countries: ReadonlyMap<string, CountryFacts>) {
  const codes = [...new Set(['en', ...[...countries.values()].map(({ language }) => language)])];
  const phrases = new Map(codes.map((code) => [code, readCompanyData<Phrases>(`languages/${code}.json`)]));
  const sayIn = (some: readonly string[]): Say => {
    const chosen = some.flatMap((code) => [...phrases].filter(([known]) => known === code));
    return (pick) => Object.fromEntries(chosen.map(([code, words]) => [code, pick(words)]));
  };
  const find = (code: string): Phrases => {
    const found = phrases.get(code);
    if (found === undefined) throw new Error(`there are no phrases in ${code}`);
    return found;
  };
  return { codes, find, sayIn };
}
