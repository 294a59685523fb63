import iconv from 'iconv-lite';
import { compileFormat } from '../connectors/dates.js';
import { SCIM_COLUMNS } from '../connectors/scim/columns.js';
import { findFilterProblem } from '../connectors/scim/filter.js';
import { checkExpressions } from '../mapping/check.js';
import { createScope } from '../mapping/scope.js';
import { listStreams, listVisibleToPrefer } from '../mapping/streams.js';
import { nearestName } from '../model/nearest.js';
import type { Column, Columns, CrmStreamConfig, SourceConfig } from './config.js';
import { parseDuration } from './duration.js';
import type { FileRulesInput } from './files-schema.js';
import type { Report } from './report.js';
import { type DropPlace, resolveDrop } from './resolve-drop.js';
import { resolveFileRules } from './resolve-file-rules.js';
import { resolveHttpAccess } from './resolve-http.js';
import type { ReadSecret } from './secrets.js';
import type { ColumnInput, SourceInput } from './source-schema.js';
import type { YamlPath } from './yaml-place.js';

export type Sources = Readonly<Record<string, SourceConfig>>;

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
  report: Report,
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
  return sources;
}

function resolveSource(
  path: YamlPath,
  input: SourceInput,
  folder: string,
  readSecret: ReadSecret,
  report: Report,
): SourceConfig {
  switch (input.type) {
    case 'csv':
      return {
        type: 'csv',
        ...resolveFiles(path, input, resolveDrop(path, input, folder, readSecret, report), report),
      };
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
      };
    }
    case 'scim-push':
      checkKey([...path, 'key'], input.key, SCIM_COLUMNS, true, report);
      return {
        type: 'scim-push',
        tokens: input.tokens.map((token, index) => readSecret([...path, 'tokens', index], token)),
        baseUrl: input.base_url === undefined ? null : trimSlash(input.base_url),
        columns: SCIM_COLUMNS,
        key: input.key,
        prefer: input.prefer ?? null,
      };
    case 'crm': {
      const drop = resolveDrop(path, input, folder, readSecret, report);
      const streams: Record<string, CrmStreamConfig> = {};
      for (const [name, stream] of Object.entries(input.streams)) {
        const at = [...path, 'streams', name];
        if (!/^[A-Za-z_]\w*$/.test(name)) {
          report.add(at, `\`${name}\` cannot be the name of a stream`, 'Use letters, digits and _.', 'key');
        }
        streams[name] = { ...resolveFiles(at, stream, drop, report), rows: stream.rows };
      }
      return { type: 'crm', streams };
    }
  }
}

function checkFilter(path: YamlPath, filter: string, report: Report): string {
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
  report: Report,
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
}

function resolveFiles(
  path: YamlPath,
  input: FilesInput,
  drop: DropPlace,
  report: Report,
): Omit<CrmStreamConfig, 'rows'> {
  const columns = resolveColumns([...path, 'columns'], input.columns, report);
  checkKey([...path, 'key'], input.key, columns, false, report);
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
  };
}

function resolveColumns(path: YamlPath, inputs: Readonly<Record<string, ColumnInput>>, report: Report): Columns {
  const columns: Record<string, Column> = {};
  for (const [name, input] of Object.entries(inputs)) {
    // The cells of a record are a plain object, on which such a name would find what every object has.
    if (name in Object.prototype || name === 'prototype') {
      report.add([...path, name], `\`${name}\` cannot be the name of a column`, 'Rename the column.', 'key');
      continue;
    }
    columns[name] = resolveColumn([...path, name], input, report);
  }
  return columns;
}

function resolveColumn(path: YamlPath, input: ColumnInput, report: Report): Column {
  const plain = { optional: false, format: null, trueWords: null, separator: ';' };
  if (typeof input === 'string') return { type: input, ...plain };
  const { type, format } = input;
  const misplaced = (key: string, where: string): void => {
    report.add(
      [...path, key],
      `\`${key}\` means nothing for a column of type ${type}`,
      `Remove it; it is for ${where}.`,
      'key',
    );
  };
  if (format !== undefined) {
    if (type !== 'date' && type !== 'datetime') misplaced('format', 'date and datetime');
    else checkFormat([...path, 'format'], format, report);
  }
  if (input.true !== undefined && type !== 'bool') misplaced('true', 'bool');
  if (input.separator !== undefined && type !== 'list') misplaced('separator', 'list');
  return {
    type,
    optional: input.optional,
    format: format ?? null,
    trueWords: input.true === undefined ? null : input.true.map(String),
    separator: input.separator ?? plain.separator,
  };
}

function checkFormat(path: YamlPath, format: string, report: Report): void {
  try {
    compileFormat(format);
  } catch (error) {
    const message = error instanceof Error ? error.message : `\`${format}\` is not a date format`;
    report.add(path, message, 'Write it as in `dd.MM.yyyy` or `yyyy-MM-dd HH:mm`.');
  }
}

/** A record without a key could be anybody, so the key must be in every row; SCIM's optional attributes are checked row by row. */
function checkKey(path: YamlPath, key: string, columns: Columns, optional: boolean, report: Report): void {
  const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
  if (column === undefined) {
    const names = Object.keys(columns);
    const near = nearestName(key, names);
    const remedy = near === null ? `Columns: ${names.join(', ')}.` : `Did you mean \`${near}\`?`;
    report.add(path, `the key \`${key}\` is not a declared column`, remedy);
  } else if (column.type !== 'string' && column.type !== 'int') {
    report.add(path, `the key \`${key}\` is of type ${column.type}`, 'Declare it as `string`.');
  } else if (column.optional && !optional) {
    report.add(
      path,
      `the key \`${key}\` is optional`,
      'Every record needs its key: remove `optional` from the column.',
    );
  }
}

function checkPreferences(sources: Sources, timezone: string, report: Report): void {
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

export function trimSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
