import { SyncError } from '../../base/errors.js';
import { findDialect, guessHeader, readHeader, repeatsHeader } from '../../connectors/formats/csv-dialect.js';
import { CsvRows, type ParsedRow } from '../../connectors/formats/csv-rows.js';
import { decodeFile } from '../../connectors/formats/decode.js';
import { FooterWatch } from '../../connectors/formats/footer.js';
import { readLines } from '../../connectors/formats/ndjson-rows.js';
import { parseJson } from '../../connectors/rows/parse-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findEncoding } from './find-encoding.js';
import type { SampleFile } from './sample-file.js';

/** Facts about a file, apart from its cells. */
export interface TableFacts {
  readonly format: 'csv' | 'ndjson' | 'json';
  /** The encoding to declare; null if each read can detect it. */
  readonly encoding: string | null;
  /** The separator of a CSV file; null for other formats. */
  readonly separator: string | null;
  /** JSON pointer of the list of rows. */
  readonly pointer: string;
  /** True if the first row repeats the names of the columns. */
  readonly hasLabels: boolean;
  /** For CSV: the line with the names of the columns, which may follow the titles of a report; null for other formats. */
  readonly headerLine: number | null;
  /** Number of lines after the rows that are not rows, such as the footer of a report. */
  readonly footer: number;
  /** Lines that are not readable as rows, such as lines with too many fields. */
  readonly unreadable: readonly number[];
}

export interface TableTaker {
  /** Receives the columns of a CSV file. JSON has no header; its columns are those of its rows. */
  header(names: readonly string[]): void;
  /**
   * Receives one row: column → cell. `line` is the line number, or the position in the list of a JSON document, as connectors
   * count it.
   */
  row(row: ReadonlyMap<string, Json>, line: number): void;
}

/**
 * Reads a file without a declaration and detects its encoding, separator and columns.
 *
 * @param separator the separator of the source, if it declares one
 */
export async function readTable(file: SampleFile, separator: string | null, take: TableTaker): Promise<TableFacts> {
  const encoding = await findEncoding(file);
  const text = (): AsyncGenerator<Buffer> => decodeFile(file, encoding, () => undefined);
  if (/\.(?:ndjson|jsonl)$/i.test(file.at)) return { ...(await readNdjson(text(), take)), encoding };
  if (/\.json$/i.test(file.at)) return { ...(await readJson(text(), file.at, take)), encoding };
  return { ...(await readCsv(text(), file.at, separator, take)), encoding };
}

type Facts = Omit<TableFacts, 'encoding'>;

async function readCsv(
  chunks: AsyncIterable<Buffer>,
  at: string,
  given: string | null,
  take: TableTaker,
): Promise<Facts> {
  const unreadable: number[] = [];
  let names: readonly string[] | null = null;
  let isFirst = true;
  let hasLabels = false;
  let separator: string | null = null;
  let headerLine: number | null = null;
  let rows: CsvRows | undefined;
  let end: FooterWatch<ParsedRow> | null = null;
  function takeFields(row: ParsedRow): void {
    if (end !== null) for (const one of end.take(row)) takeRow(one);
    else if (row.fields.some((field) => field.trim() !== '')) {
      readHeader(row.fields, {}, at, {});
      names = row.fields.map((name) => name.trim());
      take.header(names.filter((name) => name !== ''));
      end = new FooterWatch(names.length);
    }
  }
  function takeRow({ fields, line }: ParsedRow): void {
    if (names === null || fields.every((field) => field.trim() === '')) return;
    if (isFirst && repeatsHeader(names, fields)) {
      hasLabels = true;
      isFirst = false;
    } else if (fields.length !== names.length) unreadable.push(line);
    else {
      isFirst = false;
      take.row(new Map(names.flatMap((name, index) => (name === '' ? [] : [[name, fields[index] ?? '']]))), line);
    }
  }
  let isEnded = false;
  for await (const chunk of chunks) {
    isEnded = /[\r\n]$/.test(chunk.subarray(-1).toString('latin1'));
    let rest = chunk;
    if (rows === undefined) {
      const dialect = findDialect(chunk, given, guessHeader);
      separator = dialect.separator;
      headerLine = 1 + dialect.skippedLines;
      rows = new CsvRows(separator, 1 + dialect.skippedLines, { take: takeFields });
      rest = chunk.subarray(dialect.skippedBytes);
    }
    rows.write(rest);
  }
  rows?.end();
  if (rows?.stop != null) unreadable.push(rows.stop.line);
  const isCut = rows?.stop != null;
  const { footer, rows: last } = (end as FooterWatch<ParsedRow> | null)?.end(isEnded && !isCut) ?? {
    footer: [],
    rows: [],
  };
  for (const row of last) takeRow(row);
  return { format: 'csv', separator, pointer: '', hasLabels, headerLine, footer: footer.length, unreadable };
}

async function readNdjson(chunks: AsyncIterable<Buffer>, take: TableTaker): Promise<Facts> {
  const unreadable: number[] = [];
  for await (const { text, line } of readLines(chunks)) {
    if (text?.trim() === '') continue;
    const value = text === null ? null : parseJson(text)?.value;
    if (isJsonObject(value)) take.row(new Map(Object.entries(value)), line);
    else unreadable.push(line);
  }
  return { format: 'ndjson', separator: null, pointer: '', hasLabels: false, headerLine: null, footer: 0, unreadable };
}

async function readJson(chunks: AsyncIterable<Buffer>, at: string, take: TableTaker): Promise<Facts> {
  const gathered: Buffer[] = [];
  for await (const chunk of chunks) gathered.push(chunk);
  const found = findList(parseDocument(Buffer.concat(gathered).toString('utf8'), at), '');
  if (found === null) {
    throw new SyncError('SYNC_SOURCE_FORMAT', {
      message: 'The document is not a list of objects, and has none in its first two levels.',
      place: at,
      remedy: 'Name a file with its rows in one list of objects, such as `{ "results": [{ … }] }`.',
    });
  }
  const unreadable: number[] = [];
  for (const [index, value] of found.rows.entries()) {
    if (isJsonObject(value)) take.row(new Map(Object.entries(value)), index + 1);
    else unreadable.push(index + 1);
  }
  return {
    format: 'json',
    separator: null,
    pointer: found.pointer,
    hasLabels: false,
    headerLine: null,
    footer: 0,
    unreadable,
  };
}

interface FoundList {
  readonly pointer: string;
  readonly rows: readonly Json[];
}

/** Finds the longest list of objects, because a document may also contain lists of links or messages. */
function findList(value: Json, pointer: string): FoundList | null {
  if (Array.isArray(value)) return value.some(isJsonObject) ? { pointer, rows: value } : null;
  if (!isJsonObject(value) || pointer.split('/').length > 2) return null;
  const lists = Object.entries(value as JsonObject).flatMap(([name, inner]) => {
    const list = findList(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return list === null ? [] : [list];
  });
  return lists.sort((a, b) => b.rows.length - a.rows.length)[0] ?? null;
}

function parseDocument(text: string, at: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SyncError('SYNC_SOURCE_FORMAT', {
      message: `The file is not valid JSON${describePosition(error, text)}; it may be truncated.`,
      place: at,
      remedy: 'Export it again. The name of a file with one object per line must end in .ndjson or .jsonl.',
    });
  }
}

/** Replaces the parser's message, because it quotes the content and may contain personal data. */
function describePosition(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  const line = before.split('\n').length;
  return ` at line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}
