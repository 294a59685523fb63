import { SecretFinder } from './finder.js';
import { type Form, listForms } from './forms.js';

/** What is in a text where a secret stood. */
export const MASK = '[secret]';

/** Anything shorter is a part of many texts, and so is a number: no secret worth the name. */
const SHORTEST = 6;
/** Tokens that were fetched replace each other for as long as the process lives; the last ones are remembered. */
const MOST_FETCHED = 200;

/**
 * A secret, which prints as `[secret]` whatever it is put into. Made wherever one is read, and known from then on to
 * `hideSecrets`, which all goes through that leaves the process.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (!isWorthHiding(value) || KNOWN.has(value)) return;
    KNOWN.add(value);
    known.add(listForms(value));
  }

  /** Only where a header or a login is made of it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}

/**
 * For the whole process, not for a tenant: an error of one may quote what belongs to another, and what was valid before a
 * rotation is quoted after it.
 */
const KNOWN = new Set<string>();
const known = new SecretFinder();
const FETCHED = new Map<string, readonly Form[]>();
let fetched = new SecretFinder();

/** A token that a server has issued, or a header made of a secret: known like one of the configuration, while it is new. */
export function noteSecret(value: string): string {
  if (!isWorthHiding(value) || FETCHED.has(value)) return value;
  FETCHED.set(value, listForms(value));
  const [oldest] = FETCHED.keys();
  if (FETCHED.size > MOST_FETCHED && oldest !== undefined) FETCHED.delete(oldest);
  fetched = new SecretFinder();
  for (const forms of FETCHED.values()) fetched.add(forms);
  return value;
}

function isWorthHiding(value: string): boolean {
  return value.length >= SHORTEST && !MASK.includes(value) && !/^\d{1,11}$/.test(value);
}

/** The text with `[secret]` in place of every known secret, in whichever way it is quoted, also in part. */
export function hideSecrets(text: string): string {
  const found = [...known.findAll(text), ...fetched.findAll(text)];
  if (found.length === 0) return text;
  let result = '';
  let end = 0;
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    if (from >= end) result += text.slice(end, from) + (from === end && result.endsWith(MASK) ? '' : MASK);
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

/** The same for a JSON document, which is one afterwards: a number that is a secret by chance stays a number. */
export function hideSecretsInJson(text: string, indent = 0): string {
  if (hideSecrets(text) === text) return text;
  return JSON.stringify(
    JSON.parse(text, (_, value: unknown) => hideIn(value)),
    null,
    indent,
  );
}

function hideIn(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideSecrets(key), item]));
}

/**
 * Whether a value of the data is, or holds, a whole secret. One that is short enough to be a word does not count: a password
 * "Trondheim" would hold back all who work there.
 */
export function holdsSecret(text: string): boolean {
  return known.hasWhole(text) || fetched.hasWhole(text);
}
