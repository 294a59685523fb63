/** A JSON value. Objects and lists are immutable after creation. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Field name → value, in the vocabulary of the model (see `fields.ts`), not of the service. */
export type Values = JsonObject;

/** A multilingual text: ISO 639-1 language code → text (spec, Conventions 4). */
export type Multilingual = Readonly<Record<string, string>>;

/** Checks that a value is an object, not a list or null. A test ensures that no other code repeats this check. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isJsonObject(value: Json | undefined): value is JsonObject;
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object, or an empty object for any other value. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the items of a list, or an empty list for any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Returns a list unchanged, and puts a single value into a list. */
export function itemsOf<T extends Json>(value: T | readonly T[] | null | undefined): readonly T[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** Returns the text, or an empty text for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the value at a path: `title.en`, `tags.unit`, or an entire field. */
export function leafOf(values: Values, path: string): Json | undefined {
  const [field = '', ...rest] = path.split('.');
  const whole = values[field];
  if (rest.length === 0) return whole;
  return isJsonObject(whole) ? whole[rest.join('.')] : undefined;
}

/**
 * Returns the canonical text of a value, with sorted keys and no white space. Equal values have equal texts, so all digests,
 * fingerprints and comparisons use this form.
 */
export function canonicalJson(value: Json): string {
  if (isInOrder(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const object = value as JsonObject;
  let text = '';
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item !== undefined) text += `${text === '' ? '' : ','}${quoteName(key)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

/** Quoted names, because the same names occur in all objects of a kind. */
const QUOTED = new Map<string, string>();
const MOST_QUOTED = 1_000;

function quoteName(name: string): string {
  const known = QUOTED.get(name);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(name);
  if (QUOTED.size < MOST_QUOTED) QUOTED.set(name, quoted);
  return quoted;
}

/**
 * Checks whether the plain JSON of a value is already canonical. It stops after a few levels, because each level may repeat the
 * check.
 */
function isInOrder(value: Json | undefined, levels = 3): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item: Json) => isInOrder(item, levels - 1));
  let last = '';
  for (const key in value) {
    if (key < last || !isInOrder((value as JsonObject)[key], levels - 1)) return false;
    last = key;
  }
  return true;
}
