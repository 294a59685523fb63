import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { CHANGING_PART, lastingName, matchesPattern } from '../../connectors/drop/file-names.js';
import type { Column } from '../../model/column.js';
import { writeColumnRead } from '../../model/column-read.js';
import type { ColumnGuess } from './guess-column.js';
import type { Sample } from './read-sample.js';
import { DELETE_MARK, withNote, writeColumn, writePointer, writeText } from './yaml-text.js';

/** Lists the columns to declare. An object is left out if its values are columns themselves. */
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
  // A commented-out line reads no column yet. Its columns are declared as text, which fits any cell, so that the line works
  // once its mark is removed.
  const isRead = ({ name, column }: ColumnGuess): boolean =>
    mapping.length === 0 ||
    name === sample.key ||
    mapping.some((line) => readsColumn(line, name) && (column?.type === 'string' || !isComment(line)));
  // Rows with the same project and person are one link, regardless of their keys.
  const note = mapping.some((line) => line.startsWith('staffing:')) ? null : sample.keyNote;
  return [
    withNote(`key: ${writeText(sample.key)}`, note === null ? null : `GUESS: ${note}`),
    `columns: # ${mapping.length === 0 ? 'remove those that no expression uses' : 'those that expressions use'}: a row is held if a cell does not fit its type`,
    ...listDeclared(sample).flatMap((guess) => {
      const { name, column, note } = guess;
      if (column === null || !isRead(guess)) return [];
      return [withNote(`  ${writeText(name)}: ${writeColumn(column)}`, note ?? adviseObject(name, column))];
    }),
    ...nameUnused(listDeclared(sample).filter((guess) => !isRead(guess))),
    ...sample.leftOut.map(({ name, because }) => `  # ${JSON.stringify(name)} is left out: ${because}`),
  ];
}

const LONGEST_LINE = 110;

/** Lists the names of the columns on as few lines as possible. */
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

/** True if a line reads the column. Quoted YAML doubles single quotes. */
function readsColumn(line: string, name: string): boolean {
  const reads = [false, true].map((isOptional) => writeColumnRead('record', name, isOptional));
  return reads.some((read) => line.includes(read) || line.includes(read.replaceAll("'", "''")));
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith('#');
}

/** Explains how a separate column can read a value in an object. */
function adviseObject(name: string, { type, from = writePointer([name]) }: Column): string | null {
  if (type !== 'map') return null;
  return `an object whose names look like ids; name: { type: string, from: ${JSON.stringify(`${from}/name`)} } would read a name in it`;
}

/** Returns the settings that find and read the file, without its columns. */
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

/** Returns the drop folder: the folder of the sample, relative to the configuration. */
export function renderDrop(sample: Sample, folder: string): string {
  const path = relative(folder, dirname(sample.at)).split(sep).join('/');
  return `drop: ${JSON.stringify(path.startsWith('.') || path.startsWith('/') ? path : `./${path}`)}`;
}

/**
 * Proposes `employees-*.csv` for `employees-2026-06-15.csv`, and `team*.csv` for `team.csv`, so that `team (1).csv` also
 * matches. The pattern is narrower if other files in the folder would match.
 *
 * Files are deliveries of one export if their first lines are equal and their names differ only in numbers or codes. Their
 * pattern is the common part of their names. A name with another word, as in `employees_terminated.csv`, belongs to another
 * export.
 */
function proposePattern(at: string): string {
  const name = basename(at);
  const others = listNames(dirname(at)).filter((other) => other !== name);
  const alike = others.filter((other) => areNumbered(name, other) && isAlike(at, join(dirname(at), other)));
  const fits = (pattern: string): boolean =>
    !others.some((other) => !alike.includes(other) && isAnother(other, name, pattern));
  const patterns = patternsOf(name);
  const pattern = patterns.find(fits) ?? patterns[1];
  if (alike.every((other) => matchesPattern(other, pattern))) return pattern;
  const shared = shareNames([name, ...alike]);
  return shared !== null && fits(shared) ? shared : pattern;
}

/** Lists patterns from the widest to the narrowest: `staff*.csv`, `staff_*.csv` and `staff_????-??-??.csv`. */
function patternsOf(name: string): readonly [string, string, string] {
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length).replace(/\s*\(\d+\)$/, '');
  const parts = stem.replaceAll(CHANGING_PART, (part) =>
    /\d/.test(part) ? `*${/[-_ ]$/.test(part) ? part.slice(-1) : ''}` : part,
  );
  return [`${parts.replace(/[*\s]*$/, '')}*${end}`, `${parts}${end}`, `${stem.replaceAll(/\d/g, '?')}${end}`];
}

const LEAST_SHARED = 3;

/** Returns `users_*.csv` for `users_3fa2.csv` and `users_91bc.csv`; null if the names begin differently. */
function shareNames(names: readonly string[]): string | null {
  const [first = '', ...others] = names;
  const length = Math.min(...others.map((other) => countShared(first, other)));
  const word = /^.*[-_ .]/.exec(first.slice(0, length))?.[0] ?? '';
  return word.length < LEAST_SHARED ? null : `${word}*${extname(first)}`;
}

function countShared(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** True if the names differ only in numbers or codes. */
function areNumbered(one: string, other: string): boolean {
  const shared = /^.*[-_ .]/.exec(one.slice(0, countShared(one, other)))?.[0].length ?? 0;
  return [one, other].every((name) =>
    name
      .slice(shared, name.length - extname(name).length)
      .split(/[^\p{L}\d]+/u)
      .every((part) => part.length < 2 || /\d/.test(part)),
  );
}

const MOST_OF_A_LINE = 8_192;

/** True if both are text files of one type with the same first line, which must have more than one cell. */
function isAlike(at: string, other: string): boolean {
  if (extname(at) !== extname(other) || !/^\.(?:csv|tsv|txt)$/i.test(extname(at))) return false;
  const [one, another] = [readFirstLine(at), readFirstLine(other)];
  return one !== null && one === another && /[,;\t|]/.test(one);
}

function readFirstLine(at: string): string | null {
  try {
    const file = openSync(at, 'r');
    try {
      const buffer = Buffer.alloc(MOST_OF_A_LINE);
      const text = buffer.toString('latin1', 0, readSync(file, buffer));
      return /^[^\r\n]*/.exec(text)?.[0] ?? null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** True if a file matches the pattern although its name contains other words. */
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

/** Proposes a name that expressions can use: `customers` for `customers-2026-06-15.json`. */
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
