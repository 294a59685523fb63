import { SyncError } from '../../base/errors.js';
import type { Columns } from '../../model/column.js';
import { describeDifference, looksTheSame } from '../../model/difference.js';
import { nearestName } from '../../model/nearest.js';
import { quoteName, quoteNames } from '../rows/quote-names.js';
import { CsvRows } from './csv-rows.js';

export interface CsvDialect {
  readonly separator: string;
  /** The number of bytes before the header, such as Excel's `sep=;` line or titles of a report. */
  readonly skippedBytes: number;
  readonly skippedLines: number;
}

/** Returns the index of the header among the first rows. */
export type ChooseHeader = (rows: readonly (readonly string[])[]) => number;

/** The number of first rows that may contain the header. In a report, the title, the date and blank lines come before it. */
const FIRST_ROWS = 10;

/** The maximum number of columns, which is the limit of spreadsheets. */
export const MOST_COLUMNS = 16_384;
const SEPARATORS = [',', ';', '\t', '|'];

/**
 * Finds the field separator: the configured separator, or the separator in Excel's `sep=` line. Without either, the
 * separator is the one of `,` `;` tab `|` that occurs most often outside quotes in the header line. Only the header
 * counts, because column names contain neither decimal commas nor sentences.
 */
export function findDialect(head: Buffer, configured: string | null, choose: ChooseHeader): CsvDialect {
  const text = head.toString('utf8');
  const hint = /^"?sep=([^"\r\n])"?[ \t]*(?:\r\n|\n|\r)/i.exec(text);
  if (hint !== null) {
    return {
      separator: configured ?? hint[1] ?? ',',
      skippedBytes: Buffer.byteLength(hint[0]),
      skippedLines: 1,
    };
  }
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < FIRST_ROWS; at += lines.at(-1)?.length ?? 0)
    lines.push(text.slice(at, at + findRowEnd(text.slice(at))));
  const rows = lines.map((line) => readLine(line, configured ?? countSeparators(line)));
  const above = lines.slice(0, choose(rows)).join('');
  return {
    separator: configured ?? countSeparators(text.slice(above.length)),
    skippedBytes: Buffer.byteLength(above),
    skippedLines: above.split(LINE_END).length - 1,
  };
}

const LINE_END = /\r\n|\n|\r/;

/** Returns the index at which the second row begins. A line end within quotes does not end a row. */
function findRowEnd(text: string): number {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === '\n' || sign === '\r')) return at + (text.startsWith('\r\n', at) ? 2 : 1);
  }
  return text.length;
}

function readLine(line: string, separator: string): readonly string[] {
  let cells: readonly string[] = [];
  const rows = new CsvRows(separator, 1, {
    take: ({ fields }) => {
      cells = fields;
    },
  });
  rows.write(Buffer.from(line));
  rows.end();
  return cells.map((cell) => cell.trim());
}

/** Chooses the row with the most declared columns as the header; among equal rows, the first one. */
export function chooseDeclared(columns: Columns, aliases: Readonly<Record<string, readonly string[]>>): ChooseHeader {
  return (rows) => {
    const counts = rows.map(
      (row) =>
        Object.keys(columns).filter((name) => [name, ...(aliases[name] ?? [])].some((one) => row.includes(one))).length,
    );
    return counts.indexOf(Math.max(0, ...counts));
  };
}

/**
 * Chooses the header if no columns are declared. It is the first row with more than half as many filled cells as the
 * fullest row, if its cells look like names. A title fills only one or two cells.
 */
export function guessHeader(rows: readonly (readonly string[])[]): number {
  const filled = rows.map((row) => row.filter((cell) => cell !== '').length);
  const most = Math.max(0, ...filled);
  const index = filled.findIndex((count) => count * 2 > most);
  const isHeader = most >= 3 && rows[index]?.every((cell) => !/^[-+\d.,/:\s]+$|@/.test(cell)) === true;
  return isHeader ? index : 0;
}

/**
 * Finds a column under one of its names. The header must contain only one of these names, because two columns could
 * contain different cells.
 */
function findAlias(name: string, others: readonly string[], indexes: Map<string, number>, at: string): void {
  const there = [name, ...others].filter((one) => indexes.has(one));
  if (there.length > 1) {
    const message = `The header has ${there.map(quoteName).join(' and ')}, which are names of one column, so it is unclear which one counts.`;
    throw refuseHeader(message, at, 'Remove one of them from the export, or from `aliases`.');
  }
  const index = indexes.get(there[0] ?? '');
  if (index !== undefined) indexes.set(name, index);
}

function countSeparators(text: string): string {
  const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const character of text.trimStart()) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '\n' || character === '\r') break;
    else {
      const count = counts.get(character);
      if (count !== undefined) counts.set(character, count + 1);
    }
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best === undefined || best[1] === 0 ? ',' : best[0];
}

/**
 * Returns column name → index in the header. Every declared column must be present, even an optional one, because
 * `optional` only allows empty cells. A missing column means that the export has changed; all its values would seem to
 * be removed.
 */
export function readHeader(
  header: readonly string[],
  columns: Columns,
  at: string,
  aliases: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, number> {
  if (header.length > MOST_COLUMNS) {
    const message = `The header has ${header.length} columns, more than any export has (${MOST_COLUMNS}).`;
    throw refuseHeader(message, at, 'Have it exported again; if it is not a CSV file, correct `pattern`.');
  }
  const indexes = new Map<string, number>();
  const names = header.map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (name === '') continue;
    const first = indexes.get(name);
    if (first !== undefined) {
      const message = `The header has ${quoteName(name)} twice, as columns ${first + 1} and ${index + 1}, so it is unclear which one counts.`;
      throw refuseHeader(message, at, 'Rename or remove one of the two in the export.');
    }
    indexes.set(name, index);
  }
  for (const [name, others] of Object.entries(aliases)) findAlias(name, others, indexes, at);
  const missing = Object.keys(columns).filter((name) => !indexes.has(name));
  if (missing.length === 0) return indexes;
  const found = [...indexes.keys()];
  refuseLooksAlike(missing, found, at);
  const renamed = missing.flatMap((name) => {
    const near = nearestName(name, found);
    return near === null ? [] : [`"${name}" to ${quoteName(near)}`];
  });
  const isOne = missing.length === 1;
  const which = `Column${isOne ? '' : 's'} ${missing.map((name) => `"${name}"`).join(', ')} ${isOne ? 'is' : 'are'} not in the header.`;
  const asked = renamed.length === 0 ? '' : ` Did the export rename ${renamed.join(', ')}?`;
  throw refuseHeader(`${which}${asked} Found: ${quoteNames(found)}.`, at, remedyFor(found));
}

/** Reports a column that differs from a declared one only in invisible or similar-looking characters. */
function refuseLooksAlike(missing: readonly string[], found: readonly string[], at: string): void {
  const alike = missing.flatMap((name) => {
    const other = found.find((one) => looksTheSame(name, one));
    return other === undefined
      ? []
      : [`${quoteName(other)} is not "${name}": it has ${describeDifference(name, other)}`];
  });
  if (alike.length === 0) return;
  const message = `The header differs from the declared columns in characters that look alike or are invisible: ${alike.join('; ')}.`;
  throw refuseHeader(message, at, 'Correct the header in the export, or copy the name from the file into `columns`.');
}

function remedyFor(found: readonly string[]): string {
  return found.length === 1
    ? 'The header was read as a single name: set `separator` to the character between the names, or have the export use the configured one.'
    : 'Have the export write the declared columns, or declare the columns under the names in the file.';
}

function refuseHeader(message: string, place: string, remedy: string): SyncError {
  return new SyncError('SYNC_SOURCE_HEADER', { message, place, remedy });
}

/**
 * True if the first row under a header repeats the column names, as in exports with keys in the first line and labels in
 * the second. At least half of its cells must equal their column's name, ignoring case, spaces and punctuation.
 */
export function repeatsHeader(header: readonly string[], fields: readonly string[]): boolean {
  const filled = fields.flatMap((field, index) => (field.trim() === '' ? [] : [[field, header[index] ?? ''] as const]));
  const same = filled.filter(([field, name]) => foldName(name) !== '' && foldName(field) === foldName(name));
  return same.length >= 2 && same.length * 2 >= filled.length;
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
