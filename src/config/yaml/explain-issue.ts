import type * as z from 'zod';
import type { YamlPath } from '../../base/settings/resolving.js';
import { KINDS } from '../../connectors/kinds.js';
import { isJsonObject } from '../../model/json.js';
import { adviseAmong, nearestName } from '../../model/nearest.js';
import { proposeCron } from '../check-cron.js';
import { CHANNEL_TYPES } from '../notify-schema.js';
import { proposeSign, proposeValue } from './propose-value.js';
import { formatPath } from './yaml-place.js';

export type ShapeIssue = z.core.$ZodIssue;
/** An issue with its complete path, taken out of any union. */
export type FlatIssue = DistributiveOmit<ShapeIssue, 'path'> & { readonly path: YamlPath };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The message and the remedy. */
type Explained = readonly [message: string, remedy: string];

/** Explains why a `write_back` key is rejected for a kind of source that does not support it. */
export function explainUnwritable(source: unknown): Explained {
  const type = typeof source === 'object' && source !== null && 'type' in source ? source.type : undefined;
  const kind = KINDS.find((one) => one.type === type);
  return kind?.strayWriteBack ?? ['`write_back` has no meaning here', 'Write it into the source itself.'];
}

/** @param elsewhere the remedy, if the key belongs in another place */
export function explainUnknownKey(key: string, known: readonly string[], elsewhere: string | null = null): Explained {
  if (elsewhere !== null) return [`\`${key}\` is not known here`, elsewhere];
  return [`\`${key}\` is not known`, adviseAmong(key, known, 'Accepted here')];
}

/** Advises on `guards: { cv_sections: { educations: … } }`, where the kinds of section belong directly in `guards`. */
export function adviseWrapper(key: string, inside: unknown, known: readonly string[]): string | null {
  if (!isJsonObject(inside)) return null;
  const names = Object.keys(inside);
  const isWrapper = names.length > 0 && names.every((name) => known.includes(name));
  return isWrapper ? `Leave \`${key}\` out, and write its content here.` : null;
}

/** True if a `type` belongs to a channel. All others belong to a source. */
const isChannel = ({ path }: FlatIssue): boolean => path[0] === 'notify';

function listTypes(issue: FlatIssue): readonly string[] {
  return isChannel(issue) ? CHANNEL_TYPES : KINDS.map(({ type }) => type);
}

function explainType(issue: FlatIssue, found: unknown): Explained {
  const types = listTypes(issue);
  return [
    `${quote(found)} is not a type of ${isChannel(issue) ? 'channel' : 'source'}`,
    adviseAmong(found, types, 'Accepted'),
  ];
}

/** @param keys keys of the map that is allowed instead of the value found */
export function explainIssue(issue: FlatIssue, found: unknown, keys: readonly string[]): Explained {
  const name = String(issue.path.at(-1) ?? 'configuration');
  if (isSecretKey(name) && typeof found === 'string') {
    const variable = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(found)?.[1] ?? 'NAME';
    return [
      'a secret must not be in the configuration',
      `Write \`${name}: { env: ${variable} }\` or \`${name}: { file: PATH }\`.`,
    ];
  }
  if (found === undefined) return [`\`${formatPath(issue.path)}\` is missing`, adviseMissing(name, issue)];
  switch (issue.code) {
    case 'invalid_type':
      if (found === null)
        return [`\`${name}\` has no value`, `Write ${describeExpected(issue.expected)} after the colon.`];
      if (!issue.message.startsWith('Invalid input')) break;
      return [
        `expected ${describeExpected(issue.expected)}, found ${describeFound(found)}`,
        adviseType(issue.expected, found, name),
      ];
    case 'invalid_value':
      if (name === 'separator') return [`${quote(found)} is not a separator`, adviseSeparator(found, issue.values)];
      return [`${quote(found)} is not accepted`, adviseValue(found, issue.values.map(String), keys)];
    case 'invalid_union':
      return explainType(issue, found);
    case 'too_small':
    case 'too_big':
      return explainBound(issue, name, found);
  }
  return [issue.message, proposeValue(issue.message, found) ?? `Correct \`${formatPath(issue.path)}\`.`];
}

function adviseValue(found: unknown, values: readonly string[], keys: readonly string[]): string {
  const advice = adviseAmong(found, values, 'Accepted');
  const isMap = keys.length > 0 && (typeof found !== 'string' || nearestName(found, values) === null);
  return isMap ? `${advice} Or a map of keys: ${keys.join(', ')}.` : advice;
}

/** True for a key whose value is `{ env }` or `{ file }`. */
function isSecretKey(name: string): boolean {
  return /^(api_key|bearer|password|passphrase|private_key|client_secret)$/.test(name);
}

function quote(found: unknown): string {
  return typeof found === 'string' ? `"${found}"` : describeFound(found);
}

function explainBound(
  issue: FlatIssue & { readonly code: 'too_small' | 'too_big' },
  name: string,
  found: unknown,
): Explained {
  const isSmall = issue.code === 'too_small';
  const bound = isSmall
    ? `${issue.inclusive === false ? 'More than' : 'At least'} ${issue.minimum}`
    : `At most ${issue.maximum}`;
  if (name === 'separator') return [`${quote(found)} is not a separator`, adviseSeparator(found, [',', ';', '\t'])];
  if (issue.origin === 'string')
    return isSmall
      ? [`\`${name}\` is empty`, 'Write a text.']
      : [`\`${name}\` is too long`, `${bound} ${issue.maximum === 1 ? 'character' : 'characters'}.`];
  if (issue.origin === 'array') return [`\`${name}\` ${isSmall ? 'is empty' : 'is too long'}`, `${bound} of them.`];
  return [`${String(found)} is too ${isSmall ? 'small' : 'large'}`, `${bound}.`];
}

function adviseSeparator(found: unknown, signs: readonly unknown[]): string {
  const meant = typeof found === 'string' ? proposeSign(found) : null;
  return meant === null
    ? `Write one character in quotes: ${signs.map((sign) => `\`${JSON.stringify(sign)}\``).join(', ')}.`
    : `Write \`separator: ${meant}\`.`;
}

function adviseMissing(name: string, issue: FlatIssue): string {
  if (name === 'policy') {
    return 'Choose one: `sync` (creates, updates, deactivates), `upsert-only` (never deactivates) or `create-only`. There is no default.';
  }
  if (name === 'missing') {
    return 'Look at the import setting in the service, and write what it does with people who are not in the file: `keep`, `deactivate` or `remove`. There is no default.';
  }
  if (issue.code === 'invalid_union')
    return `Add one of ${listTypes(issue)
      .map((type) => `\`type: ${type}\``)
      .join(', ')}.`;
  return `Add \`${name}:\`${issue.code === 'invalid_type' ? `, ${describeExpected(issue.expected)}` : ''}.`;
}

function describeExpected(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map of keys',
    record: 'a map of keys',
  };
  return words[expected] ?? expected;
}

/** Describes the kind of a value without the value, which may be a secret in the wrong place. */
function describeFound(found: unknown): string {
  if (found === null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a map of keys';
  return typeof found === 'string' ? 'a text' : String(found);
}

function adviseType(expected: string, found: unknown, name: string): string {
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) return 'Put it in quotes.';
  const inside = /^(object|record)$/.test(expected) && typeof found === 'string' ? nameInside(name, found) : null;
  if (inside !== null) return `Write \`${name}: { ${inside} }\`.`;
  if (name === 'match' && isMapOfTexts(found)) return `Write \`match: [${Object.keys(found).join(', ')}]\`.`;
  if (/^(object|record)$/.test(expected) && Array.isArray(found))
    return 'Leave the dashes out: each entry is `name: …`.';
  const meant = typeof found === 'string' ? readAs(expected, found) : null;
  if (meant !== null) return `Write \`${name}: ${meant}\`.`;
  return expected === 'boolean' ? 'Write `true` or `false`.' : `Write ${describeExpected(expected)}.`;
}

/** Returns the content of the map that a plain text was probably meant to be. */
function nameInside(name: string, found: string): string | null {
  if (name === 'schedule') return `every: "${proposeCron(found) ?? '*/15 * * * *'}"`;
  return name === 'leaver' ? 'when: …' : null;
}

function isMapOfTexts(found: unknown): found is Readonly<Record<string, string>> {
  return isJsonObject(found) && Object.keys(found).every(isWord);
}

const isWord = (name: string): boolean => /^\w+$/.test(name);

/** Reads a text as the expected type; null if the text does not fit. */
function readAs(expected: string, found: string): string | null {
  switch (expected) {
    case 'number':
    case 'int':
      return /^\s*(-?\d+(?:\.\d+)?)\s*%?\s*$/.exec(found)?.[1] ?? null;
    case 'boolean':
      return MEANT[found.toLowerCase()] ?? null;
    case 'array':
      // The text may be a secret in the wrong place, so it is repeated only if it looks like a name.
      return /^[\w.-]{1,40}$/.test(found) && !isSecretLike(found) ? `[${found}]` : null;
    default:
      return null;
  }
}

const TRUE = 'true';
const FALSE = 'false';
const MEANT: Readonly<Record<string, string>> = { yes: TRUE, y: TRUE, on: TRUE, no: FALSE, n: FALSE, off: FALSE };

/** True for a mix of letters and digits, which may be a secret. Words of a configuration are short and plain. */
function isSecretLike(text: string): boolean {
  return /\d/.test(text) && /[a-z]/i.test(text);
}
