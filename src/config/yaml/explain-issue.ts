import type * as z from 'zod';
import { KINDS } from '../../connectors/kinds.js';
import { adviseAmong } from '../../model/nearest.js';
import type { YamlPath } from '../../settings/resolving.js';
import { formatPath } from './yaml-place.js';

export type ShapeIssue = z.core.$ZodIssue;
/** An issue with its whole path, no union round it. */
export type FlatIssue = DistributiveOmit<ShapeIssue, 'path'> & { readonly path: YamlPath };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What is wrong, and what to do about it. */
type Explained = readonly [message: string, remedy: string];

/** A key `write_back` where the kind of source does not have it. */
export function explainUnwritable(source: unknown): Explained {
  const type = typeof source === 'object' && source !== null && 'type' in source ? source.type : undefined;
  const kind = KINDS.find((one) => one.type === type);
  return kind?.strayWriteBack ?? ['`write_back` means nothing here', 'Write it into the source itself.'];
}

export function explainUnknownKey(path: YamlPath, key: string, known: readonly string[]): Explained {
  return [`\`${formatPath(path)}\` is not known`, adviseAmong(key, known, 'Accepted here')];
}

export function explainIssue(issue: FlatIssue, found: unknown): Explained {
  const name = String(issue.path.at(-1) ?? 'configuration');
  if (/^(api_key|bearer|password)$/.test(name) && typeof found === 'string') {
    return [
      'a secret must not be in the configuration',
      `Write \`${name}: { env: NAME }\` or \`${name}: { file: PATH }\`.`,
    ];
  }
  if (found === undefined) return [`\`${formatPath(issue.path)}\` is missing`, adviseMissing(name, issue)];
  const shown = typeof found === 'string' ? `"${found}"` : describeFound(found);
  switch (issue.code) {
    case 'invalid_type':
      return [
        `expected ${describeExpected(issue.expected)}, found ${describeFound(found)}`,
        adviseType(issue.expected, found),
      ];
    case 'invalid_value':
      return [`${shown} is not accepted`, adviseAmong(found, issue.values.map(String), 'Accepted')];
    case 'invalid_union':
      return [`${shown} is not a type of source`, `Accepted: ${KINDS.map(({ type }) => type).join(', ')}.`];
    case 'too_small':
      return [
        /^(array|string)$/.test(issue.origin) ? `\`${name}\` is empty` : `${String(found)} is too small`,
        `At least ${issue.minimum}.`,
      ];
    case 'too_big':
      return [
        issue.origin === 'string' ? `\`${name}\` is too long` : `${String(found)} is too large`,
        `At most ${issue.maximum}.`,
      ];
    default:
      return [issue.message, `Correct \`${formatPath(issue.path)}\`.`];
  }
}

function adviseMissing(name: string, issue: FlatIssue): string {
  if (name === 'policy') {
    return 'Choose one: `sync` (creates, updates, deactivates), `upsert-only` (never deactivates) or `create-only`. There is no default.';
  }
  if (name === 'missing') {
    return 'Look at the import setting in the service, and say what it does with people who are not in the file: `keep`, `deactivate` or `remove`. There is no default.';
  }
  if (issue.code === 'invalid_union') return `Add one of ${KINDS.map(({ type }) => `\`type: ${type}\``).join(', ')}.`;
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

/** The kind of a value, never the value: it may be a secret in the wrong place. */
function describeFound(found: unknown): string {
  if (found === null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a map of keys';
  return typeof found === 'string' ? 'a text' : String(found);
}

function adviseType(expected: string, found: unknown): string {
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) return 'Put it in quotes.';
  if ((expected === 'number' || expected === 'int') && typeof found === 'string')
    return 'Write the number without quotes.';
  if (expected === 'boolean') return 'Write `true` or `false`.';
  return `Write ${describeExpected(expected)}.`;
}
