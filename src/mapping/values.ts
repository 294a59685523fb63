import { BASE_ROLES, EXTRA_ROLES, type Field, type FieldShape } from '../model/fields.js';
import type { Json } from '../model/json.js';
import { adviseName } from '../model/nearest.js';
import { isNothing, isNothingAsKey, isNothingAsName } from '../model/nothing.js';
import { foldKey } from '../model/observed.js';
import { describeHidden, findOddSign } from '../model/odd-address.js';
import { isPlaceholderYear } from '../model/placeholder-dates.js';
import type { CellNote } from '../model/source.js';
import { RecordFault } from './record-fault.js';

/** The field of a value, and the text of the expression that it comes from. */
export interface ValuePlace {
  readonly path: string;
  readonly expression: { readonly text: string; readonly texts?: ReadonlySet<string> };
  /** Prints a date. Without this function, dates are printed as ISO 8601 in UTC. */
  readonly writeDate?: ((at: Date) => string) | undefined;
  /** Receives a word for nothing, which is then not used as a value. Absent if every word is a value. */
  readonly hear?: ((word: string) => void) | undefined;
  /** Returns the note on a cell that was read for the value, if invisible characters were removed from the cell. */
  readonly hidden?: (() => CellNote | null) | undefined;
}

/** Converts the result of an expression to the value of a field; undefined if it is empty. Throws RecordFault. */
export type Convert = (value: unknown, at: ValuePlace) => Json | undefined;

/** Converts a text and removes surrounding white space; undefined if it is empty or a word for nothing. */
export function convertText(value: unknown, at: ValuePlace): string | undefined {
  const text = readText(value, at);
  return text === undefined || hears(text, at) ? undefined : text;
}

function readText(value: unknown, at: ValuePlace): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw fault(value, at, 'a text', 'Convert it with `string(…)`.');
  const text = value.trim();
  return text === '' ? undefined : text;
}

/** True if a text is a word for nothing. Spreadsheet errors such as `#N/A` are held separately (`drop-garbled.ts`). */
function hears(text: string, at: ValuePlace): boolean {
  if (at.hear === undefined || text.startsWith('#') || isConfigured(text, at) || !isNothing(text)) return false;
  at.hear(text);
  return true;
}

/** True if the configuration itself contains the word, because the word is then meant as a value. */
function isConfigured(text: string, { expression }: ValuePlace): boolean {
  return expression.texts?.has(text) === true;
}

/** Converts a value that identifies a person or an object. A word for nothing is held. */
export function convertKnownBy(value: unknown, at: ValuePlace): string | undefined {
  const text = readText(value, at);
  if (text === undefined || at.hear === undefined || !isNothingAsKey(text)) return text;
  throw refuseNothing(text, at);
}

/** Converts a name. A part of the name may be a word for nothing, because such names exist. */
export function convertName(value: unknown, at: ValuePlace): string | undefined {
  const text = readText(value, at);
  if (text === undefined || at.hear === undefined || !isNothingAsName(text)) return text;
  throw refuseNothing(text, at);
}

function refuseNothing(text: string, { path, expression }: ValuePlace): RecordFault {
  return new RecordFault(
    'SYNC_MAP_NOTHING',
    `${path} is ${JSON.stringify(text)}, a word for nothing; it comes from \`${expression.text}\``,
    'Correct it in the source. If it is the real value, set `empty: []` on its columns.',
  );
}

/** Converts a user name. A name with characters that make it look like another name is held. */
export function convertUserName(value: unknown, at: ValuePlace): string | undefined {
  const text = convertKnownBy(value, at);
  const hidden = text === undefined ? null : (at.hidden?.() ?? null);
  const odd = text === undefined ? null : findOddSign(text);
  if (text === undefined || (hidden === null && odd === null)) return text;
  const said = hidden === null ? (odd?.text ?? '') : describeHidden(hidden.text);
  const meant = odd?.meant ?? text;
  throw new RecordFault(
    'SYNC_ADDRESS_SIGN',
    `${at.path} is ${JSON.stringify(text)} and has ${said}; it comes from \`${at.expression.text}\``,
    `Correct it in the source. It probably means ${meant}.`,
    { field: at.path, value: meant },
  );
}

export function chooseConvert(field: Field): Convert {
  const convert = chooseByForm(field);
  return field.shape === 'text' && field.comparedAs === 'number' ? takingNumbers(convert) : convert;
}

function chooseByForm({ shape, form, oneOf }: Field): Convert {
  if (form !== undefined) return BY_FORM[form];
  return BY_SHAPE[shape] ?? (oneOf === undefined ? convertText : choosing(oneOf));
}

/** Makes a conversion accept a number as its digits. */
function takingNumbers(convert: Convert): Convert {
  return (value, at) => convert(typeof value === 'bigint' || typeof value === 'number' ? String(value) : value, at);
}

/** Currency codes are lower case; the service rejects upper case (spec, Project rules 5). */
export const convertCurrency = matching(/^[a-z]{3}$/, 'a currency code of three letters such as nok');

/** Country codes are two lower-case letters in the service (spec, Reference project). */
export const convertCountry = matching(/^[a-z]{2}$/, 'a country code of two letters such as no');

export function matching(pattern: RegExp, expected: string): (value: unknown, at: ValuePlace) => string | undefined {
  return (value, at) => {
    const text = readText(value, at)?.toLowerCase();
    if (text === undefined || pattern.test(text)) return text;
    if (hears(text, at)) return undefined;
    throw fault(value, at, expected, 'Correct it in the source, or translate it in the expression.');
  };
}

export function choosing(words: readonly string[]): Convert {
  return (value, at) => {
    const text = readText(value, at)?.toLowerCase();
    if (text === undefined || words.includes(text)) return text;
    if (hears(text, at)) return undefined;
    throw fault(value, at, `one of ${words.join(', ')}`, suggest(text, words));
  };
}

function suggest(word: string, words: readonly string[]): string {
  const meant = adviseName(word, words, '', (near) => `"${near}"`);
  return `${meant} Correct it in the source, or translate it in the expression.`.trimStart();
}

const BY_FORM: Readonly<Record<NonNullable<Field['form']>, Convert>> = {
  email: convertEmail,
  birth_year: convertYearOfBirth,
  currency: convertCurrency,
  country: convertCountry,
  month: matching(/^(0?[1-9]|1[0-2])$/, 'a month from 1 to 12'),
  year: matching(/^\d{4}$/, 'a year of four digits'),
};
const BY_SHAPE: Readonly<Partial<Record<FieldShape, Convert>>> = {
  names: convertRoles,
  references: convertNames,
  flag: convertFlag,
  integer: convertInteger,
};

const EMAIL = /^[^\s@()<>[\]:;,\\"]+@[^\s@.()<>[\]:;,\\"]+(\.[^\s@.()<>[\]:;,\\"]+)+$/;

/**
 * Checks that an address is plausible: one @, a domain with a dot, no spaces, and at most 254 characters. Characters
 * that enclose or separate addresses are not allowed (RFC 5322, specials: `mailto:…`, `<…>`, `…; …`).
 */
function convertEmail(value: unknown, at: ValuePlace): string | undefined {
  const text = convertUserName(value, at);
  if (text === undefined || isEmail(text)) return text;
  throw fault(text, at, 'an e-mail address', 'Correct the address in the source.');
}

function isEmail(text: string): boolean {
  return text.length <= 254 && EMAIL.test(text);
}

/** Converts a whole number. The type check ensures that expressions of such fields yield nothing else. */
function convertInteger(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function convertYearOfBirth(value: unknown, at: ValuePlace): number | undefined {
  if (value === undefined) return undefined;
  const year = typeof value === 'bigint' ? Number(value) : value;
  if (typeof year === 'number' && isPlaceholderYear(year))
    throw new RecordFault(
      'SYNC_DATE_PLACEHOLDER',
      `${at.path} is ${year}, which looks like a placeholder; it comes from \`${at.expression.text}\``,
      'Correct the year in the source, or list the cell in `empty` of its column.',
    );
  if (typeof year === 'number' && Number.isInteger(year) && year >= 1900 && year <= 2100) return year;
  throw fault(value, at, 'a year from 1900 to 2100', 'Correct the year in the source.');
}

function listTexts(value: unknown, at: ValuePlace): readonly string[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => convertText(item ?? undefined, at) ?? []);
}

/**
 * Converts roles. The base role comes first, as in the service's own lists. If no base role is named, extra roles are
 * added to `consultant`.
 */
function convertRoles(value: unknown, at: ValuePlace): Json | undefined {
  const words: readonly string[] = [...BASE_ROLES, ...EXTRA_ROLES];
  const roles = new Set(listTexts(value, at).map((role) => role.toLowerCase()));
  if (roles.size === 0) return undefined;
  const unknown = [...roles].find((role) => !words.includes(role));
  if (unknown !== undefined) throw fault(unknown, at, `one of ${words.join(', ')}`, suggest(unknown, words));
  const base = BASE_ROLES.filter((role) => roles.has(role));
  if (base.length > 1) {
    const remedy = 'Let the expression yield one base role; the others are added to it.';
    throw fault(base.join(', '), at, `only one of ${BASE_ROLES.join(', ')}`, remedy);
  }
  const first = base[0] ?? 'consultant';
  return [first, ...[...roles].filter((role) => role !== first)];
}

/**
 * Converts a list to a set of words without empty ones. Spellings with the same `foldKey` count as one word, and the
 * first spelling is kept.
 */
export function convertNames(value: unknown, at: ValuePlace): Json | undefined {
  const names = new Map<string, string>();
  for (const name of listTexts(value, at)) if (!names.has(foldKey(name))) names.set(foldKey(name), name);
  return names.size === 0 ? undefined : [...names.values()];
}

function convertFlag(value: unknown, at: ValuePlace): Json | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw fault(value, at, 'true or false', 'Make the expression a comparison.');
}

export function fault(
  value: unknown,
  { path, expression, writeDate }: ValuePlace,
  expected: string,
  remedy: string,
): RecordFault {
  const found = describeValue(value, writeDate);
  return new RecordFault(
    'SYNC_MAP_VALUE',
    `${path} is ${found}, expected ${expected}; it comes from \`${expression.text}\``,
    remedy,
  );
}

const writeInstant = (at: Date): string => at.toISOString();

function describeValue(value: unknown, writeDate = writeInstant): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return writeDate(value);
  return Array.isArray(value) ? 'a list' : 'a map';
}

/** Converts a cell, or the result of an expression, to JSON. `write` prints dates, for example in a form for people. */
export function jsonOf(value: unknown, write = writeInstant): Json {
  const inner = (item: unknown): Json => jsonOf(item, write);
  // A long id becomes a string, because it would be a different id as a number.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return write(value);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]));
}
