import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import type { Column, Columns } from '../../model/column.js';
import { adviseName } from '../../model/nearest.js';
import type { ColumnInput } from './column-schema.js';
import { compileFormat } from './dates.js';

export function resolveColumns(
  path: YamlPath,
  inputs: Readonly<Record<string, ColumnInput>>,
  report: ProblemSink,
): Columns {
  const columns: Record<string, Column> = {};
  for (const [name, input] of Object.entries(inputs)) {
    // The cells of a record are a plain object, so such a name would return an inherited member.
    if (name in Object.prototype || name === 'prototype') {
      report.add([...path, name], `\`${name}\` cannot be the name of a column`, 'Rename the column.', 'key');
      continue;
    }
    columns[name] = resolveColumn([...path, name], input, report);
  }
  return columns;
}

function resolveColumn(path: YamlPath, input: ColumnInput, report: ProblemSink): Column {
  const plain = { optional: false, format: null, trueWords: null, separator: ';' };
  if (typeof input === 'string') return { type: input, ...plain };
  const { type, format, from } = input;
  const misplaced = (key: string, where: string): void => {
    report.add(
      [...path, key],
      `\`${key}\` has no effect for a column of type ${type}`,
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
    ...(input.empty === undefined ? {} : { empty: input.empty.map(String) }),
    ...(from === undefined ? {} : { from }),
  };
}

function checkFormat(path: YamlPath, format: string, report: ProblemSink): void {
  try {
    compileFormat(format);
  } catch (error) {
    const message = error instanceof Error ? error.message : `\`${format}\` is not a date format`;
    report.add(path, message, adviseFormat(format));
  }
}

function adviseFormat(format: string): string {
  if (/(^|[^y])yy($|[^y])/i.test(format)) return 'Have the dates exported with four digits for the year.';
  const meant = proposeFormat(format);
  return meant === null ? 'Write it as in `dd.MM.yyyy` or `yyyy-MM-dd HH:mm`.' : `Did you mean \`${meant}\`?`;
}

/**
 * Suggests a corrected format. Formats use lower case for days and years, and upper case for months; databases write a
 * month's name as `MON`.
 */
function proposeFormat(format: string): string | null {
  const [day = '', ...time] = format.split(/(?=[ T]+[hH])/);
  const meant = `${day.replace(/MON/i, 'MMM').replaceAll('D', 'd').replaceAll('Y', 'y').replaceAll('m', 'M')}${time.join('')}`;
  try {
    compileFormat(meant);
    return meant;
  } catch {
    return null;
  }
}

interface KeyColumn {
  readonly key: string;
  readonly columns: Columns;
  readonly mayBeOptional?: boolean;
}

/**
 * Checks that the key column is not optional, because a record without a key could be anyone. SCIM allows optional keys
 * and checks them row by row.
 */
export function checkKey(
  path: YamlPath,
  { key, columns, mayBeOptional = false }: KeyColumn,
  report: ProblemSink,
): void {
  const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
  if (column === undefined) {
    const names = Object.keys(columns);
    const remedy = adviseName(key, names, `Columns: ${names.join(', ')}.`);
    report.add(path, `the key \`${key}\` is not a declared column`, remedy);
  } else if (column.type !== 'string' && column.type !== 'int') {
    report.add(path, `the key \`${key}\` is of type ${column.type}`, 'Declare it as `string`.');
  } else if (column.optional && !mayBeOptional) {
    report.add(
      path,
      `the key \`${key}\` is optional`,
      'Every record needs its key: remove `optional` from the column.',
    );
  }
}
