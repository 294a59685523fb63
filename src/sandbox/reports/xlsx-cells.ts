import type { ReportCell, TitledColumn } from './report-table.js';
import { STYLES } from './xlsx-parts.js';

/** Maximum number of characters in a cell. A file with a longer cell counts as damaged. */
const MOST_CHARACTERS = 32_767;
/** 1970-01-01 in days since 1899-12-30. XLSX has no timezones, so times are in UTC. */
const EPOCH_DAY = 25_569;
const DAY_MS = 86_400_000;

export function writeTitleRow(columns: readonly TitledColumn[]): string {
  const cells = columns.map(({ title }, index) => writeText(title, `${nameColumn(index)}1`, STYLES.title));
  return `<row r="1">${cells.join('')}</row>`;
}

/** @param number of the row, from 1 */
export function writeRow(row: readonly ReportCell[], number: number, columns: readonly TitledColumn[]): string {
  let cells = '';
  for (const [index, cell] of row.entries()) {
    if (cell !== null && cell !== '') cells += writeCell(cell, `${nameColumn(index)}${number}`, columns[index]);
  }
  return `<row r="${number}">${cells}</row>`;
}

function writeCell(cell: string | number | Date, place: string, column: TitledColumn | undefined): string {
  if (cell instanceof Date)
    return `<c r="${place}" s="${STYLES.time}"><v>${cell.getTime() / DAY_MS + EPOCH_DAY}</v></c>`;
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  // A double cannot represent a number with more digits exactly.
  if (column?.holdsNumbers && /^-?\d{1,15}(\.\d{1,9})?$/.test(cell))
    return `<c r="${place}"><v>${Number(cell)}</v></c>`;
  return writeText(cell, place, STYLES.plain);
}

function writeText(text: string, place: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(cutText(text))}</t></is></c>`;
}

function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text[MOST_CHARACTERS - 1] ?? '');
  return text.slice(0, isSplit ? MOST_CHARACTERS - 1 : MOST_CHARACTERS);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Removes most control characters and unpaired surrogates, which XML does not allow. `_x0041_` would be read as an escaped A,
 * so its first character is escaped.
 */
function escapeText(text: string): string {
  if (!/[^\x20-\x25\x27-\x3b\x3d\x3f-\x5e\x60-\ud7ff]/.test(text)) return text;
  return (
    text
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '')
      .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      .replaceAll('\r', '_x000D_')
      .replace(/[&<>]/g, (found) => ESCAPES[found] ?? '')
  );
}

const NAMES: string[] = [];

/** Returns the letters of a column: 0 → A, 26 → AA. */
function nameColumn(index: number): string {
  const known = NAMES[index];
  if (known !== undefined) return known;
  const last = String.fromCharCode(65 + (index % 26));
  const name = index < 26 ? last : `${nameColumn(Math.floor(index / 26) - 1)}${last}`;
  NAMES[index] = name;
  return name;
}
