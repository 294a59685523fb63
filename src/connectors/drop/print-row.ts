import { SyncError } from '../../base/errors.js';
import type { Columns } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import type { SourceWrite } from '../../model/write-back.js';
import { compileCellPrinter } from '../cells/print-cell.js';
import { iconv } from '../formats/iconv.js';

/** Prints the cells of one row. If the record cannot be written, returns the reason as a string without any values. */
export type PrintRow = (write: SourceWrite) => readonly string[] | string;

interface DropRowShape {
  readonly key: string;
  readonly columns: Columns;
  readonly header: readonly string[];
  readonly writeBack: { readonly encoding: string };
}

/** @throws SyncError SYNC_SOURCE_ENCODING if the encoding lacks a character of the header */
export function createRowPrinter(
  { key, columns: declared, header: names, writeBack: { encoding } }: DropRowShape,
  timezone: string,
): PrintRow {
  const odd = names.find((name) => findUnencodable(name, encoding) !== null);
  if (odd !== undefined) {
    throw new SyncError('SYNC_SOURCE_ENCODING', {
      message: `The name of the column "${odd}" has characters that do not exist in ${encoding}.`,
      remedy: 'Set `encoding: utf-8` in `write_back`, or rename the column.',
    });
  }
  const columns = names.map((name) => ({
    name,
    ...compileCellPrinter((Object.hasOwn(declared, name) ? declared[name] : undefined) ?? null, timezone),
  }));
  const known = new Set(names);

  function printRow(write: SourceWrite): readonly string[] | string {
    const lost = Object.keys(write.cells).find((name) => !known.has(name));
    if (lost !== undefined) return `the files have no column "${lost}"; see \`write_back.columns\``;
    if (write.record.trim() === '') return 'it has no key';
    const cells: string[] = [];
    for (const { name, expected, print: printCell } of columns) {
      const text = name === key ? write.record : printCell(findValue(write, name));
      if (text === null) return `column "${name}" takes ${expected}, and only values that are read back unchanged`;
      cells.push(text);
    }
    return findUnencodable(cells.join(''), encoding) === null ? cells : describeUnencodable(cells);
  }

  function describeUnencodable(cells: readonly string[]): string {
    for (const [index, text] of cells.entries()) {
      const character = findUnencodable(text, encoding);
      if (character === null) continue;
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return `column "${names[index]}" has a character that does not exist in ${encoding} (U+${code})`;
    }
    return `it has characters that do not exist in ${encoding}`;
  }

  return printRow;
}

function findValue({ cells, row }: SourceWrite, name: string): Json {
  if (Object.hasOwn(cells, name)) return cells[name] ?? null;
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

/** Finds the first character that the encoding lacks; null if the encoding has all characters. */
function findUnencodable(text: string, encoding: string): string | null {
  if (canEncode(text, encoding)) return null;
  for (const character of text) if (!canEncode(character, encoding)) return character;
  return text.slice(0, 1);
}

/**
 * True if a text survives the encoding. iconv-lite replaces characters that it cannot encode with `?`, and no encoding
 * contains half of a surrogate pair.
 */
function canEncode(text: string, encoding: string): boolean {
  if (!text.isWellFormed()) return false;
  return iconv().decode(iconv().encode(text, encoding, { addBOM: false }), encoding, { stripBOM: false }) === text;
}
