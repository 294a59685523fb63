/** A JSON value. Fields of objects and elements of lists never change once made. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Field name → value, in the model's vocabulary (see `fields.ts`), not the wire's. */
export type Values = JsonObject;

/** A multilingual text: ISO 639-1 language code → text (spec, Conventions 4). */
export type Multilingual = Readonly<Record<string, string>>;

/** The one test for an object: neither a list nor nothing. A test keeps others out. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isJsonObject(value: Json | undefined): value is JsonObject;
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object; an empty one where the value is none. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The items of a list; none where the value is no list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** A value that may be alone or in a list, as a list. */
export function itemsOf<T extends Json>(value: T | readonly T[] | null | undefined): readonly T[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** The text; an empty one where the value is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value of a leaf: `title.en`, `tags.unit`, or a whole field. */
export function leafOf(values: Values, path: string): Json | undefined {
  const [field = '', ...rest] = path.split('.');
  const whole = values[field];
  if (rest.length === 0) return whole;
  return isJsonObject(whole) ? whole[rest.join('.')] : undefined;
}

/**
 * The one canonical text of a value: keys sorted, no white space. Equal values have equal texts, so all digests,
 * fingerprints and "is it different?" questions are asked of this form.
 */
export function canonicalJson(value: Json): string {
  if (isInOrder(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const object = value as JsonObject;
  const parts: string[] = [];
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/** Whether the plain JSON of a value is its canonical text already; asked of few levels, since each may ask it again. */
function isInOrder(value: Json | undefined, levels = 3): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item: Json) => isInOrder(item, levels - 1));
  let last = '';
  for (const key of Object.keys(value)) {
    if (key < last || !isInOrder((value as JsonObject)[key], levels - 1)) return false;
    last = key;
  }
  return true;
}
