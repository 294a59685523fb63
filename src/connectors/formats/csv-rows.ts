import { createParsedRows, MAX_ROW_BYTES } from './csv-parser.js';

/** Why parsing stopped before the end of the file. */
export interface ParseStop {
  readonly problem: string;
  /** 1-based line on which the unreadable row begins. */
  readonly line: number;
}

export interface CsvRows {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
  /** Set once the parser gave up; what is written after that is ignored. */
  readonly stop: ParseStop | null;
  close(): void;
}

/** @param newlines line breaks within quotes */
export type TakeCsvRow = (fields: readonly string[], line: number, newlines: number) => void;

/** A line that long in characters may be too long in bytes: what becomes of it is the parser's to say. */
const MAX_LINE = MAX_ROW_BYTES / 4;

/**
 * Rows of a CSV file, line by line for as long as each line is a row by itself: without quotes, or with whole quoted fields.
 * From the first row on that is anything else (a line break within quotes, a quote out of place, a row of absurd length)
 * csv-parse reads the rest. Both read the same rows, which a test holds them to; a line that is split takes a fifth of the
 * time of one that is parsed byte by byte.
 */
export function createCsvRows(separator: string, firstLine: number, takeRow: TakeCsvRow): CsvRows {
  let nextLine = firstLine;
  let held = '';
  let parsed: CsvRows | null = /["\r\n]/.test(separator) ? createParsedRows(separator, firstLine, takeRow) : null;

  /** Takes the rows of whole lines; answers how many of the lines it took. */
  function takeLines(lines: readonly string[]): number {
    for (const [index, line] of lines.entries()) {
      const fields = line.length > MAX_LINE ? null : splitRow(line, separator);
      if (fields === null) return index;
      takeRow(fields, nextLine, 0);
      nextLine += 1;
    }
    return lines.length;
  }

  function parseFrom(text: string): Promise<void> {
    held = '';
    parsed = createParsedRows(separator, nextLine, takeRow);
    return text === '' ? Promise.resolve() : parsed.write(Buffer.from(text));
  }

  return {
    get stop() {
      return parsed?.stop ?? null;
    },
    async write(chunk) {
      if (parsed !== null) return parsed.write(chunk);
      const text = held + chunk.toString('utf8');
      const end = endOfWholeLines(text);
      const lines = splitLines(text.slice(0, end));
      const taken = takeLines(lines);
      if (taken < lines.length) return parseFrom(text.slice(skipLines(text, taken)));
      held = text.slice(end);
      if (held.length > MAX_LINE) return parseFrom(held);
    },
    async end() {
      // The last row has no line end, and what that means is the parser's to say.
      if (parsed === null) await parseFrom(held);
      await parsed?.end();
    },
    close: () => parsed?.close(),
  };
}

/** A carriage return at the very end may be the first half of a line end. */
function endOfWholeLines(text: string): number {
  const sure = text.endsWith('\r') ? text.slice(0, -1) : text;
  return Math.max(sure.lastIndexOf('\n'), sure.lastIndexOf('\r')) + 1;
}

/** Of a text that ends with a line end, or is empty. */
function splitLines(text: string): readonly string[] {
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  return lines.slice(0, -1);
}

/** Where the line begins that so many others are before. */
function skipLines(text: string, lines: number): number {
  const lineEnd = /\r\n|\n|\r/g;
  for (let skipped = 0; skipped < lines; skipped += 1) lineEnd.exec(text);
  return lineEnd.lastIndex;
}

/** The fields of a row that is one line; null when it may be more, or has a quote where none may stand. */
function splitRow(line: string, separator: string): readonly string[] | null {
  if (line.includes('"')) return splitQuoted(line, separator);
  const fields = line.split(separator);
  for (let index = 0; index < fields.length; index += 1) fields[index] = fields[index]?.trim() ?? '';
  return fields;
}

function splitQuoted(line: string, separator: string): readonly string[] | null {
  const fields: string[] = [];
  for (let at = 0; ; at += separator.length) {
    const start = skipBlanks(line, at, separator);
    if (line[start] === '"') {
      const quoted = readQuoted(line, start + 1);
      if (quoted === null) return null;
      fields.push(quoted.text);
      at = skipBlanks(line, quoted.end, separator);
      if (at < line.length && !line.startsWith(separator, at)) return null;
    } else {
      const next = line.indexOf(separator, at);
      const end = next === -1 ? line.length : next;
      const field = line.slice(at, end);
      if (field.includes('"')) return null;
      fields.push(field.trim());
      at = end;
    }
    if (at === line.length) return fields;
  }
}

function skipBlanks(line: string, from: number, separator: string): number {
  let at = from;
  while ((line[at] === ' ' || line[at] === '\t') && !line.startsWith(separator, at)) at += 1;
  return at;
}

/** What is between the quotes, a doubled one as one; null when they are not closed on this line. */
function readQuoted(line: string, from: number): { readonly text: string; readonly end: number } | null {
  let text = '';
  for (let at = from; ; ) {
    const quote = line.indexOf('"', at);
    if (quote === -1) return null;
    text += line.slice(at, quote);
    if (line[quote + 1] !== '"') return { text, end: quote + 1 };
    text += '"';
    at = quote + 2;
  }
}
