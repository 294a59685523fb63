import { parseDuration } from '../../base/settings/duration.js';
import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import type { Json } from '../../model/json.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import type {
  DeletedSign,
  DetailConfig,
  IncrementalConfig,
  ListedStreamShape,
  NextPage,
} from '../listed/listed-stream.js';
import { isInBody } from '../listed/next-page.js';
import type { StreamInput } from './schema.js';

/** Resolves a stream that the configuration describes completely, without a preset. */
export function resolvePlain(path: YamlPath, stream: StreamInput, report: ProblemSink): ListedStreamShape {
  const { columns: declared = {}, key = '' } = stream;
  const columns = resolveColumns([...path, 'columns'], declared, report);
  if (stream.key !== undefined && stream.columns !== undefined) checkKey([...path, 'key'], { key, columns }, report);
  const next = resolveNext([...path, 'next'], stream.next ?? 'none', report);
  const incremental = resolveIncremental([...path, 'incremental'], stream.incremental, report);
  checkBody(path, stream, [...listParameters(next), incremental?.parameter ?? ''], report);
  return {
    dialect: 'plain',
    path: stream.path ?? '',
    filter: null,
    query: stream.query ?? {},
    headers: stream.headers ?? {},
    rows: stream.rows ?? '',
    total: stream.total ?? null,
    next,
    deleted: resolveDeleted(stream.deleted),
    incremental,
    ...(stream.method === 'POST' ? { body: (stream.body ?? {}) as Json } : {}),
    ...(stream.detail === undefined ? {} : { detail: resolveDetail(stream.detail) }),
    key,
    columns,
    prefer: stream.prefer ?? null,
    mayBeEmpty: stream.empty === 'allowed',
    isEndTrusted: stream.end === 'trusted',
  };
}

/** Checks that parameters beginning with a slash are used with POST only, because they are places in the body. */
function checkBody(path: YamlPath, stream: StreamInput, parameters: readonly string[], report: ProblemSink): void {
  if (stream.method === 'POST') return;
  if (stream.body !== undefined) {
    report.add([...path, 'body'], '`body` has no effect without `method: POST`', 'Add `method: POST`.', 'key');
  }
  const [place] = parameters.filter(isInBody);
  if (place === undefined) return;
  const remedy = 'Add `method: POST`, or name a parameter of the address, without a slash.';
  report.add([...path, 'method'], `\`${place}\` is a place in a body, and a GET has none`, remedy);
}

function listParameters(next: NextPage): readonly string[] {
  const limit = 'limit' in next ? (next.limit ?? '') : '';
  return 'parameter' in next ? [next.parameter, limit] : [];
}

function resolveDetail({ path, record = '', refresh }: NonNullable<StreamInput['detail']>): DetailConfig {
  return { path, record, refreshMs: parseDuration(refresh) };
}

/** The ways to find the next page, each with the additional keys that it needs. */
const WAYS = {
  link: [],
  token: ['parameter'],
  offset: ['limit', 'size'],
  page: ['limit', 'size', 'first'],
  header: [],
} as const;
type PagingWay = keyof typeof WAYS;

function resolveNext(path: YamlPath, next: NonNullable<StreamInput['next']>, report: ProblemSink): NextPage {
  if (next === 'none') return { kind: 'none' };
  checkNext(path, next, report);
  const { link, token, parameter = '', offset, page, limit = null, size = 100, first = 1, header = 'link' } = next;
  if (token !== undefined) return { kind: 'token', at: token, parameter };
  if (offset !== undefined) return { kind: 'offset', parameter: offset, limit, size };
  if (page !== undefined) return { kind: 'page', parameter: page, limit, size, first };
  return link !== undefined ? { kind: 'link', at: link } : { kind: 'header', name: header };
}

function checkNext(path: YamlPath, next: Exclude<StreamInput['next'], 'none' | undefined>, report: ProblemSink): void {
  const all = Object.keys(WAYS) as readonly PagingWay[];
  const ways = all.filter((way) => next[way] !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'none of them' : ways.map((name) => `\`${name}\``).join(' and ');
    report.add(path, `\`next\` is one of link, token, offset, page and header, found ${found}`, 'Keep one of them.');
  }
  for (const key of new Set(Object.values(WAYS).flat())) {
    const owners = all.filter((way) => WAYS[way].some((one: string) => one === key));
    if (next[key] === undefined || owners.some((way) => ways.includes(way))) continue;
    const names = owners.map((name) => `\`${name}\``).join(' or ');
    report.add([...path, key], `\`${key}\` has no effect without ${names}`, 'Remove it.', 'key');
  }
  if (next.token !== undefined && next.parameter === undefined) {
    const message = '`token` needs the `parameter` that sends it';
    report.add(path, message, 'Add `parameter: cursor`, or the name that the CRM uses.');
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
