import { SecretFinder } from './finder.js';
import { type Form, listForms } from './forms.js';

/** Replaces a secret in a text. */
export const MASK = '[secret]';

/** Shorter values and numbers occur in many texts, so they are not treated as secrets. */
const SHORTEST = 6;
/** Fetched tokens are replaced for as long as the process runs, so only the most recent ones are remembered. */
const MOST_FETCHED = 200;

/**
 * A secret that always prints as `[secret]`. Create one wherever a secret is read. From then on, `hideSecrets`
 * recognises the value, and everything that leaves the process goes through that function.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (!isWorthHiding(value) || KNOWN.has(value)) return;
    KNOWN.add(value);
    known.add(listForms(value));
  }

  /** Use it only to build a header or a login. */
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
 * Shared by all tenants of the process. An error of one tenant may quote another tenant's secret, and a secret may be
 * quoted after its rotation.
 */
const KNOWN = new Set<string>();
const known = new SecretFinder();
const FETCHED = new Map<string, readonly Form[]>();
let fetched = new SecretFinder();

/**
 * Registers a token issued by a server, or a header built from a secret. Only recent ones are remembered. Returns the
 * value.
 */
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

/** Replaces every known secret in a text with `[secret]`, even if it is encoded or truncated. */
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

/** Replaces known secrets in a JSON document and keeps it valid. A number that equals a secret by chance stays unchanged. */
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
 * True if a value from the data is or contains a complete secret. Short secrets do not count, because a password
 * "Trondheim" would hold everyone who works there.
 */
export function holdsSecret(text: string): boolean {
  return known.hasWhole(text) || fetched.hasWhole(text);
}
