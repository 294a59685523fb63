import { parseDuration } from '../../../settings/duration.js';
import type { ProblemSink, YamlPath } from '../../../settings/resolving.js';
import { checkKey, resolveColumns } from '../../cells/resolve-columns.js';
import type { DeletedSign, IncrementalConfig, ListedStreamShape, NextPage } from '../listed-stream.js';
import type { StreamInput } from '../schema.js';

/** A stream that is asked for as its configuration says. */
export function resolvePlain(path: YamlPath, stream: StreamInput, report: ProblemSink): ListedStreamShape {
  const { columns: declared = {}, key = '' } = stream;
  const columns = resolveColumns([...path, 'columns'], declared, report);
  if (stream.key !== undefined && stream.columns !== undefined) checkKey([...path, 'key'], key, columns, false, report);
  return {
    dialect: 'plain',
    path: stream.path ?? '',
    filter: null,
    query: stream.query ?? {},
    headers: stream.headers ?? {},
    rows: stream.rows ?? '',
    total: stream.total ?? null,
    next: resolveNext([...path, 'next'], stream.next ?? 'none', report),
    deleted: resolveDeleted(stream.deleted),
    incremental: resolveIncremental([...path, 'incremental'], stream.incremental, report),
    key,
    columns,
    prefer: stream.prefer ?? null,
    mayBeEmpty: stream.empty === 'allowed',
  };
}

function resolveNext(path: YamlPath, next: NonNullable<StreamInput['next']>, report: ProblemSink): NextPage {
  if (next === 'none') return { kind: 'none' };
  const { link, token, parameter, offset, limit, size, header } = next;
  const ways = Object.entries({ link, token, offset, header }).filter(([, value]) => value !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'none of them' : ways.map(([name]) => `\`${name}\``).join(' and ');
    report.add(path, `\`next\` is one of link, token, offset and header, found ${found}`, 'Keep one of them.');
  }
  const misplaced = [
    ...(token === undefined && parameter !== undefined ? ['parameter'] : []),
    ...(offset === undefined && limit !== undefined ? ['limit'] : []),
    ...(offset === undefined && size !== undefined ? ['size'] : []),
  ];
  for (const key of misplaced) {
    const owner = key === 'parameter' ? 'token' : 'offset';
    report.add([...path, key], `\`${key}\` means nothing without \`${owner}\``, 'Remove it.', 'key');
  }
  if (token !== undefined) {
    const message = '`token` needs the `parameter` that carries it back';
    if (parameter === undefined) report.add(path, message, 'Add `parameter: cursor`, or as the CRM calls it.');
    return { kind: 'token', at: token, parameter: parameter ?? '' };
  }
  if (offset !== undefined) return { kind: 'offset', parameter: offset, limit: limit ?? null, size: size ?? 100 };
  if (link !== undefined) return { kind: 'link', at: link };
  return { kind: 'header', name: header ?? 'link' };
}

function resolveDeleted(deleted: StreamInput['deleted']): DeletedSign | null {
  if (deleted === undefined) return null;
  if (typeof deleted === 'string') return { at: deleted, is: null, key: null };
  return 'when' in deleted ? deleted : { ...deleted, key: null };
}

function resolveIncremental(
  path: YamlPath,
  input: StreamInput['incremental'],
  report: ProblemSink,
): IncrementalConfig | null {
  if (input === undefined) return null;
  for (const key of ['modified', 'parameter'] as const) {
    if (input[key] === undefined) report.add([...path, key], `\`${key}\` is missing`, `Add \`${key}:\`.`);
  }
  return {
    modified: input.modified ?? '',
    parameter: input.parameter ?? '',
    template: input.template ?? '{since}',
    time: input.time,
    overlapMs: parseDuration(input.overlap),
    fullEveryMs: parseDuration(input.full_every),
  };
}
