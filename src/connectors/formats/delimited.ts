import { hash } from 'node:crypto';
import { SyncError } from '../../errors.js';
import { formatPlace, type Place } from '../../model/place.js';
import type { RawRow } from '../../model/raw-text.js';
import type { Cell, RejectedRow, SourceRecord } from '../../model/source.js';
import { BadCell } from '../cells/cells.js';
import type { RowsReader } from '../drop/drop-connector.js';
import { refuseCut } from '../drop/faults.js';
import type { FileRules } from '../drop/resolve-file-rules.js';
import { quoteName } from '../rows/quote-names.js';
import {
  type CompiledColumn,
  type ConnectorRow,
  compileColumns,
  LONGEST_KEY,
  type RowShape,
  rejectCell,
  rejectFormat,
  rejectKeyless,
} from '../rows/records.js';
import type { RowSink } from '../rows/row-sink.js';
import { findDialect, MOST_COLUMNS, readHeader } from './csv-dialect.js';
import { type CsvRows, createCsvRows } from './csv-rows.js';

type ReadRow = (fields: readonly string[], place: Place, within: string | null) => ConnectorRow;

/**
 * Reads CSV. After a broken quote nothing can be trusted, neither the row nor any after it: one rejected row says so and reading ends.
 *
 * A row in which every cell is empty counts as a blank line only if nothing but such rows follow: spreadsheets leave those at the end.
 * In the middle it may be a person whose data got lost, so it is rejected as a row without a key.
 */
export function createDelimitedReader(
  shape: RowShape,
  separator: string | null,
  rules: Pick<FileRules, 'aliases' | 'trailer'>,
): RowsReader {
  const columns = compileColumns(shape);
  return async (file, sink) => {
    const table = createTable(shape, columns, rules, file.at, sink);
    let rows: CsvRows | undefined;
    let lastByte: number | undefined;
    try {
      for await (const chunk of file.text()) {
        let rest = chunk;
        if (rows === undefined) {
          const dialect = findDialect(chunk, separator);
          rows = createCsvRows(dialect.separator, 1 + dialect.skippedLines, (fields, line, newlines) =>
            table.takeRow(fields, line, newlines === 0 ? null : dialect.separator),
          );
          rest = chunk.subarray(dialect.skippedBytes);
        }
        await rows.write(rest);
        lastByte = chunk[chunk.length - 1];
      }
      await rows?.end();
      return table.finish(rows?.stop ?? null, lastByte === 0x0a || lastByte === 0x0d);
    } finally {
      rows?.close();
    }
  };
}

/** Of so many rows without a cell the lines are remembered; at the end of a file they are none. */
const EMPTY_LINES_TOLD = 21_000;

function createTable(
  shape: RowShape,
  columns: readonly CompiledColumn[],
  { aliases, trailer }: Pick<FileRules, 'aliases' | 'trailer'>,
  at: string,
  sink: RowSink,
) {
  let readRow: ReadRow | null = null;
  const empty = { lines: [] as number[], more: 0 };
  let isLastRagged = false;
  const before = sink.counts.rows;
  /** What the trailer row says; null until it was seen. */
  let told: string | null = null;

  function placeAt(line: number): Place {
    return { source: shape.source, at, line };
  }

  /** @param within what may separate swallowed rows within its fields; null for a row of one line */
  function takeRow(fields: readonly string[], line: number, within: string | null): void {
    if (fields.length === 1 && fields[0]?.trim() === '') return;
    if (readRow === null) {
      readRow = compileRowReader(shape, columns, aliases, fields, `${at}:${line}`);
      return;
    }
    if (trailer !== null && told === null && fields[0]?.trim() === trailer.firstCell) {
      told = fields[trailer.countIndex]?.trim() ?? '';
      return;
    }
    if (isEmptyRow(fields)) {
      if (empty.lines.length < EMPTY_LINES_TOLD) empty.lines.push(line);
      else empty.more++;
      return;
    }
    if (empty.lines.length > 0) rejectEmptyLines();
    if (told !== null) throw refuseCut(`${at}:${line}`, 'rows follow after its trailer row');
    const row = readRow(fields, placeAt(line), within);
    isLastRagged = false;
    if ('record' in row) {
      sink.accept(row.record);
    } else {
      isLastRagged = row.rejected.keyDoubtful === true;
      sink.reject(row.rejected);
    }
  }

  function rejectEmptyLines(): void {
    const rejectAt = (line: number): RejectedRow => rejectKeyless(shape, placeAt(line), []);
    for (const line of empty.lines) sink.reject(rejectAt(line));
    if (empty.more > 0) sink.reject(rejectAt(empty.lines.at(-1) ?? 0), empty.more);
    Object.assign(empty, { lines: [], more: 0 });
  }

  function finish(
    stop: { readonly problem: string; readonly line: number } | null,
    endsWithNewline: boolean,
  ): string | null {
    if (readRow === null) {
      throw new SyncError('SYNC_SOURCE_FORMAT', {
        message: stop === null ? 'The file has no header line.' : `The header cannot be read: ${stop.problem}.`,
        place: stop === null ? at : `${at}:${stop.line}`,
        remedy: 'Deliver the file with a first line that names the columns.',
      });
    }
    if (stop !== null) {
      rejectEmptyLines();
      sink.reject(rejectFormat(placeAt(stop.line), `${stop.problem}; nothing from here on was read`, []));
      return `the file cannot be read from line ${stop.line} on`;
    }
    if (trailer !== null) checkTrailer(told, sink.counts.rows - before, trailer.firstCell, at);
    return isLastRagged && !endsWithNewline
      ? 'the last line has no end and not all its fields: the file seems cut'
      : null;
  }

  return { takeRow, finish };
}

function checkTrailer(told: string | null, rows: number, firstCell: string, at: string): void {
  if (told === null) throw refuseCut(at, `it has no trailer row that begins with "${firstCell}"`);
  if (!/^\d{1,15}$/.test(told) || Number(told) !== rows) {
    throw refuseCut(at, `it has ${rows} rows, its trailer row says ${told === '' ? 'nothing' : quoteName(told)}`);
  }
}

function isEmptyRow(fields: readonly string[]): boolean {
  for (const field of fields) {
    if (field !== '' && field.trim() !== '') return false;
  }
  return true;
}

function compileRowReader(
  shape: RowShape,
  compiled: readonly CompiledColumn[],
  aliases: FileRules['aliases'],
  header: readonly string[],
  at: string,
): ReadRow {
  const indexes = readHeader(header, shape.columns, at, aliases);
  const columns = compiled.map((column) => ({ ...column, index: indexes.get(column.name) ?? -1 }));
  const keyIndex = indexes.get(shape.key);
  if (keyIndex === undefined) {
    throw new SyncError('SYNC_SOURCE_HEADER', {
      message: `The key column "${shape.key}" is not in the header.`,
      place: at,
      remedy: 'Set `key` to a column of the file.',
    });
  }
  const expected = header.length;
  const heading = JSON.stringify([shape.source, header]);
  return (all, place, within) => {
    if (all.length > MOST_COLUMNS) return { rejected: rejectFormat(place, `the row has ${all.length} fields`, []) };
    const fields = dropEmptyEnd(all, expected);
    const key = fields[keyIndex]?.trim() ?? '';
    const rows = within === null ? 0 : countSwallowed(fields, within);
    if (fields.length !== expected || rows > 0) {
      const raw = within === null ? fields : fields.flatMap((field) => splitCells(field, within));
      return { rejected: rejectRagged(key, place, { found: fields.length, expected, rows }, raw) };
    }
    if (key === '' || key.length > LONGEST_KEY) return { rejected: rejectKeyless(shape, place, fields) };
    const cells: Record<string, Cell> = {};
    for (const column of columns) {
      const cell = column.readText(fields[column.index] ?? '');
      if (cell instanceof BadCell) return { rejected: rejectCell(shape, key, place, column.name, cell, fields) };
      if (cell !== undefined) cells[column.name] = cell;
    }
    return { record: new DelimitedRecord(key, place, cells, fields, heading) };
  };
}

/** Its digest is over what the file says, and only made when somebody asks for it. */
class DelimitedRecord implements SourceRecord {
  readonly #fields: readonly string[];
  readonly #heading: string;

  constructor(
    readonly key: string,
    readonly place: Place,
    readonly cells: SourceRecord['cells'],
    fields: readonly string[],
    heading: string,
  ) {
    this.#fields = fields;
    this.#heading = heading;
  }

  get raw(): readonly string[] {
    return this.#fields;
  }

  get digest(): string {
    return hash('sha256', `${this.#heading}${JSON.stringify(this.#fields)}`, 'base64url');
  }
}

/** Separators at the end of a row, with nothing between them, are no cells. */
function dropEmptyEnd(fields: readonly string[], expected: number): readonly string[] {
  let length = fields.length;
  while (length > expected && fields[length - 1]?.trim() === '') length -= 1;
  return length === fields.length ? fields : fields.slice(0, length);
}

/** Of fewer columns, an address in two lines may look like the pieces of two rows. */
const FEWEST_COLUMNS = 4;

/**
 * How many rows a quote has swallowed that was closed by the quote of a later row. The row then has as many fields as any
 * other; only the field tells: its lines break where whole rows do.
 */
function countSwallowed(fields: readonly string[], separator: string): number {
  if (fields.length < FEWEST_COLUMNS) return 0;
  const breaks = fields.length - 1;
  for (const [index, field] of fields.entries()) {
    const counts = splitLines(field).map((line) => line.split(separator).length - 1);
    if (counts.length < 2) continue;
    const [first, last] = [counts[0], counts[counts.length - 1]];
    if (first === breaks - index && last === index && counts.slice(1, -1).every((count) => count === breaks)) {
      return counts.length - 1;
    }
  }
  return 0;
}

function splitCells(field: string, separator: string): readonly string[] {
  return splitLines(field).flatMap((line) => line.split(separator));
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

function rejectRagged(
  key: string,
  place: Place,
  { found, expected, rows }: { readonly found: number; readonly expected: number; readonly rows: number },
  raw: RawRow,
): RejectedRow {
  const problem =
    rows > 0
      ? `a quote that opens in the row is closed ${rows === 1 ? 'a row' : `${rows} rows`} later`
      : `the row has ${found} ${found === 1 ? 'field' : 'fields'}, the header has ${expected}`;
  const remedy =
    rows > 0
      ? 'a quote inside a cell is doubled, and the cell quoted'
      : 'a separator inside a cell needs quotes around the cell';
  return {
    key: key === '' || key.length > LONGEST_KEY ? null : key,
    keyDoubtful: true,
    place,
    code: 'SYNC_ROW_FIELDS',
    reason: `${formatPlace(place)}: ${problem}.`,
    remedy: `Correct the row in the source: ${remedy}.`,
    raw,
  };
}
