import { foldText } from '../../model/fold-words.js';
import { LANGUAGES, type SampleLanguage } from './sample-languages.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Names and codes that people use, in addition to the names of countries in each language. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  uk: 'gb',
  greatbritain: 'gb',
  england: 'gb',
  scotland: 'gb',
  grossbritannien: 'gb',
  storbritannia: 'gb',
  storbritannien: 'gb',
  usa: 'us',
  unitedstatesofamerica: 'us',
  america: 'us',
  brd: 'de',
  holland: 'nl',
  thenetherlands: 'nl',
  republicofireland: 'ie',
  czechrepublic: 'cz',
  deu: 'de',
  ger: 'de',
  aut: 'at',
  che: 'ch',
  nor: 'no',
  swe: 'se',
  dnk: 'dk',
  fin: 'fi',
  nld: 'nl',
  fra: 'fr',
  esp: 'es',
  prt: 'pt',
  ita: 'it',
  pol: 'pl',
  gbr: 'gb',
  irl: 'ie',
  bel: 'be',
  lux: 'lu',
  isl: 'is',
  est: 'ee',
  lva: 'lv',
  ltu: 'lt',
  ind: 'in',
  can: 'ca',
  aus: 'au',
};

let codes: ReadonlyMap<string, string> | undefined;

/** Returns the code for `Deutschland`, `Germany`, `DEU` or `de`: `de`. null if the text is not a country. */
export function codeOfCountry(text: string): string | null {
  if (!/^\p{L}[\p{L}\s.'’()-]*$/u.test(text) || text.length > 60) return null;
  codes ??= listCountries();
  return codes.get(foldText(text)) ?? null;
}

/** Lists the names of countries in each language, from the tables of the runtime. */
function listCountries(): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(OTHER_NAMES));
  const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const regions = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`)).filter(
    (region) => english.of(region) !== undefined && isInUse(region),
  );
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const region of regions) {
      const name = names.of(region);
      if (name !== undefined && !found.has(foldText(name))) found.set(foldText(name), region.toLowerCase());
    }
  }
  for (const region of regions) found.set(region.toLowerCase(), region.toLowerCase());
  return found;
}

/** False for a group of countries and for a code that was replaced by another one. */
function isInUse(region: string): boolean {
  return !/^(?:EU|EZ|UN|QO|X[AB]|ZZ)$/.test(region) && new Intl.Locale(`und-${region}`).region === region;
}

const COUNTRY_LANGUAGES: Readonly<Record<string, SampleLanguage>> = {
  gb: 'en',
  us: 'en',
  ie: 'en',
  ca: 'en',
  au: 'en',
  de: 'de',
  at: 'de',
  ch: 'de',
  no: 'no',
  se: 'sv',
  dk: 'da',
  fi: 'fi',
  nl: 'nl',
  fr: 'fr',
  es: 'es',
  pt: 'pt',
  br: 'pt',
  it: 'it',
  pl: 'pl',
};

export function languageOfCountry(code: string): SampleLanguage | null {
  return COUNTRY_LANGUAGES[code] ?? null;
}

/** Returns the most likely country for a language; null for English, because too many countries use it. */
export function countryOfLanguage(language: SampleLanguage): string | null {
  if (language === 'en') return null;
  return Object.entries(COUNTRY_LANGUAGES).find(([, spoken]) => spoken === language)?.[0] ?? null;
}
