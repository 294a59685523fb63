import { SyncError } from '../../base/errors.js';
import { formatPlace, type Place } from '../../model/place.js';
import { plural } from '../../model/plural.js';
import type { RawRow } from '../../model/raw-text.js';
import { shortHash } from '../../model/sha256.js';
import type { RejectedRow, SourceRecord } from '../../model/source.js';
import { refuseCut } from '../drop/faults.js';
import type { FileRules } from '../drop/resolve-file-rules.js';
import { quoteName } from '../rows/quote-names.js';
import {
  type CompiledColumn,
  type ConnectorRow,
  compileColumns,
  compileKey,
  LONGEST_KEY,
  type RowShape,
  readCells,
  readWithout,
  rejectCells,
  rejectFormat,
  rejectKeyless,
} from '../rows/records.js';
import type { RowSink } from '../rows/row-sink.js';
import { chooseDeclared, findDialect, MOST_COLUMNS, readHeader, repeatsHeader } from './csv-dialect.js';
import { CsvRows, type ParsedRow, type ParseStop } from './csv-rows.js';
import { FooterWatch } from './footer.js';
import type { RowsReader } from './rows-reader.js';

type TableRules = Pick<FileRules, 'aliases' | 'trailer' | 'footer'>;

/** The layout needed to read the rows of one file. */
interface TableLayout {
  readonly shape: RowShape;
  readonly columns: readonly CompiledColumn[];
  readonly rules: TableRules;
  /** The path of the file, for messages. */
  readonly at: string;
}

/**
 * Reads CSV. After a broken quote, neither its row nor any later row can be trusted, so the reader rejects one row with
 * this reason and stops.
 *
 * A row of empty cells counts as a blank line only if no other rows follow, because spreadsheets leave such rows at the
 * end. In the middle of a file it may be a person with lost data, so it is rejected as a row without a key.
 */
export function createDelimitedReader(shape: RowShape, separator: string | null, rules: TableRules): RowsReader {
  const columns = compileColumns(shape);
  return async (file, sink) => {
    const table = new Table({ shape, columns, rules, at: file.at }, sink);
    let rows: CsvRows | undefined;
    let lastByte: number | undefined;
    for await (const chunk of file.text()) {
      let rest = chunk;
      if (rows === undefined) {
        const dialect = findDialect(chunk, separator, chooseDeclared(shape.columns, rules.aliases));
        rows = new CsvRows(dialect.separator, 1 + dialect.skippedLines, {
          take: (row) => table.takeRow(row, row.newlines === 0 ? null : dialect.separator),
          ...(sink.standing === null ? {} : { pass: (text, line) => table.passRow(text, line) }),
        });
        rest = chunk.subarray(dialect.skippedBytes);
      }
      rows.write(rest);
      lastByte = chunk[chunk.length - 1];
    }
    const isEnded = lastByte === 0x0a || lastByte === 0x0d;
    sink.noteLineEnd(isEnded);
    table.isLastDoubted = file.endsLines && !isEnded && rules.trailer === null;
    rows?.end();
    return table.finish(rows?.stop ?? null, isEnded);
  };
}

/** The number of empty rows that are remembered with their lines. Empty rows at the end of a file do not count as rows. */
const EMPTY_LINES_LISTED = 21_000;

/** A row of the file before its cells are read. */
interface TakenRow extends WrittenRow {
  readonly line: number;
}

/** The rows of one file, from its header to its end. */
class Table {
  private readRow: RowReader | null = null;
  /** The header; null once the row after it was seen. */
  private header: readonly string[] | null = null;
  /** The lines of the empty rows since the last other row. */
  private emptyLines: number[] = [];
  private moreEmpty = 0;
  private isLastRagged = false;
  /** True while the last line is read, if it has no line end although earlier deliveries ended with one. */
  isLastDoubted = false;
  private readonly rowsBefore: number;
  /** The cell with the number of rows in the trailer row; null until that row was seen. */
  private announced: string | null = null;
  /** Watches for a footer; null unless the files of the source may have one. */
  private footer: FooterWatch<TakenRow> | null = null;

  constructor(
    private readonly layout: TableLayout,
    private readonly sink: RowSink,
  ) {
    this.rowsBefore = sink.counts.rows;
  }

  /** Accepts a row that has not changed since the last run; false if the row must be read. */
  passRow(text: string, line: number): boolean {
    const { readRow, sink } = this;
    const row = readRow === null ? null : (sink.standing?.find(readRow.digestOf(text)) ?? null);
    if (row === null) return false;
    for (const held of this.footer?.release() ?? []) this.takeBelowHeader(held);
    this.beginRow(line);
    this.isLastRagged = false;
    sink.addStanding({ row, place: this.placeAt(line) });
    return true;
  }

  /** @param within the separator for finding swallowed rows inside a field; null for a row of one line */
  takeRow({ fields, line, text }: ParsedRow, within: string | null): void {
    const row = { fields, line, text, within };
    if (this.readRow === null) this.takeHeader(row);
    else if (this.isLabels(fields)) return;
    else if (this.isTrailer(fields)) {
      this.endFooter(true);
      this.announced = fields[this.layout.rules.trailer?.countIndex ?? 0]?.trim() ?? '';
    }
    // Rows after a trailer row are an error, so they are never held as a footer.
    else if (this.footer === null || this.announced !== null) this.takeBelowHeader(row);
    else for (const one of this.footer.take(row)) this.takeBelowHeader(one);
  }

  private takeHeader({ fields, line }: TakenRow): void {
    if (isBlankLine(fields)) return;
    this.readRow = compileRowReader(this.layout, fields, `${this.layout.at}:${line}`);
    this.header = fields;
    if (this.layout.rules.footer === 'auto') this.footer = new FooterWatch(fields.length);
  }

  private takeBelowHeader(taken: TakenRow): void {
    const { fields, line } = taken;
    if (this.readRow === null || isBlankLine(fields)) return;
    if (isEmptyRow(fields)) {
      if (this.emptyLines.length < EMPTY_LINES_LISTED) this.emptyLines.push(line);
      else this.moreEmpty++;
    } else {
      this.beginRow(line);
      const read = this.readRow.read(taken, this.placeAt(line));
      const row =
        this.isLastDoubted && 'record' in read
          ? { rejected: rejectFormat(this.placeAt(line), `the line ${UNENDED}, so its last field may be too`, fields) }
          : read;
      this.isLastRagged = 'rejected' in row && row.rejected.keyDoubtful === true;
      this.sink.add(row);
    }
  }

  /** Decides if the held lines at the end are a footer or ordinary rows. */
  private endFooter(isEnded: boolean): void {
    const { footer, rows } = this.footer?.end(isEnded) ?? { footer: [], rows: [] };
    for (const row of rows) this.takeBelowHeader(row);
    const [first] = footer;
    if (first === undefined) return;
    this.isLastRagged = false;
    this.sink.noteFooter(footer.length, formatPlace(this.placeAt(first.line)));
  }

  private beginRow(line: number): void {
    this.header = null;
    if (this.emptyLines.length > 0) this.rejectEmptyLines();
    if (this.announced !== null) throw refuseCut(`${this.layout.at}:${line}`, 'rows follow after its trailer row');
  }

  /** Returns the reason why the file was not read completely, or null if it was. */
  finish(stop: ParseStop | null, endsWithNewline: boolean): string | null {
    const { at, rules } = this.layout;
    if (this.readRow === null) throw refuseHeaderless(stop, at);
    // An unreadable row may be a record, so the lines above it are not a footer.
    if (stop === null) this.endFooter(endsWithNewline);
    else for (const row of this.footer?.release() ?? []) this.takeBelowHeader(row);
    if (stop !== null) {
      this.rejectEmptyLines();
      const problem = `${stop.problem}; nothing after this was read`;
      this.sink.reject(rejectFormat(this.placeAt(stop.line), problem, []));
      return `the file cannot be read from line ${stop.line} onwards`;
    }
    if (rules.trailer !== null) {
      checkTrailer(this.announced, this.sink.counts.rows - this.rowsBefore, rules.trailer.firstCell, at);
    }
    if (this.isLastDoubted) return `the last line ${UNENDED}`;
    if (!this.isLastRagged || endsWithNewline) return null;
    return 'the last line is incomplete: the file seems to be truncated';
  }

  /** True if the first row repeats the header; false for any later row. */
  private isLabels(fields: readonly string[]): boolean {
    return this.header !== null && repeatsHeader(this.header, fields);
  }

  private isTrailer(fields: readonly string[]): boolean {
    const { trailer } = this.layout.rules;
    return trailer !== null && this.announced === null && fields[0]?.trim() === trailer.firstCell;
  }

  private rejectEmptyLines(): void {
    const rejectAt = (line: number): RejectedRow => rejectKeyless(this.layout.shape, this.placeAt(line), []);
    for (const line of this.emptyLines) this.sink.reject(rejectAt(line));
    if (this.moreEmpty > 0) this.sink.reject(rejectAt(this.emptyLines.at(-1) ?? 0), this.moreEmpty);
    this.emptyLines = [];
    this.moreEmpty = 0;
  }

  private placeAt(line: number): Place {
    return { source: this.layout.shape.source, at: this.layout.at, line };
  }
}

const UNENDED = 'has no line end, unlike in earlier deliveries: the file seems to be truncated';

function refuseHeaderless(stop: ParseStop | null, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: stop === null ? 'The file has no header line.' : `The header cannot be read: ${stop.problem}.`,
    place: stop === null ? at : `${at}:${stop.line}`,
    remedy: 'Deliver the file with a first line that names the columns.',
  });
}

function checkTrailer(announced: string | null, rows: number, firstCell: string, at: string): void {
  if (announced === null) throw refuseCut(at, `it has no trailer row that begins with "${firstCell}"`);
  if (!/^\d{1,15}$/.test(announced) || Number(announced) !== rows) {
    throw refuseCut(
      at,
      `it has ${plural(rows, 'row')}, its trailer row says ${announced === '' ? 'nothing' : quoteName(announced)}`,
    );
  }
}

function isBlankLine(fields: readonly string[]): boolean {
  return fields.length === 1 && isEmptyRow(fields);
}

function isEmptyRow(fields: readonly string[]): boolean {
  return fields.every((field) => field === '' || field.trim() === '');
}

interface WrittenRow extends Pick<ParsedRow, 'fields' | 'text'> {
  /** The separator for finding swallowed rows inside a field; null for a row of one line. */
  readonly within: string | null;
}

interface RowReader {
  read(row: WrittenRow, place: Place): ConnectorRow;
  /** Returns the digest of a row's text as written in the file. */
  digestOf(text: string): string;
}

function compileRowReader(
  { shape, columns: compiled, rules }: TableLayout,
  header: readonly string[],
  at: string,
): RowReader {
  const indexes = readHeader(header, shape.columns, at, rules.aliases);
  const columns = compiled.map((column) => ({ ...column, index: indexes.get(column.name) ?? -1 }));
  const keyIndex = indexes.get(shape.key);
  if (keyIndex === undefined) {
    throw new SyncError('SYNC_SOURCE_HEADER', {
      message: `The key column "${shape.key}" is not in the header.`,
      place: at,
      remedy: 'Set `key` to a column of the file.',
    });
  }
  const readKey = compileKey(shape);
  const expected = header.length;
  const heading = shortHash(JSON.stringify([shape.source, header]));
  // The digest of a row is needed before it is read, and again when it is staged.
  let last = { text: '', digest: '' };
  const digestOf = (text: string): string => {
    if (last.text !== text) last = { text, digest: shortHash(`${heading}${text}`) };
    return last.digest;
  };

  function readFields(place: Place, key: string, raw: RawRow, text: string): ConnectorRow {
    const { cells, faults, noted } = readCells(
      columns,
      (column) => raw[column.index] ?? '',
      () => undefined,
    );
    if (faults !== null) return { rejected: rejectCells(shape, { key, place, raw }, cells, faults) };
    const digest = last.text === text ? last.digest : null;
    const record = new DelimitedRecord({ key, place, cells, raw }, () => digest ?? digestOf(text));
    return { record: noted === undefined ? record : Object.assign(record, { noted }) };
  }

  function readKeyless(place: Place, raw: RawRow, found: string): RejectedRow {
    const { cells, faults } = readCells(
      columns,
      (column) => raw[column.index] ?? '',
      () => undefined,
    );
    return rejectKeyless(shape, place, raw, {
      found,
      readable: readWithout(shape, cells, faults),
    });
  }

  const read = ({ fields: all, text, within }: WrittenRow, place: Place): ConnectorRow => {
    if (all.length > MOST_COLUMNS)
      return { rejected: rejectFormat(place, `the row has ${plural(all.length, 'field')}`, []) };
    const fields = dropEmptyEnd(all, expected);
    const key = readKey(fields[keyIndex]);
    const rows = within === null ? 0 : countSwallowed(fields, within);
    if (fields.length !== expected || rows > 0) {
      const raw = within === null ? fields : fields.flatMap((field) => splitCells(field, within));
      return { rejected: rejectRagged(key ?? '', place, { found: fields.length, expected, rows }, raw) };
    }
    if (key === null) return { rejected: readKeyless(place, fields, fields[keyIndex] ?? '') };
    return readFields(place, key, fields, text);
  };

  return { read, digestOf };
}

/** A record that computes the digest of its row's text only on request. */
class DelimitedRecord implements SourceRecord {
  readonly key: string;
  readonly place: Place;
  readonly cells: SourceRecord['cells'];
  readonly #raw: RawRow;
  readonly #digest: () => string;

  constructor({ key, place, cells, raw }: Omit<SourceRecord, 'raw'> & { readonly raw: RawRow }, digest: () => string) {
    this.key = key;
    this.place = place;
    this.cells = cells;
    this.#raw = raw;
    this.#digest = digest;
  }

  get raw(): RawRow {
    return this.#raw;
  }

  get digest(): string {
    return this.#digest();
  }
}

/** Drops empty fields at the end of a row beyond the width of the header. */
function dropEmptyEnd(fields: readonly string[], expected: number): readonly string[] {
  let length = fields.length;
  while (length > expected && fields[length - 1]?.trim() === '') length -= 1;
  return length === fields.length ? fields : fields.slice(0, length);
}

/** The minimum number of columns for this check. With fewer columns, an address in two lines may look like two rows. */
const FEWEST_COLUMNS = 4;

/**
 * Counts the rows that an unclosed quote has swallowed, up to the quote of a later row. Such a row has the usual number
 * of fields. Only the field reveals the swallowed rows, because its lines contain as many separators as complete rows.
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
  return {
    key: key === '' || key.length > LONGEST_KEY ? null : key,
    keyDoubtful: true,
    place,
    code: 'SYNC_ROW_FIELDS',
    reason: `${formatPlace(place)}: ${problem}.`,
    remedy: `Correct the row in the source: ${explainRagged(found - expected, rows)}.`,
    raw,
  };
}

/** @param more how many fields the row has more than the header; negative if it has fewer */
function explainRagged(more: number, rows: number): string {
  if (rows > 0) return 'double each quote inside a cell, and put the cell in quotes';
  if (more > 0) return 'a separator inside a cell needs quotes around the cell';
  return 'an empty cell needs its separator too, and a line break inside a cell needs quotes around the cell; if it is the last row, the file may be truncated';
}
