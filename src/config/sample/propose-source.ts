import { readdirSync } from 'node:fs';
import { basename, dirname, extname, relative, sep } from 'node:path';
import { CHANGING_PART, lastingName, matchesPattern } from '../../connectors/drop/file-names.js';
import type { Column } from '../../model/column.js';
import { writeColumnRead } from '../../model/column-read.js';
import type { ColumnGuess } from './guess-column.js';
import type { Sample } from './read-sample.js';
import { DELETE_MARK, withNote, writeColumn, writePointer, writeText } from './yaml-text.js';

/** The columns to declare: an object is left out if its values have columns of their own. */
export function listDeclared({ columns }: Sample): readonly ColumnGuess[] {
  const pointers = columns.map(({ column }) => column?.from ?? '');
  const isUnfolded = (at: string): boolean => pointers.some((from) => from.startsWith(`${at}/`));
  return columns.filter(
    ({ name, column }) => column?.type !== 'map' || !isUnfolded(column.from ?? writePointer([name])),
  );
}

/**
 * `key:` and `columns:` of a sample, as lines of YAML. A comment lists the columns that nothing reads: their cells cannot hold a row.
 *
 * @param mapping the lines of YAML that read the rows; empty if the rows are not mapped yet, then every column is declared
 */
export function renderColumns(sample: Sample, mapping: readonly string[]): readonly string[] {
  const isRead = (name: string): boolean =>
    mapping.length === 0 || name === sample.key || mapping.some((line) => readsColumn(line, name));
  // Rows with the same project and person are one link, whatever their key is.
  const note = mapping.some((line) => line.startsWith('staffing:')) ? null : sample.keyNote;
  return [
    withNote(`key: ${writeText(sample.key)}`, note === null ? null : `GUESS: ${note}`),
    `columns: # ${mapping.length === 0 ? 'remove those that no expression uses' : 'those that expressions use'}: a row is held if a cell does not fit its type`,
    ...listDeclared(sample).flatMap(({ name, column, note }) =>
      column === null || !isRead(name)
        ? []
        : [withNote(`  ${writeText(name)}: ${writeColumn(column)}`, note ?? adviseObject(name, column))],
    ),
    ...nameUnused(listDeclared(sample).filter(({ name }) => !isRead(name))),
    ...sample.leftOut.map(({ name, because }) => `  # ${JSON.stringify(name)} is left out: ${because}`),
  ];
}

const LONGEST_LINE = 110;

/** The names of the columns, in as few lines as possible. */
function nameUnused(columns: readonly ColumnGuess[]): readonly string[] {
  const lines: string[] = [];
  let line = '  # not used:';
  for (const [at, { name }] of columns.entries()) {
    const word = ` ${writeText(name)}${at < columns.length - 1 ? ',' : ''}`;
    if (line.length + word.length > LONGEST_LINE) {
      lines.push(line);
      line = '  #';
    }
    line += word;
  }
  return columns.length === 0 ? [] : [...lines, line];
}

/** True if a line reads the column. Single quotes are doubled in quoted YAML. */
function readsColumn(line: string, name: string): boolean {
  if (line.trimStart().startsWith('#')) return false;
  const reads = [false, true].map((isOptional) => writeColumnRead('record', name, isOptional));
  return reads.some((read) => line.includes(read) || line.includes(read.replaceAll("'", "''")));
}

/** Says how to read a value in an object by a column of its own. */
function adviseObject(name: string, { type, from = writePointer([name]) }: Column): string | null {
  if (type !== 'map') return null;
  return `an object whose names look like ids; name: { type: string, from: ${JSON.stringify(`${from}/name`)} } would read a name in it`;
}

/** The settings that find and read the file, without its columns. */
export function renderFile(sample: Sample): readonly string[] {
  return [`pattern: ${JSON.stringify(proposePattern(sample.at))}`, ...renderFormat(sample)];
}

export function renderFormat({ facts: { encoding, separator, pointer, footer } }: Sample): readonly string[] {
  return [
    ...(pointer === '' ? [] : [`rows: ${JSON.stringify(pointer)}`]),
    ...(separator === null ? [] : [`separator: ${JSON.stringify(separator)}`]),
    ...(footer === 0 ? [] : ['footer: auto # lines below the rows, such as totals, are not rows']),
    ...(encoding === null ? [] : [withNote(`encoding: ${encoding}`, `GUESS: the file is not UTF-8${DELETE_MARK}`)]),
  ];
}

/** The drop folder: the sample's folder, relative to the configuration. */
export function renderDrop(sample: Sample, folder: string): string {
  const path = relative(folder, dirname(sample.at)).split(sep).join('/');
  return `drop: ${JSON.stringify(path.startsWith('.') || path.startsWith('/') ? path : `./${path}`)}`;
}

/**
 * Proposes `employees-*.csv` for `employees-2026-06-15.csv`, and `team*.csv` for `team.csv`, so that `team (1).csv` matches too. The
 * `*` is not added if the folder has other files that would match.
 */
function proposePattern(at: string): string {
  const name = basename(at);
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length).replace(/\s*\(\d+\)$/, '');
  const parts = stem.replaceAll(CHANGING_PART, (part) =>
    /\d/.test(part) ? `*${/[-_ ]$/.test(part) ? part.slice(-1) : ''}` : part,
  );
  const open = `${parts.replace(/[*\s]*$/, '')}*${end}`;
  return listNames(dirname(at)).some((other) => isAnother(other, name, open)) ? `${parts}${end}` : open;
}

/** True for a file that matches the pattern although its name has other words. */
function isAnother(other: string, name: string, pattern: string): boolean {
  return matchesPattern(other, pattern) && lastingName(other) !== lastingName(name);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `customers` for `customers-2026-06-15.json`: a name that expressions can use. */
export function proposeName(at: string, taken: ReadonlySet<string>): string {
  const stem = basename(at)
    .replace(/\..*$/, '')
    .replaceAll(/[^A-Za-z]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase();
  const name = stem === '' ? 'rows' : stem;
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}
