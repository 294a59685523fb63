import type { Columns } from '../../config/config.js';
import type { ReadSecret } from '../../config/secrets.js';
import type { ConfigProblems } from '../../config/yaml/report.js';
import type { YamlPath } from '../../config/yaml/yaml-place.js';
import { parseDuration } from '../../settings/duration.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import { filesShape } from '../drop/files-schema.js';
import { resolveHttpAccess } from '../http/resolve-http.js';
import type { CrmInput, StreamInput } from '../source-schema.js';
import type { CrmFeedConfig, DeletedSign, IncrementalConfig, NextPage } from './feed-config.js';
import { PRESETS, type Preset } from './presets.js';
import { resolveFeedWriteBack } from './resolve-call-write-back.js';
import { readCallForm } from './stream-write-back.js';

/** How a stream comes: in files, over HTTP as configured, or as a vendor's preset has it. */
type StreamTransport = 'files' | 'plain' | 'preset';

/** Which keys of a stream mean something, and which of them have to be there. `settle` has a default everywhere. */
/** Of files, but there whether they were written or not. */
const DEFAULTED = ['settle', 'after'];
const OF_FILES = [...DEFAULTED, ...Object.keys(filesShape)];

const KEYS: Readonly<
  Record<StreamTransport, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  files: {
    needs: ['pattern', 'key', 'columns'],
    takes: ['rows', 'separator', 'encoding', 'prefer', 'empty', 'write_back', ...OF_FILES],
  },
  plain: {
    needs: ['path', 'next', 'key', 'columns'],
    takes: [
      'rows',
      'total',
      'query',
      'headers',
      'deleted',
      'incremental',
      'prefer',
      'empty',
      'write_back',
      ...DEFAULTED,
    ],
  },
  preset: {
    needs: [],
    takes: [
      'object',
      'key',
      'columns',
      'properties',
      'filter',
      'incremental',
      'prefer',
      'empty',
      'write_back',
      ...DEFAULTED,
    ],
  },
};

const NAMES: Readonly<Record<StreamTransport, string>> = {
  files: 'files in a folder (`drop`)',
  plain: 'a feed (`base_url` without `preset`)',
  preset: 'a `preset`',
};

const MANNERS: readonly StreamTransport[] = ['files', 'plain', 'preset'];

/** A source is files, a feed or a preset; two of them do not mix. */
export function checkCrm(path: YamlPath, input: CrmInput, report: ConfigProblems): void {
  const { drop, base_url: baseUrl, preset, streams } = input;
  if (drop !== undefined) {
    for (const key of ['base_url', 'preset', 'auth', 'tls', 'proxy'] as const) {
      if (input[key] === undefined) continue;
      const message = `\`${key}\` means nothing together with \`drop\``;
      report.add([...path, key], message, 'Files and HTTP are two sources: give each a name of its own.', 'key');
    }
  } else if (input.sftp !== undefined) {
    report.add([...path, 'sftp'], '`sftp` means nothing without `drop`', 'Name the folder as `drop: sftp://…`.', 'key');
  } else if (baseUrl === undefined && (preset === undefined || PRESETS[preset].baseUrl === null)) {
    const message = `\`${preset === undefined ? 'drop` or `base_url' : 'base_url'}\` is missing`;
    report.add(path, message, 'Name the folder of the files, or the address of the system.', 'key');
  }
  if (preset === undefined && Object.keys(streams ?? {}).length === 0) {
    report.add([...path, 'streams'], 'no stream is named', 'Name what is read, as `streams: { companies: { … } }`.');
  }
  for (const name of Object.keys(streams ?? {})) {
    if (/^[A-Za-z_]\w*$/.test(name)) continue;
    const at = [...path, 'streams', name];
    report.add(at, `\`${name}\` cannot be the name of a stream`, 'Use letters, digits and _.', 'key');
  }
}

export function checkStreamKeys(
  path: YamlPath,
  stream: StreamInput,
  manner: StreamTransport,
  report: ConfigProblems,
): void {
  const { needs, takes } = KEYS[manner];
  for (const key of needs) {
    if (stream[key as keyof StreamInput] !== undefined) continue;
    const advice = key === 'next' ? 'Say where the next page begins; `next: none` where all rows come at once.' : '';
    report.add([...path, key], `\`${key}\` is missing`, advice || `Add \`${key}:\`.`);
  }
  for (const [key, value] of Object.entries(stream)) {
    if (value === undefined || needs.includes(key) || takes.includes(key)) continue;
    const owner = MANNERS.find((one) => [...KEYS[one].needs, ...KEYS[one].takes].includes(key)) ?? 'plain';
    const message = `\`${key}\` means nothing for ${NAMES[manner]}`;
    report.add([...path, key], message, `Remove it; it is for ${NAMES[owner]}.`, 'key');
  }
}

export function resolveFeeds(
  path: YamlPath,
  input: CrmInput,
  folder: string,
  readSecret: ReadSecret,
  report: ConfigProblems,
): Readonly<Record<string, CrmFeedConfig>> {
  const preset = input.preset === undefined ? null : PRESETS[input.preset];
  const common = {
    baseUrl: (input.base_url ?? preset?.baseUrl ?? '').replace(/\/+$/, ''),
    access: resolveHttpAccess(path, input, folder, readSecret, report),
  };
  const names = new Set([...Object.keys(preset?.streams ?? {}), ...Object.keys(input.streams ?? {})]);
  const feeds: Record<string, CrmFeedConfig> = {};
  for (const name of names) {
    const at = [...path, 'streams', name];
    const stream = input.streams?.[name] ?? { settle: '60s', after: 'leave' as const };
    checkStreamKeys(at, stream, preset === null ? 'plain' : 'preset', report);
    const feed = preset === null ? resolvePlain(at, stream, report) : resolvePreset(at, name, stream, preset, report);
    const writeBack = resolveFeedWriteBack(
      [...at, 'write_back'],
      readCallForm([...at, 'write_back'], stream.write_back, report),
      feed,
      report,
    );
    feeds[name] = { ...common, ...feed, writeBack };
  }
  return feeds;
}

type Feed = Omit<CrmFeedConfig, 'baseUrl' | 'access'>;

function resolvePlain(path: YamlPath, stream: StreamInput, report: ConfigProblems): Feed {
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

function resolveNext(path: YamlPath, next: NonNullable<StreamInput['next']>, report: ConfigProblems): NextPage {
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
    if (parameter === undefined) report.add(path, message, 'Add `parameter: cursor`, or as the feed calls it.');
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
  report: ConfigProblems,
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

/** A vendor's stream as it ships, with what is configured laid over it. */
function resolvePreset(
  path: YamlPath,
  name: string,
  stream: StreamInput,
  preset: Preset,
  report: ConfigProblems,
): Feed {
  const shipped = preset.streams[name];
  if (shipped === undefined && stream.object === undefined) {
    const known = Object.keys(preset.streams).join(', ');
    report.add(path, `the preset has no stream \`${name}\``, `Name its \`object:\`, or use one of ${known}.`, 'key');
  }
  const own = resolveColumns([...path, 'columns'], stream.columns ?? {}, report);
  const placeOf = (key: string): string => shipped?.columns[key]?.from ?? preset.place(key);
  const columns: Columns = {
    ...(shipped?.columns ?? preset.everyObject),
    ...Object.fromEntries((stream.properties ?? []).map((property) => [property, preset.text(property)])),
    ...Object.fromEntries(Object.entries(own).map(([key, column]) => [key, { from: placeOf(key), ...column }])),
  };
  const key = stream.key ?? 'id';
  checkKey([...path, 'key'], key, columns, false, report);
  for (const word of ['modified', 'parameter', 'template'] as const) {
    if (stream.incremental?.[word] === undefined) continue;
    const message = `\`${word}\` means nothing for a \`preset\`, which knows it`;
    report.add([...path, 'incremental', word], message, 'Remove it.', 'key');
  }
  if (stream.filter !== undefined && !preset.hasFilter) {
    report.add([...path, 'filter'], 'the lists of this vendor take no filter', 'Use `scope` of what is mapped.', 'key');
  }
  const { full_every: fullEvery = '24h', overlap = '10m' } = stream.incremental ?? {};
  const fullEveryMs = parseDuration(fullEvery);
  const incremental = { ...preset.incremental, overlapMs: parseDuration(overlap), fullEveryMs };
  return {
    ...preset.listing,
    dialect: preset.dialect,
    path: stream.object ?? shipped?.object ?? '',
    filter: stream.filter ?? null,
    query: {},
    headers: {},
    incremental: fullEveryMs === 0 ? null : incremental,
    key,
    columns,
    prefer: stream.prefer ?? null,
    mayBeEmpty: stream.empty === 'allowed',
  };
}
