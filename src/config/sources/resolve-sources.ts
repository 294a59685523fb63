import iconv from 'iconv-lite';
import type { ColumnInput } from '../../connectors/cells/column-schema.js';
import { checkKey, resolveColumns } from '../../connectors/cells/resolve-columns.js';
import { resolveCallBasics } from '../../connectors/crm/resolve-call-write-back.js';
import { checkCrm, checkStreamKeys, resolveFeeds } from '../../connectors/crm/resolve-feeds.js';
import { readFileForm } from '../../connectors/crm/stream-write-back.js';
import type { FileRulesInput } from '../../connectors/drop/files-schema.js';
import { resolveFileRules } from '../../connectors/drop/resolve-file-rules.js';
import { checkWriteBackFolders, resolveFileWriteBack } from '../../connectors/drop/resolve-file-write-back.js';
import { resolveHttpAccess } from '../../connectors/http/resolve-http.js';
import { SCIM_COLUMNS } from '../../connectors/scim/columns.js';
import { findFilterProblem } from '../../connectors/scim/filter.js';
import type { SourceInput, StreamInput } from '../../connectors/source-schema.js';
import { checkExpressions } from '../../mapping/check.js';
import { createRowScope } from '../../mapping/condition.js';
import { createScope } from '../../mapping/scope.js';
import { listStreams, listVisibleToPrefer } from '../../mapping/streams.js';
import { parseDuration } from '../../settings/duration.js';
import { type DropPlace, resolveDrop } from '../../settings/resolve-drop.js';
import type { Columns, CrmStreamConfig, SourceConfig, Sources } from '../config.js';
import type { ReadSecret } from '../secrets.js';
import type { ConfigProblems } from '../yaml/report.js';
import type { YamlPath } from '../yaml/yaml-place.js';

/** Words that mean something else in expressions; a source of such a name could not be read by it. */
const TAKEN = (
  'record today user optional cel google true false null in as break const continue else for function if import let ' +
  'loop package namespace return var void while prototype string int uint double bool bytes list map type dyn duration timestamp'
).split(' ');

export function resolveSources(
  inputs: Readonly<Record<string, SourceInput>>,
  folder: string,
  timezone: string,
  readSecret: ReadSecret,
  report: ConfigProblems,
): Sources {
  const sources: Record<string, SourceConfig> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const path = ['sources', name];
    if (!/^[A-Za-z_]\w*$/.test(name) || TAKEN.includes(name)) {
      const message = `\`${name}\` cannot be the name of a source`;
      report.add(
        path,
        message,
        'Use letters, digits and _, and none of the words of expressions (record, today, …).',
        'key',
      );
      continue;
    }
    sources[name] = resolveSource(path, input, folder, readSecret, report);
  }
  checkPreferences(sources, timezone, report);
  checkWriteBackFolders(sources, report);
  checkDeletions(sources, timezone, report);
  return sources;
}

function resolveSource(
  path: YamlPath,
  input: SourceInput,
  folder: string,
  readSecret: ReadSecret,
  report: ConfigProblems,
): SourceConfig {
  const resolveBack = (
    at: YamlPath,
    { write_back: back }: Pick<StreamInput, 'write_back'>,
    stream: Pick<CrmStreamConfig, 'key' | 'separator'>,
  ) =>
    resolveFileWriteBack(
      [...at, 'write_back'],
      readFileForm([...at, 'write_back'], back, report),
      stream,
      folder,
      readSecret,
      report,
    );
  switch (input.type) {
    case 'csv': {
      const files = resolveFiles(path, input, resolveDrop(path, input, folder, readSecret, report), report);
      return { type: 'csv', ...files, writeBack: resolveBack(path, input, files) };
    }
    case 'scim': {
      const key = input.key;
      checkKey([...path, 'key'], key, SCIM_COLUMNS, true, report);
      return {
        type: 'scim',
        baseUrl: trimSlash(input.base_url),
        access: resolveHttpAccess(path, input, folder, readSecret, report),
        columns: SCIM_COLUMNS,
        key,
        pageSize: input.page_size,
        paging: input.paging,
        filter: input.filter === undefined ? null : checkFilter([...path, 'filter'], input.filter, report),
        attributes: checkAttributes([...path, 'attributes'], input, report),
        excludedAttributes: input.excluded_attributes ?? [],
        memberships: input.memberships,
        fullEveryMs: input.incremental === undefined ? null : parseDuration(input.incremental.full_every),
        prefer: input.prefer ?? null,
        mayBeEmpty: input.empty === 'allowed',
        writeBack: resolveCallBasics(input.write_back),
      };
    }
    case 'scim-push':
      checkKey([...path, 'key'], input.key, SCIM_COLUMNS, true, report);
      return {
        type: 'scim-push',
        tokens: input.tokens.map((token, index) => readSecret([...path, 'tokens', index], token)),
        baseUrl: input.base_url === undefined ? null : trimSlash(input.base_url),
        trustedProxies: input.trusted_proxies ?? [],
        columns: addColumns([...path, 'columns'], input.columns ?? {}, report),
        key: input.key,
        prefer: input.prefer ?? null,
        mayBeEmpty: input.empty === 'allowed',
      };
    case 'crm': {
      checkCrm(path, input, report);
      if (input.drop === undefined)
        return { type: 'crm', streams: resolveFeeds(path, input, folder, readSecret, report) };
      const drop = resolveDrop(path, { ...input, drop: input.drop }, folder, readSecret, report);
      const streams: Record<string, CrmStreamConfig> = {};
      for (const [name, stream] of Object.entries(input.streams ?? {})) {
        const at = [...path, 'streams', name];
        checkStreamKeys(at, stream, 'files', report);
        const { pattern = '*', key = '', columns = {}, rows = '' } = stream;
        const files = resolveFiles(at, { ...stream, pattern, key, columns }, drop, report);
        streams[name] = { ...files, rows, writeBack: resolveBack(at, stream, files) };
      }
      return { type: 'crm', streams };
    }
  }
}

/** Columns beside those that every SCIM source has; such a one cannot be another than it is. */
function addColumns(path: YamlPath, inputs: Readonly<Record<string, ColumnInput>>, report: ConfigProblems): Columns {
  for (const name of Object.keys(inputs).filter((one) => Object.hasOwn(SCIM_COLUMNS, one))) {
    const message = `\`${name}\` is a column of every SCIM source`;
    report.add([...path, name], message, 'Give yours another name.', 'key');
  }
  return { ...resolveColumns(path, inputs, report), ...SCIM_COLUMNS };
}

function checkFilter(path: YamlPath, filter: string, report: ConfigProblems): string {
  const problem = findFilterProblem(filter);
  if (problem !== null) {
    report.add(
      path,
      `the filter is not a SCIM filter: ${problem}`,
      'Write it as in `active eq true and userType eq "Employee"`.',
    );
  }
  return filter;
}

/** RFC 7644, 3.4.2.5: a request has one of the two. Without its id a user could not be told from another. */
function checkAttributes(
  path: YamlPath,
  input: SourceInput & { readonly type: 'scim' },
  report: ConfigProblems,
): readonly string[] {
  const { attributes = [], excluded_attributes: excluded = [] } = input;
  if (attributes.length > 0 && excluded.length > 0) {
    report.add(path, '`attributes` and `excluded_attributes` exclude each other', 'Keep one of them.', 'key');
  }
  return attributes.length === 0 || attributes.includes('id') ? attributes : ['id', ...attributes];
}

interface FilesInput extends FileRulesInput {
  readonly pattern: string;
  readonly key: string;
  readonly columns: Readonly<Record<string, ColumnInput>>;
  readonly separator?: string | undefined;
  readonly encoding?: string | undefined;
  readonly settle: string;
  readonly prefer?: string | undefined;
  readonly empty?: 'allowed' | undefined;
}

function resolveFiles(
  path: YamlPath,
  input: FilesInput,
  drop: DropPlace,
  report: ConfigProblems,
): Omit<CrmStreamConfig, 'rows' | 'writeBack'> {
  const columns = resolveColumns([...path, 'columns'], input.columns, report);
  checkKey([...path, 'key'], input.key, columns, false, report);
  if (/\.(?:csv|tsv|txt)$/i.test(input.pattern)) refuseFrom([...path, 'columns'], columns, report);
  if (input.encoding !== undefined && !iconv.encodingExists(input.encoding)) {
    const message = `"${input.encoding}" is not an encoding`;
    report.add([...path, 'encoding'], message, 'Write `utf-8`, `windows-1252`, `iso-8859-1` or `utf-16le`.');
  }
  return {
    ...drop,
    pattern: input.pattern,
    settleMs: parseDuration(input.settle),
    rules: resolveFileRules(path, input, Object.keys(columns), report),
    key: input.key,
    columns,
    separator: input.separator ?? null,
    encoding: input.encoding ?? null,
    prefer: input.prefer ?? null,
    mayBeEmpty: input.empty === 'allowed',
  };
}

/** The cells of a CSV file stand under a header; there is no row to point into. */
function refuseFrom(path: YamlPath, columns: Columns, report: ConfigProblems): void {
  for (const [name, { from }] of Object.entries(columns)) {
    if (from === undefined) continue;
    report.add([...path, name, 'from'], '`from` means nothing in a CSV file', 'Remove it; it is for JSON rows.', 'key');
  }
}

function checkPreferences(sources: Sources, timezone: string, report: ConfigProblems): void {
  for (const stream of listStreams(sources)) {
    if (stream.prefer === null) continue;
    const [source = '', name] = stream.name.split('.');
    const path = name === undefined ? ['sources', source, 'prefer'] : ['sources', source, 'streams', name, 'prefer'];
    const scope = createScope(listVisibleToPrefer(stream), 'record', timezone);
    for (const problem of checkExpressions(scope, [{ path, text: stream.prefer, want: 'rank' }])) {
      report.addInText(problem.path, problem.text, problem.start, problem.message, problem.remedy);
    }
  }
}

/** `deleted: { when: … }` of feeds. */
function checkDeletions(sources: Sources, timezone: string, report: ConfigProblems): void {
  for (const [source, config] of Object.entries(sources)) {
    for (const [name, stream] of Object.entries(config.type === 'crm' ? config.streams : {})) {
      if (!('baseUrl' in stream) || stream.deleted === null || !('when' in stream.deleted)) continue;
      const path = ['sources', source, 'streams', name, 'deleted', 'when'];
      const scope = createRowScope(stream.columns, timezone);
      for (const problem of checkExpressions(scope, [{ path, text: stream.deleted.when, want: 'bool' }])) {
        report.addInText(problem.path, problem.text, problem.start, problem.message, problem.remedy);
      }
    }
  }
}

export function trimSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
