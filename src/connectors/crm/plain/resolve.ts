import { parseDuration } from '../../../base/settings/duration.js';
import type { ProblemSink, YamlPath } from '../../../base/settings/resolving.js';
import { checkKey, resolveColumns } from '../../cells/resolve-columns.js';
import type { DeletedSign, IncrementalConfig, ListedStreamShape, NextPage } from '../listed-stream.js';
import type { StreamInput } from '../schema.js';

/** A stream that is asked for as its configuration says. */
export function resolvePlain(path: YamlPath, stream: StreamInput, report: ProblemSink): ListedStreamShape {
  const { columns: declared = {}, key = '' } = stream;
  const columns = resolveColumns([...path, 'columns'], declared, report);
  if (stream.key !== undefined && stream.columns !== undefined) checkKey([...path, 'key'], { key, columns }, report);
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
    isEndTrusted: stream.end === 'trusted',
  };
}

/** The ways to the next page, and the keys that each takes besides. */
const WAYS = { link: [], token: ['parameter'], offset: ['limit', 'size'], header: [] } as const;

function resolveNext(path: YamlPath, next: NonNullable<StreamInput['next']>, report: ProblemSink): NextPage {
  if (next === 'none') return { kind: 'none' };
  checkNext(path, next, report);
  const { link, token, parameter = '', offset, limit = null, size = 100, header = 'link' } = next;
  if (token !== undefined) return { kind: 'token', at: token, parameter };
  if (offset !== undefined) return { kind: 'offset', parameter: offset, limit, size };
  return link !== undefined ? { kind: 'link', at: link } : { kind: 'header', name: header };
}

function checkNext(path: YamlPath, next: Exclude<StreamInput['next'], 'none' | undefined>, report: ProblemSink): void {
  const ways = Object.keys(WAYS).filter((way) => next[way as keyof typeof WAYS] !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'none of them' : ways.map((name) => `\`${name}\``).join(' and ');
    report.add(path, `\`next\` is one of link, token, offset and header, found ${found}`, 'Keep one of them.');
  }
  for (const [way, keys] of Object.entries(WAYS)) {
    for (const key of keys.filter((one) => next[one] !== undefined && !ways.includes(way))) {
      report.add([...path, key], `\`${key}\` means nothing without \`${way}\``, 'Remove it.', 'key');
    }
  }
  if (next.token !== undefined && next.parameter === undefined) {
    const message = '`token` needs the `parameter` that carries it back';
    report.add(path, message, 'Add `parameter: cursor`, or as the CRM calls it.');
  }
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
