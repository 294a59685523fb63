import { adviseName } from '../../model/nearest.js';
import type { ProblemSink, YamlPath } from '../../settings/resolving.js';
import { type RequestWriteBackInput, resolveCallBasics } from '../http/call-write-back.js';
import type { CallWriteBack, WriteBackRequest } from '../write-back-config.js';
import type { ListedStreamConfig } from './listed-stream.js';
import { findKeyProblem } from './writable.js';

/** How one stream over HTTP is written to; null where it is not. */
export function resolveRequestWriteBack(
  path: YamlPath,
  input: RequestWriteBackInput | undefined,
  stream: Omit<ListedStreamConfig, 'baseUrl' | 'access'>,
  report: ProblemSink,
): CallWriteBack | null {
  const basics = resolveCallBasics(input);
  if (input === undefined || basics === null) return null;
  const { method, path: template, body } = input === true ? {} : input;
  if (stream.dialect === 'plain') {
    const request: WriteBackRequest = {
      method: method ?? 'PATCH',
      path: template ?? `${stream.path.replace(/\/+$/, '')}/{key}`,
      body: body ?? null,
    };
    checkRequest(path, request, Object.keys(stream.columns), report);
    return { ...basics, request };
  }
  for (const [key, value] of Object.entries({ method, path: template, body })) {
    if (value === undefined) continue;
    const message = `\`${key}\` means nothing for a \`preset\`, which knows how its records are changed`;
    report.add([...path, key], message, 'Remove it.', 'key');
  }
  const problem = findKeyProblem(stream);
  if (problem !== null) report.add(path, problem, "Leave out the stream's `key`, or remove `write_back`.", 'key');
  return basics;
}

/** Every placeholder of a template, those that nobody knows among them. */
const PLACEHOLDER = /\{([A-Za-z_][^{}]*)\}/g;

function checkRequest(
  path: YamlPath,
  request: WriteBackRequest,
  columns: readonly string[],
  report: ProblemSink,
): void {
  const inPath = [...request.path.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  for (const name of inPath.filter((one) => one !== 'key')) {
    report.add([...path, 'path'], `\`{${name}}\` is not filled in a path`, 'A path knows `{key}` alone.');
  }
  const inBody = request.body === null ? ['cells'] : listPlaceholders(request.body);
  for (const name of inBody) {
    const column = name.startsWith('cells.') ? name.slice('cells.'.length) : null;
    if (name === 'key' || name === 'cells' || (column !== null && columns.includes(column))) continue;
    const known = 'Known: `{key}`, `{cells}` and `{cells.<column>}`.';
    const remedy = column === null ? known : adviseName(column, columns, known, (near) => `\`{cells.${near}}\``);
    report.add([...path, 'body'], `\`{${name}}\` stands for nothing`, remedy);
  }
  if (!inPath.includes('key') && !inBody.includes('key')) {
    report.add(path, 'neither `path` nor `body` names the record', 'Put `{key}` into one of them.');
  }
  if (!inBody.some((name) => name === 'cells' || name.startsWith('cells.'))) {
    report.add(
      [...path, 'body'],
      '`body` has no place for what is written',
      'Put `{cells}` or `{cells.<column>}` into it.',
    );
  }
}

function listPlaceholders(body: unknown): readonly string[] {
  if (typeof body === 'string') return [...body.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(listPlaceholders) : [];
}
