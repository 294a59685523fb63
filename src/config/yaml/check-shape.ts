import type { z } from 'zod';
import { KINDS } from '../../connectors/kinds.js';
import { nearestName } from '../../model/nearest.js';
import type { YamlPath } from '../../settings/resolving.js';
import { type ConfigInput, configSchema } from '../schema.js';
import { listKnownKeys } from './known-keys.js';
import type { ConfigProblems } from './report.js';
import { formatPath } from './yaml-place.js';

/** What could be read; a part in which something is missing is left out, so that the rest can still be checked. */
export type ConfigDraft = { readonly [Key in keyof ConfigInput]?: ConfigInput[Key] | undefined };

type Issue = z.core.$ZodIssue;

/**
 * Checks names and types, reports all that is wrong, and gives back what is usable.
 *
 * A wrong key must not hide a wrong expression elsewhere, so whatever is refused is taken out and the rest is read
 * again, until nothing is refused. Each round can only make the document smaller, so it ends.
 */
export function checkShape(data: unknown, report: ConfigProblems): ConfigDraft {
  const assumed: string[] = [];
  const draft = readDraft(data, report, assumed);
  report.ignoreTextsNaming(assumed);
  return draft;
}

function readDraft(data: unknown, report: ConfigProblems, assumed: string[]): ConfigDraft {
  const rest: unknown = structuredClone(data);
  const reported: string[] = [];
  const first = configSchema.safeParse(data);
  if (first.success) return first.data;

  let issues: readonly Issue[] = first.error.issues;
  for (let round = 0; issues.length > 0 && round < 1000; round++) {
    const flat = issues.flatMap((issue) => flatten(issue, rest));
    for (const issue of flat) {
      // `mx: 1` instead of `max: 1` is one mistake, not also "a guard needs max".
      if (issue.code === 'custom' && flat.some((other) => isUnknownKeyAt(other, issue.path))) continue;
      const at = JSON.stringify(issue.path).slice(0, -1);
      // What was taken out in an earlier round is missing now; that is not a second mistake.
      if (
        round > 0 &&
        reported.some((path) => path === at || path.startsWith(`${at},`) || (at === '[' && path !== '['))
      )
        continue;
      reportIssue(issue, data, report);
    }
    for (const issue of flat) {
      reported.push(JSON.stringify(issue.path).slice(0, -1));
      takeOut(rest, issue, assumed);
    }
    const next = configSchema.partial().safeParse(rest);
    if (next.success) return next.data;
    issues = next.error.issues;
  }
  return {};
}

type FlatIssue = DistributiveOmit<Issue, 'path'> & { readonly path: YamlPath };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Issues of a union are those of the branch that was meant: an object means the long form. */
function flatten(issue: Issue, data: unknown): readonly FlatIssue[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ ...issue, path }];
  const long = typeof valueAt(data, path) === 'object';
  const meant = long
    ? issue.errors.find(
        (branch) => !branch.some((inner) => inner.path.length === 0 && /^invalid_(type|value)$/.test(inner.code)),
      )
    : issue.errors.find((branch) => branch.some((inner) => inner.code === 'invalid_value'));
  const branch = meant ?? issue.errors[0] ?? [];
  return branch.flatMap((inner) => flatten({ ...inner, path: [...path, ...inner.path] }, data));
}

function reportIssue(issue: FlatIssue, data: unknown, report: ConfigProblems): void {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = listKnownKeys(configSchema, path, data);
    for (const key of issue.keys) {
      const [message, remedy] =
        key === 'write_back' && path[0] === 'sources'
          ? explainUnwritable(valueAt(data, path.slice(0, 2)))
          : explainUnknownKey([...path, key], key, known);
      report.add([...path, key], message, remedy, 'key');
    }
    return;
  }
  const [message, remedy] = explainIssue(issue, valueAt(data, path));
  report.add(path, message, remedy);
}

function explainUnwritable(source: unknown): readonly [string, string] {
  const type = typeof source === 'object' && source !== null && 'type' in source ? source.type : undefined;
  const kind = KINDS.find((one) => one.type === type);
  return kind?.strayWriteBack ?? ['`write_back` means nothing here', 'Write it into the source itself.'];
}

function explainUnknownKey(path: YamlPath, key: string, known: readonly string[]): readonly [string, string] {
  const accepted = `Accepted here: ${known.join(', ')}.`;
  const near = nearestName(key, known);
  const message = `\`${formatPath(path)}\` is not known`;
  return [message, near === null ? accepted : `Did you mean \`${near}\`? ${accepted}`];
}

function explainIssue(issue: FlatIssue, found: unknown): readonly [string, string] {
  const name = issue.path.at(-1) ?? 'configuration';
  if (/^(api_key|bearer|password)$/.test(String(name)) && typeof found === 'string') {
    return [
      'a secret must not be in the configuration',
      `Write \`${name}: { env: NAME }\` or \`${name}: { file: PATH }\`.`,
    ];
  }
  if (found === undefined) return [`\`${formatPath(issue.path)}\` is missing`, adviseMissing(String(name), issue)];
  switch (issue.code) {
    case 'invalid_type':
      return [
        `expected ${describeExpected(issue.expected)}, found ${describeFound(found)}`,
        adviseType(issue.expected, found),
      ];
    case 'invalid_value': {
      const words = issue.values.map(String);
      const shown = typeof found === 'string' ? `"${found}"` : describeFound(found);
      const near = typeof found === 'string' ? nearestName(found, words) : null;
      return [
        `${shown} is not accepted`,
        `${near === null ? '' : `Did you mean \`${near}\`? `}Accepted: ${words.join(', ')}.`,
      ];
    }
    case 'invalid_union':
      return [
        `${typeof found === 'string' ? `"${found}"` : describeFound(found)} is not a type of source`,
        `Accepted: ${KINDS.map(({ type }) => type).join(', ')}.`,
      ];
    case 'too_small':
      return [
        issue.origin === 'array' || issue.origin === 'string'
          ? `\`${name}\` is empty`
          : `${String(found)} is too small`,
        `At least ${issue.minimum}.`,
      ];
    case 'too_big':
      return [
        `${issue.origin === 'string' ? `\`${name}\` is too long` : `${String(found)} is too large`}`,
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

function valueAt(data: unknown, path: YamlPath): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}

function isUnknownKeyAt(issue: FlatIssue, path: YamlPath): boolean {
  return issue.code === 'unrecognized_keys' && JSON.stringify(issue.path) === JSON.stringify(path);
}

/**
 * Removes what an issue is about; where something is missing, removes what it is missing from. A column stays, as a
 * text: expressions that name it are not judged, all others still are.
 */
function takeOut(data: unknown, issue: FlatIssue, assumed: string[]): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) remove(data, [...issue.path, key]);
    return;
  }
  let path = issue.path;
  const columns = path[0] === 'sources' ? path.indexOf('columns', 2) : -1;
  const column = columns === -1 ? undefined : path[columns + 1];
  const owner = valueAt(data, path.slice(0, columns + 1));
  if (column !== undefined && typeof owner === 'object' && owner !== null) {
    assumed.push(String(column));
    (owner as Record<string | number, unknown>)[column] = 'string';
    return;
  }
  while (path.length > 0 && valueAt(data, path) === undefined) path = path.slice(0, -1);
  // A top-level key that is missing needs nothing removed: the next round takes every one of them as optional.
  if (path.length > 0) remove(data, path);
}

function remove(data: unknown, path: YamlPath): void {
  const owner = valueAt(data, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof owner !== 'object' || owner === null || last === undefined) return;
  // A list goes as a whole: taking out one item would move the others away from their places.
  if (Array.isArray(owner)) remove(data, path.slice(0, -1));
  else delete (owner as Record<string | number, unknown>)[last];
}
