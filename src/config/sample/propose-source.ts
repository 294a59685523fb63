import { readdirSync } from 'node:fs';
import { basename, dirname, extname, relative, sep } from 'node:path';
import { CHANGING_PART, lastingName, matchesPattern } from '../../connectors/drop/file-names.js';
import type { Column } from '../../model/column.js';
import { writeColumnRead } from '../../model/column-read.js';
import type { ColumnGuess } from './guess-column.js';
import type { Sample } from './read-sample.js';
import { withNote, writeColumn, writePointer, writeText } from './yaml-text.js';

/** Without an object, where what is in it has columns of its own. */
export function listDeclared({ columns }: Sample): readonly ColumnGuess[] {
  const pointers = columns.map(({ column }) => column?.from ?? '');
  const isUnfolded = (at: string): boolean => pointers.some((from) => from.startsWith(`${at}/`));
  return columns.filter(
    ({ name, column }) => column?.type !== 'map' || !isUnfolded(column.from ?? writePointer([name])),
  );
}

/**
 * `key:` and `columns:` of a sample, as lines of YAML. Columns that nothing reads are named in a comment: their cells hold no row.
 *
 * @param mapping what is made of the rows, as lines of YAML; empty of rows that are still to be mapped, whose columns are all there
 */
export function renderColumns(sample: Sample, mapping: readonly string[]): readonly string[] {
  const isRead = (name: string): boolean =>
    mapping.length === 0 || name === sample.key || mapping.some((line) => readsColumn(line, name));
  // Rows of the same two are one link, whatever the key.
  const note = mapping.some((line) => line.startsWith('staffing:')) ? null : sample.keyNote;
  return [
    withNote(`key: ${writeText(sample.key)}`, note === null ? null : `GUESS: ${note}`),
    `columns: # ${mapping.length === 0 ? 'take out what no expression uses' : 'what expressions use'}: a cell that does not fit its type holds the whole row`,
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

/** Names of columns, in as few lines as they take. */
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

/** Within the quotes of YAML one of them is two. */
function readsColumn(line: string, name: string): boolean {
  if (line.trimStart().startsWith('#')) return false;
  const reads = [false, true].map((isOptional) => writeColumnRead('record', name, isOptional));
  return reads.some((read) => line.includes(read) || line.includes(read.replaceAll("'", "''")));
}

/** What is in an object is read by a column of its own. */
function adviseObject(name: string, { type, from = writePointer([name]) }: Column): string | null {
  if (type !== 'map') return null;
  return `an object, whose names are taken for ids: name: { type: string, from: ${JSON.stringify(`${from}/name`)} } would read the name in it`;
}

/** How the file is found and read, beside its columns. */
export function renderFile(sample: Sample): readonly string[] {
  return [`pattern: ${JSON.stringify(proposePattern(sample.at))}`, ...renderFormat(sample)];
}

export function renderFormat({ facts: { encoding, separator, pointer, footer } }: Sample): readonly string[] {
  return [
    ...(pointer === '' ? [] : [`rows: ${JSON.stringify(pointer)}`]),
    ...(separator === null ? [] : [`separator: ${JSON.stringify(separator)}`]),
    ...(footer === 0 ? [] : ['footer: auto # lines below the rows, such as totals, are no rows']),
    ...(encoding === null ? [] : [withNote(`encoding: ${encoding}`, 'GUESS: it is not UTF-8')]),
  ];
}

/** The drop folder: that of the sample, seen from the configuration. */
export function renderDrop(sample: Sample, folder: string): string {
  const path = relative(folder, dirname(sample.at)).split(sep).join('/');
  return `drop: ${JSON.stringify(path.startsWith('.') || path.startsWith('/') ? path : `./${path}`)}`;
}

/**
 * `employees-2026-06-15.csv` is one delivery of `employees-*.csv`, and `team.csv` the first of `team (1).csv`, unless the folder has
 * files that would be taken for it.
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

/** A file that a wide pattern takes, and that is called something else. */
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

/** `customers` of `customers-2026-06-15.json`, as expressions can name it. */
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
