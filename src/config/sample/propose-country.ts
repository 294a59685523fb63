import { foldKey } from '../../model/observed.js';
import type { Answers, OpenQuestion, ProposedWord } from './answers.js';
import { countriesOfCities } from './cities.js';
import { columnOf } from './column-reads.js';
import { codeOfCountry, countryOfLanguage, languageOfCountry } from './countries.js';
import { readCell } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import { type ColumnReading, readAlways } from './readings.js';
import { coverColumn } from './recognise.js';
import { noteChanges, weighColumns } from './weigh.js';

/** A part of `office`, with the words that it looks up. */
export interface OfficePart extends Pick<ColumnReading, 'expression' | 'read'> {
  /** Why a person must check the part; null if there is no doubt. */
  readonly doubt: string | null;
  readonly note: string | null;
  readonly words: readonly ProposedWord[];
  /** True if some words are unlikely names of offices: `Remote`. */
  readonly isOdd?: boolean;
  readonly open: readonly OpenQuestion[];
}

export function fix(text: string): OfficePart {
  return { expression: JSON.stringify(text), read: () => text, doubt: null, note: null, words: [], open: [] };
}

/** Takes the country from a column, or from the offices of the account, or from the user's answer, in this order. */
export function chooseCountry(
  sample: Sample,
  known: readonly MatchedRow[],
  answers: Answers,
  name: OfficePart,
): OfficePart {
  return (
    countryByColumn(sample, known, answers) ?? countryByOffice(sample, answers, name) ?? countryOfAll(sample, answers)
  );
}

function countryByColumn(sample: Sample, known: readonly MatchedRow[], answers: Answers): OfficePart | null {
  const given = columnOf(sample, answers.columns.country);
  const columns = given !== undefined ? [given] : sample.columns.filter(({ looks }) => looks.country >= 0.5);
  const candidates = columns.map((column) => {
    const plain = readAlways(sample, column);
    const cover = given === undefined ? coverColumn(column, 'country').cover : 1;
    return {
      ...plain,
      column,
      cover,
      read: (row: Parameters<ColumnReading['read']>[0]) => codeFor(plain.read(row), answers) ?? '',
    };
  });
  const verdict = weighColumns(candidates, known, ({ office }) => office?.country ?? null, sample.kept);
  if (verdict.kind === 'none' || (verdict.kind === 'doubtful' && given === undefined)) return null;
  const chosen = candidates.find(({ expression }) => expression === verdict.chosen.expression);
  if (chosen === undefined) return null;
  const { column, read } = chosen;
  const values = [...new Set(sample.kept.map(readCell(column)))].filter((text) => text !== '');
  const otherwise = answers.country ?? '';
  const plain =
    otherwise === '' ? chosen.expression : chosen.expression.replace('orValue("")', `orValue("${otherwise}")`);
  // `UK` has two letters but is not a country code.
  const areCodes = values.every((value) => codeFor(value, answers) === value.toLowerCase());
  const words = areCodes ? [] : values.map((word) => nameCountry(word, codeFor(word, answers)));
  return {
    expression: areCodes ? plain : `lookup(maps.countries, ${chosen.expression}, ${JSON.stringify(otherwise)})`,
    read,
    doubt: null,
    note: verdict.kind === 'proved' ? noteChanges(verdict.chosen) : null,
    words,
    open: words
      .filter(({ meaning }) => meaning === '')
      .map(({ word }) => ({
        flag: '--country NAME=' as const,
        about: word,
        text: `Which country is "${word}"? Two-letter code`,
        choices: [],
        otherwise: '',
      })),
  };
}

function nameCountry(word: string, code: string | null): ProposedWord {
  return {
    word,
    meaning: code ?? '',
    note: code === null ? 'GUESS: unknown country; fill in its two-letter code' : null,
  };
}

/** Takes the country from the account's office with the same name, or from the city. Rows with other offices wait. */
function countryByOffice(sample: Sample, { service, country }: Answers, name: OfficePart): OfficePart | null {
  const codes = new Map<string, Set<string>>();
  for (const office of service?.offices ?? []) {
    const of = codes.get(foldKey(office.name)) ?? new Set<string>();
    codes.set(foldKey(office.name), of.add(office.country));
  }
  const rows = sample.kept.map((row) => name.read(row)).filter((text) => text !== '');
  const cities = country === null ? placeCities(sample, rows, service) : new Map<string, string>();
  const codeOf = (text: string): string => {
    const [code, another] = codes.get(foldKey(text)) ?? [];
    return another !== undefined ? '' : (code ?? cities.get(text) ?? '');
  };
  const placed = rows.filter((text) => codeOf(text) !== '').length;
  if (placed === 0 || placed * 2 < rows.length) return null;
  const words = [...new Set(rows)].map((word) => ({ word, meaning: codeOf(word), note: null }));
  const [only = '', other] = new Set(words.map(({ meaning }) => meaning));
  if (only !== '' && other === undefined) return fix(only);
  return {
    expression: `lookup(maps.countries, ${name.expression}, ${JSON.stringify(country ?? '')})`,
    read: (row) => codeOf(name.read(row)),
    doubt: null,
    note: null,
    words: words.filter(({ meaning }) => meaning !== ''),
    open: [],
  };
}

export function placeCities(
  sample: Sample,
  texts: readonly string[],
  service: Answers['service'],
): ReadonlyMap<string, string> {
  return countriesOfCities(texts, { addresses: countryOfAddresses(sample), account: service?.countries ?? [] });
}

/** Takes the country from the user's answer. The country that addresses and language suggest is only the default answer. */
function countryOfAll(sample: Sample, { country }: Answers): OfficePart {
  if (country !== null) return fix(country);
  const spoken = sample.language === null ? null : countryOfLanguage(sample.language);
  const otherwise = countryOfAddresses(sample) ?? spoken ?? '';
  const question = {
    about: null,
    text: 'In which country does everybody work? Two-letter code',
    choices: [],
    otherwise,
  };
  const doubt = 'no column has the country';
  return { ...fix(otherwise), doubt, open: [{ flag: '--country', ...question }] };
}

/** Returns the country in e-mail addresses: `.at` and `.co.uk` show where a company is, but `.io` does not. */
function countryOfAddresses(sample: Sample): string | null {
  const addresses = columnOf(sample, sample.meanings.email)?.firstValues ?? [];
  const codes = addresses.map((address) => codeOfCountry(/\.([a-z]{2})$/i.exec(address)?.[1] ?? ''));
  const [first = null] = codes;
  return first !== null && codes.every((code) => code === first) && languageOfCountry(first) !== null ? first : null;
}

function codeFor(name: string, { countries }: Answers): string | null {
  return countries[name] ?? codeOfCountry(name);
}
