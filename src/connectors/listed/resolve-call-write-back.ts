import type * as z from 'zod';
import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import { adviseName } from '../../model/nearest.js';
import { type requestForm, resolveCallBasics } from '../http/call-write-back.js';
import type { CallWriteBack, WriteBackRequest } from '../write-back-config.js';
import type { ListedStreamShape } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { findKeyProblem } from './writable.js';

/** Resolves the settings for writing to one stream over HTTP; null if nothing is written back. */
export function resolveRequestWriteBack(
  path: YamlPath,
  input: z.infer<typeof requestForm> | undefined,
  { system, stream }: { readonly system: ListedSystem; readonly stream: ListedStreamShape },
  report: ProblemSink,
): CallWriteBack | null {
  if (input === undefined) return null;
  const { method, path: template, body, ...basics } = input;
  const writeBack = resolveCallBasics(basics);
  if (stream.dialect === 'plain') {
    const usual = `${stream.path.replace(/\/+$/, '')}/{key}`;
    const request = { method: method ?? 'PATCH', path: template ?? usual, body: body ?? null };
    checkRequest(path, request, Object.keys(stream.columns), report);
    return { ...writeBack, request };
  }
  for (const [key, value] of Object.entries({ method, path: template, body })) {
    if (value === undefined) continue;
    const message = `\`${key}\` has no effect for a \`preset\`, which defines how its records are changed`;
    report.add([...path, key], message, 'Remove it.', 'key');
  }
  const problem = findKeyProblem(system, stream);
  if (problem !== null) report.add(path, problem, "Leave out the stream's `key`, or remove `write_back`.", 'key');
  return writeBack;
}

/** Matches every placeholder of a template, even unknown ones. */
const PLACEHOLDER = /\{([A-Za-z_][^{}]*)\}/g;

function checkRequest(
  path: YamlPath,
  request: WriteBackRequest,
  columns: readonly string[],
  report: ProblemSink,
): void {
  const inPath = listPlaceholders(request.path);
  for (const name of inPath.filter((one) => one !== 'key')) {
    report.add([...path, 'path'], `\`{${name}}\` is not filled in a path`, 'Only `{key}` is filled in a path.');
  }
  const inBody = request.body === null ? ['cells'] : listPlaceholders(request.body);
  const known = ['key', 'cells', ...columns.map((column) => `cells.${column}`)];
  for (const name of inBody.filter((one) => !known.includes(one))) {
    const others = 'Known: `{key}`, `{cells}` and `{cells.<column>}`.';
    const column = name.replace(/^cells\./, '');
    const remedy = column === name ? others : adviseName(column, columns, others, (near) => `\`{cells.${near}}\``);
    report.add([...path, 'body'], `\`{${name}}\` is not known`, remedy);
  }
  if (!inPath.includes('key') && !inBody.includes('key')) {
    report.add(path, 'neither `path` nor `body` names the record', 'Put `{key}` into one of them.');
  }
  if (!inBody.some((name) => /^cells(\.|$)/.test(name))) {
    const remedy = 'Put `{cells}` or `{cells.<column>}` into it.';
    report.add([...path, 'body'], '`body` has no place for the written values', remedy);
  }
}

function listPlaceholders(body: unknown): readonly string[] {
  if (typeof body === 'string') return [...body.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(listPlaceholders) : [];
}
