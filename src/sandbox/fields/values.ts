import { isJsonObject } from '../../model/json.js';
import { type CodeMode, type Texts, toIsoCode } from './languages.js';
import { refuse } from './refusal.js';

export type Body = Readonly<Record<string, unknown>>;

interface Bodied {
  readonly body: unknown;
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the inner object of a body (`{ user: {…} }`). If it is missing, throws 400 unless the specification says otherwise. */
export function readWrapper(call: Bodied, name: string, missing = 400): Body {
  const inner = bodyOf(call)[name];
  return isJsonObject(inner) ? inner : refuse(missing, `param is missing or the value is empty: ${name}`);
}

/** Reads the body of the few endpoints without a wrapper. */
export function readBody({ body }: Bodied): Body {
  return isJsonObject(body) ? body : refuse(400, 'the request needs a JSON object as its body');
}

/** Reads a text field. Absent is undefined, and null or empty is null. Numbers become strings; anything else is 422. */
export function readString(body: Body, name: string): string | null | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  refuse(422, `${name} must be a string`);
}

/**
 * Reads a multilingual field. Absent is undefined; null or {} empties it. The entire object is replaced. Keys that are invalid
 * in the given mode are silently ignored (spec, Conventions 4).
 */
export function readTexts(body: Body, name: string, mode: CodeMode): Texts | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (value === null) return {};
  if (!isJsonObject(value)) refuse(422, `${name} must be an object of language code and text`);
  const texts: Record<string, string> = {};
  for (const [code, text] of Object.entries(value)) {
    const iso = toIsoCode(code, mode);
    if (iso === undefined || text === null) continue;
    if (typeof text !== 'string') refuse(422, `${name}.${code} must be a string`);
    texts[iso] = text;
  }
  return texts;
}

/** Does the same as `readTexts` for names, which need at least one language (spec, Conventions 4). */
export function readRequiredTexts(body: Body, name: string, mode: CodeMode): Texts | undefined {
  const value = body[name];
  if (value === null || (isJsonObject(value) && Object.keys(value).length === 0)) {
    refuse(422, `${name} needs at least one language`);
  }
  return readTexts(body, name, mode);
}

export function readBoolean(body: Body, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  refuse(422, `${name} must be true or false`);
}

export function readStrings(body: Body, name: string): readonly string[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  refuse(422, `${name} must be a list of strings`);
}

/** Returns the last value of a query parameter. An empty value counts as present. */
export function readParameter(query: Query, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' || value === undefined ? value : value.at(-1);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Reads a yes/no parameter of the query as various client languages write it: Python and C# `True`, PHP `1`. undefined for
 * other values. The exceptions are `use_legacy_codes` and `include_custom_fields`, for which the spec requires exact strings.
 */
export function readFlagParameter(query: Query, name: string): boolean | undefined {
  return FLAGS.get(readParameter(query, name)?.toLowerCase() ?? '');
}

/** Reads `name[]=a&name[]=b`, and also accepts plain `name`. */
export function readListParameter(query: Query, name: string): readonly string[] {
  const found = [query[`${name}[]`], query[name]].flatMap((value) => value ?? []);
  return found.filter((value) => value !== '');
}

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/** Reads an integer from the query; throws 400 if it is malformed or out of range. */
export function readIntegerParameter(query: Query, name: string, range: Range): number {
  return checkInteger(readParameter(query, name), name, range);
}

/** Checks an integer, which may be a JSON number or its digits; throws 400 if it is malformed or out of range. */
export function checkInteger(value: unknown, name: string, range: Range): number {
  if (value === undefined || value === null || value === '') return range.fallback;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < range.min || number > range.max) {
    const upper = range.max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${range.max}`;
    refuse(400, `${name} must be an integer of at least ${range.min}${upper}`);
  }
  return number;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** True for a currency code, which is lower case (spec, Conventions 6). */
export function isCurrencyCode(value: unknown): boolean {
  return typeof value === 'string' && CURRENCIES.has(value);
}

/** Reads a year. Absent is undefined, and null or empty is null; anything else is 422. */
export function readYear(body: Body, name: string): number | null | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (value === null || value === '') return null;
  const year = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  if (typeof year === 'number' && Number.isInteger(year)) return year;
  refuse(422, `${name} must be an integer`);
}

/** Returns the JSON body, or {} if it is not an object. */
export function bodyOf({ body }: Bodied): Body {
  return isJsonObject(body) ? body : {};
}

/** True if the `version` in a request, as a number or its digits, equals that of the record. */
export function isVersion(sent: unknown, version: number): boolean {
  return sent === version || sent === String(version);
}
