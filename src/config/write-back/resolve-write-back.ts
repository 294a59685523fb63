import type { YamlPath } from '../../base/settings/resolving.js';
import type { Sources } from '../../connectors/kinds.js';
import type { ExpressionUse } from '../../mapping/check.js';
import { checkExpressions } from '../../mapping/check.js';
import { createObjectScope } from '../../mapping/service-object.js';
import { findStream, type StreamShape } from '../../mapping/streams.js';
import type { Entity } from '../../model/entity.js';
import type { FieldShape } from '../../model/fields.js';
import { isJsonObject } from '../../model/json.js';
import type { LookupMaps } from '../../model/lookup-maps.js';
import { adviseName } from '../../model/nearest.js';
import { listStreams } from '../../model/stream.js';
import type { WriteBackColumn } from '../../model/write-back.js';
import type { FieldSource } from '../config.js';
import type { PendingWriteBack, ResolvedFields } from '../entities/resolve-fields.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import { explainClosed, findWriteBack, whyNotWritable } from './find-write-back.js';

export interface WriteBackScope {
  readonly entity: Entity;
  /** Path of the entity in the configuration. */
  readonly path: YamlPath;
  readonly sources: Sources;
  /** Streams that provide or enrich the records. Those that decide existence come first. */
  readonly streams: readonly string[];
  readonly timezone: string;
  readonly maps: LookupMaps;
  readonly report: ConfigProblems;
}

/** Shapes with a single value per leaf. For other shapes, an expression must produce the value to write. */
const PLAIN: ReadonlySet<FieldShape> = new Set([
  'text',
  'integer',
  'flag',
  'multilingual',
  'names',
  'reference',
  'references',
  'industry',
  'tags',
  'tag_sets',
  'custom_fields',
]);

/**
 * Resolves the values that an entity writes back: `write_back` of its fields, then columns with their own expressions. Each
 * names a stream that may be written to and a writable column. It also needs an expression, unless the value is plain.
 */
export function resolveWriteBack(
  fields: ResolvedFields,
  own: Readonly<Record<string, Readonly<Record<string, string>>>>,
  context: WriteBackScope,
): readonly WriteBackColumn[] {
  const { path, report, entity } = context;
  const uses: ExpressionUse[] = [];
  const columns: WriteBackColumn[] = [];
  const add = (at: YamlPath, column: WriteBackColumn | null, valuePath: YamlPath): void => {
    if (column === null) return;
    if (columns.some((one) => one.source === column.source && one.column === column.column)) {
      const message = `\`${column.column}\` of ${column.source} is written back twice`;
      report.add(at, message, 'Give each column one field or expression.');
      return;
    }
    columns.push(column);
    if (column.value !== null) uses.push({ path: valuePath, text: column.value, want: 'cell' });
  };
  for (const back of fields.writeBacks)
    add(back.path, resolveField(back, fields.fields, context), [...back.path, 'value']);
  for (const [source, texts] of Object.entries(own)) {
    const at = [...path, 'write_back', source];
    const stream = openStream({ path: at, at: 'key' }, source, context);
    if (stream === null) continue;
    for (const [column, value] of Object.entries(texts)) {
      const place = [...at, column];
      if (!isWritable({ path: place, at: 'key' }, stream, column, context)) continue;
      const isRead = column in stream.columns;
      add(place, { source, column, leaf: null, value, whenEmpty: 'keep', isRead }, place);
    }
  }
  for (const problem of checkExpressions(createObjectScope(entity, context), uses)) report.addInText(problem);
  // Sorted by name, because maps have no order and Helm sorts their keys.
  return columns.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf({ source, column }: WriteBackColumn): string {
  return `${source} ${column}`;
}

function resolveField(
  back: PendingWriteBack,
  fields: Readonly<Record<string, FieldSource>>,
  context: WriteBackScope,
): WriteBackColumn | null {
  const { leaf, path, input } = back;
  if (input === false) return null;
  if (input === true) return turnRound(path, leaf, textAt(fields, leaf), context);
  const written = isJsonObject(input) ? readColumn(back, input, context.report) : null;
  if (written === null) {
    if (!isJsonObject(input)) context.report.add(path, 'expected true, or a column and what to write', EXAMPLE);
    return null;
  }
  const source = written.source ?? ownerOf(written.column, context);
  if (source !== null) return finish(path, { ...written, source, leaf }, context);
  const { streams, sources, report } = context;
  const names = streams.flatMap((name) => Object.keys(findStream(sources, name)?.columns ?? {}));
  const declare = 'Declare it under `columns` of its source, so that a read shows if the value has arrived.';
  const remedy = adviseName(written.column, names, declare);
  report.add([...path, 'column'], `there is no column \`${written.column}\``, remedy);
  return null;
}

/** Resolves `write_back: true`. The target is the column that the expression reads, if it does nothing else. */
function turnRound(
  path: YamlPath,
  leaf: string,
  expression: string | null,
  context: WriteBackScope,
): WriteBackColumn | null {
  const plain = /^(\w+)\.\??(\w+)$/.exec(expression?.trim() ?? '');
  if (plain === null) {
    const message = `\`${expression ?? leaf}\` is not a plain column, so it cannot be written back by itself`;
    context.report.add(path, message, 'Say what to write: `write_back: { column: …, value: … }`.');
    return null;
  }
  const [, variable = '', column = ''] = plain;
  const source = variable === 'record' ? ownerOf(column, context) : variable;
  return source === null ? null : finish(path, { source, column, leaf, value: null, whenEmpty: 'keep' }, context);
}

const EXAMPLE = 'Write `write_back: true`, or `write_back: { column: …, value: … }`.';
const KEYS = ['column', 'value', 'source', 'when_empty'];

type WrittenColumn = Pick<WriteBackColumn, 'column' | 'value' | 'whenEmpty'> & { readonly source: string | null };

/** Reads `write_back: { column, value, source, when_empty }`; null if it is invalid. */
function readColumn(
  { leaf, field, path }: PendingWriteBack,
  input: Readonly<Record<string, unknown>>,
  report: ConfigProblems,
): WrittenColumn | null {
  for (const key of Object.keys(input)) {
    if (KEYS.includes(key)) continue;
    const remedy = adviseName(key, KEYS, `Accepted here: ${KEYS.join(', ')}.`);
    report.add([...path, key], `\`${key}\` is not known`, remedy, 'key');
  }
  const { column, value = null, when_empty: whenEmpty = 'keep' } = input;
  if (typeof column !== 'string' || (value !== null && typeof value !== 'string')) {
    report.add([...path, 'column'], 'expected the name of a column, and an expression as `value`', EXAMPLE);
    return null;
  }
  if (whenEmpty !== 'keep' && whenEmpty !== 'clear') {
    report.add([...path, 'when_empty'], 'this is not accepted', 'Accepted: keep, clear.');
    return null;
  }
  if (value === null && !PLAIN.has(field.shape)) {
    report.add(path, `\`${leaf}\` is not a single value`, 'Say what to write with `value: …`.');
    return null;
  }
  return { column, value, whenEmpty, source: typeof input.source === 'string' ? input.source : null };
}

/**
 * Completes a column. A field is written back only to a column that is read, because its value in the source would otherwise be
 * unknown.
 */
function finish(
  path: YamlPath,
  column: Omit<WriteBackColumn, 'isRead'>,
  context: WriteBackScope,
): WriteBackColumn | null {
  const stream = openStream({ path, at: 'value' }, column.source, context);
  if (stream === null) return null;
  if (!(column.column in stream.columns)) {
    const declare = 'Declare it under `columns` of the source.';
    const remedy = adviseName(column.column, Object.keys(stream.columns), declare);
    context.report.add(path, `${column.source} has no column \`${column.column}\``, remedy);
    return null;
  }
  return isWritable({ path, at: 'value' }, stream, column.column, context) ? { ...column, isRead: true } : null;
}

/** Where to report a problem: at a key or at a value. */
interface Spot {
  readonly path: YamlPath;
  readonly at: 'key' | 'value';
}

function openStream({ path, at }: Spot, name: string, context: WriteBackScope): StreamShape | null {
  const { sources, streams, report } = context;
  const stream = findStream(sources, name);
  if (stream === null || !streams.includes(name)) {
    const known = listStreams(sources).flatMap((one) => (streams.includes(one.name) ? [one.name] : []));
    const remedy = adviseName(name, known, `Sources of its records: ${known.join(', ')}.`);
    report.add(path, `no record comes from \`${name}\``, remedy, at);
    return null;
  }
  if (findWriteBack(sources, name) !== null) return stream;
  const [message, remedy] = explainClosed(sources, name);
  report.add(path, message, remedy, at);
  return null;
}

function isWritable(
  { path, at }: Spot,
  stream: StreamShape,
  column: string,
  { sources, report }: WriteBackScope,
): boolean {
  const why = column === stream.key ? 'it identifies the records' : whyNotWritable(sources, stream.name, column);
  if (why === null) return true;
  report.add(path, `\`${column}\` of ${stream.name} cannot be written: ${why}`, 'Name another column.', at);
  return false;
}

/** Returns the first stream that contains the column, in the order in which `record` searches them. */
function ownerOf(column: string, { streams, sources }: WriteBackScope): string | null {
  return streams.find((name) => column in (findStream(sources, name)?.columns ?? {})) ?? null;
}

/** Returns the expression of a leaf; null if the leaf is a tree. */
function textAt(fields: Readonly<Record<string, FieldSource>>, leaf: string): string | null {
  const [field = '', ...rest] = leaf.split('.');
  const source = fields[field];
  if (rest.length === 0) return typeof source === 'string' ? source : null;
  const branch = isJsonObject(source) ? source[rest.join('.')] : undefined;
  return typeof branch === 'string' ? branch : null;
}
