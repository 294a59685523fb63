import type * as z from 'zod';
import type { YamlPath } from '../../base/settings/resolving.js';
import { nearestName } from '../../model/nearest.js';
import type { ConfigInput } from '../schema.js';
import type { ConfigProblems } from './config-problems.js';
import {
  adviseWrapper,
  explainIssue,
  explainUnknownKey,
  explainUnwritable,
  type FlatIssue,
  type ShapeIssue,
} from './explain-issue.js';
import { findOuterPlace, listKnownKeys } from './known-keys.js';

/** The readable part of a configuration. Incomplete parts are left out, so that the rest can still be checked. */
export type ConfigDraft = { readonly [Key in keyof ConfigInput]?: ConfigInput[Key] | undefined };

/**
 * Checks names and types, reports all errors, and returns the usable part.
 *
 * A wrong key must not hide a wrong expression elsewhere. Every rejected part is therefore removed, and the rest is checked
 * again until nothing is rejected. This ends, because each round makes the document smaller.
 */
export function checkShape<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  data: unknown,
  report: ConfigProblems,
): Partial<z.output<z.ZodObject<Shape>>> {
  const assumed: string[] = [];
  const draft = readDraft({ schema, data, report }, assumed);
  report.ignoreTextsNaming(assumed);
  return draft;
}

interface CheckedShape<Shape extends z.core.$ZodLooseShape> {
  readonly schema: z.ZodObject<Shape>;
  readonly data: unknown;
  readonly report: ConfigProblems;
}

function readDraft<Shape extends z.core.$ZodLooseShape>(
  checked: CheckedShape<Shape>,
  assumed: string[],
): Partial<z.output<z.ZodObject<Shape>>> {
  const { schema, data } = checked;
  const first = schema.safeParse(data);
  if (first.success) return first.data;

  const rest: unknown = structuredClone(data);
  const taken: string[] = [];
  let issues: readonly ShapeIssue[] = first.error.issues;
  for (let round = 0; issues.length > 0 && round < 1000; round++) {
    const flat = issues.flatMap((issue) => flatten(issue, rest));
    for (const issue of flat)
      if (!isTold(issue, flat, taken) && !isMisspelt(issue, flat, checked)) reportIssue(issue, checked);
    for (const issue of flat) {
      taken.push(spell(issue.path));
      takeOut(rest, issue, assumed);
    }
    const next = schema.partial().safeParse(rest);
    if (next.success) return next.data as Partial<z.output<z.ZodObject<Shape>>>;
    issues = next.error.issues;
  }
  return {};
}

/** Returns a path as text. The text of each path below it begins with it and a comma. */
function spell(path: YamlPath): string {
  return JSON.stringify(path).slice(0, -1);
}

/** @param taken paths that earlier rounds have reported and removed */
function isTold(issue: FlatIssue, others: readonly FlatIssue[], taken: readonly string[]): boolean {
  // `mx: 1` instead of `max: 1` is one mistake. It is not reported as "a guard needs max" too.
  if (issue.code === 'custom' && others.some((other) => isUnknownKeyAt(other, issue.path))) return true;
  const at = spell(issue.path);
  // A part that is missing only because an earlier round removed it is not a second mistake.
  return taken.some((path) => path === at || path.startsWith(`${at},`) || (at === '[' && path !== '['));
}

/** True if a key is missing only because it is misspelt, or written further inside. */
function isMisspelt(
  { path }: FlatIssue,
  others: readonly FlatIssue[],
  { schema, data }: Pick<CheckedShape<z.core.$ZodLooseShape>, 'schema' | 'data'>,
): boolean {
  const owner = path.slice(0, -1);
  if (valueAt(data, path) !== undefined) return false;
  return others.some(
    (other) =>
      other.code === 'unrecognized_keys' &&
      (spell(other.path) === spell(owner)
        ? other.keys.some((key) => nearestName(key, listKnownKeys(schema, owner, data)) === path.at(-1))
        : spell(other.path).startsWith(spell(owner)) && other.keys.includes(String(path.at(-1)))),
  );
}

/** Replaces the issues of a union by the issues of the intended branch. An object means the long form. */
function flatten(issue: ShapeIssue, data: unknown): readonly FlatIssue[] {
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

function reportIssue(issue: FlatIssue, { schema, data, report }: CheckedShape<z.core.$ZodLooseShape>): void {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = listKnownKeys(schema, path, data);
    for (const key of issue.keys) {
      const [message, remedy] =
        key === 'write_back' && path[0] === 'sources'
          ? explainUnwritable(valueAt(data, path.slice(0, 2)))
          : explainUnknownKey(
              key,
              known,
              adviseWrapper(key, valueAt(data, [...path, key]), known) ?? findOuterPlace(schema, path, key, data),
            );
      report.add([...path, key], message, remedy, 'key');
    }
    return;
  }
  const found = valueAt(data, path);
  const [message, remedy] =
    found === null && report.isCommentedOut(path)
      ? [`\`${path.at(-1)}\` has no value: what follows # is a comment`, 'Put the value in quotes.']
      : explainIssue(issue, found, listKnownKeys(schema, path, data));
  report.add(path, message, remedy);
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
 * Removes the subject of an issue, or the parent of a missing key. A column is replaced by a text column: expressions that use
 * it are not checked, but all others are.
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
  // If a top-level key is missing, nothing is removed, because the next round treats all of them as optional.
  if (path.length > 0) remove(data, path);
}

function remove(data: unknown, path: YamlPath): void {
  const owner = valueAt(data, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof owner !== 'object' || owner === null || last === undefined) return;
  // Removes the entire list, because removing one item would shift the positions of the others.
  if (Array.isArray(owner)) remove(data, path.slice(0, -1));
  else delete (owner as Record<string | number, unknown>)[last];
}
