import { holdsSecret } from '../../base/secrets/secret.js';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { invalidSyntax, invalidValue, ScimError } from './scim-error.js';

const codesOf = (letters: string): readonly number[] => [...letters].map((letter) => letter.charCodeAt(0));
const [QUOTE, BACKSLASH, COLON, COMMA] = codesOf('"\\:,');
/** The change in depth for each bracket. */
const LEVELS = new Map([
  ...codesOf('{[').map((bracket) => [bracket, 1] as const),
  ...codesOf('}]').map((bracket) => [bracket, -1] as const),
]);
const SPACE = new Set(codesOf(' \t\r\n'));

/**
 * The maximum number of names in one object, because each name is compared with all names in the schemas. Clients send
 * far fewer.
 */
const MOST_NAMES = 1_000;

/** Limits that prevent a small body from becoming large in memory. */
export interface BodyBounds {
  /** The number of objects, lists and their parts. */
  readonly values: number;
  readonly depth: number;
}

/**
 * Parses JSON and accepts only unambiguous bodies: in UTF-8, and without duplicate names in an object.
 *
 * @throws ScimError 400 invalidSyntax, invalidValue; 413
 */
export function parseBody(bytes: Uint8Array, bounds: BodyBounds): Json {
  const names = measure(bytes, bounds);
  const parsed = readJson(bytes);
  // If a name occurs twice, JSON.parse keeps the last value.
  if (countNames(parsed) !== names) throw invalidSyntax('A name occurs twice in one object of the body.');
  return parsed;
}

function readJson(bytes: Uint8Array): Json {
  const [text, body] = decode(bytes);
  if (holdsSecret(text)) throw invalidValue('A value of the body holds a secret that talent-sync uses to log in.');
  return body;
}

function decode(bytes: Uint8Array): readonly [text: string, body: Json] {
  try {
    // An invalid byte is rejected, so it never becomes another character in a name.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return [text, JSON.parse(text) as Json];
  } catch {
    throw invalidSyntax('The body is not JSON in UTF-8.');
  }
}

/**
 * Scans the bytes without building any values.
 *
 * @returns the number of names in its objects
 */
function measure(bytes: Uint8Array, bounds: BodyBounds): number {
  let names = 0;
  let values = 0;
  let depth = 0;
  let isAfterText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (SPACE.has(byte)) continue;
    if (byte === COLON && isAfterText) names++;
    isAfterText = byte === QUOTE;
    if (isAfterText) at = endOfText(bytes, at);
    depth += LEVELS.get(byte) ?? 0;
    if (byte === COMMA || LEVELS.get(byte) === 1) checkBounds(depth, ++values, bounds);
  }
  return names;
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function checkBounds(depth: number, values: number, bounds: BodyBounds): void {
  if (depth > bounds.depth) throw invalidValue(`The body has more than ${bounds.depth} levels.`);
  if (values > bounds.values) throw new ScimError(413, `The body has more than ${bounds.values} values.`);
}

/**
 * Counts the different names. The case of names does not matter (RFC 7643, 2.1), so readers might choose differently
 * between two names that differ only in case.
 */
function countNames(body: Json): number {
  let count = 0;
  // The loop is not recursive, so it works for any depth.
  const open: Json[] = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const part of partsOf(value)) if (typeof part === 'object') open.push(part);
    if (isJsonObject(value)) count += countNamesOf(value);
  }
  return count;
}

function partsOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : Object.values(objectOf(value));
}

function countNamesOf(object: JsonObject): number {
  const keys = Object.keys(object);
  if (Object.hasOwn(object, '__proto__')) throw invalidSyntax('No attribute has the name __proto__.');
  if (keys.length > MOST_NAMES) throw new ScimError(413, `An object of the body has more than ${MOST_NAMES} names.`);
  return keys.length < 2 ? keys.length : new Set(keys.map((key) => key.toLowerCase())).size;
}
