/** The maximum length of a row. A longer row means that a quote was never closed. */
export const MAX_ROW_BYTES = 1_048_576;

/** The reason why parsing stopped before the end of the file. */
export interface ParseStop {
  readonly problem: string;
  /** The line on which the unreadable row begins, counted from 1. */
  readonly line: number;
}

/** A row and its place in the file. */
export interface ParsedRow {
  readonly fields: readonly string[];
  readonly line: number;
  /** The number of line breaks within quotes. */
  readonly newlines: number;
  /** The text of the row without its line end. */
  readonly text: string;
}

/** Receives the rows. */
export interface CsvTaker {
  take(row: ParsedRow): void;
  /** Called with each line before it is parsed; returns true if the line needs no parsing. */
  pass?(text: string, line: number): boolean;
}

const QUOTE = 0x22;
/** White space that may come before or after a quote. */
const BLANK = /[^\S\r\n]/;
const PLAIN_BLANK = /[ \t\f\v]/;

/** A field or a row, and the index at which it ends. */
interface Span<T> {
  readonly value: T;
  /** For a field, the index of the next separator or of the end of the row. For a row, the index of its end. */
  readonly end: number;
}

/** The reason why there is no span: the text is still incomplete, or a quote is misplaced. */
type NoSpan = 'cut' | 'misplaced';

/**
 * Parses the rows of a CSV file. It is strict about quotes and lenient about the number of fields, which the caller
 * checks. Each of \r\n, \n and \r ends a row, even in the same file. Blank lines become rows with one empty field. A
 * test checks that csv-parse reads the same rows; csv-parse works byte by byte and takes five times as long.
 */
export class CsvRows {
  /** Set when a row cannot be read; later input is ignored. */
  stop: ParseStop | null = null;
  private held = '';

  constructor(
    private readonly separator: string,
    private nextLine: number,
    private readonly taker: CsvTaker,
  ) {}

  /** @param chunk must not end within a character */
  write(chunk: Buffer): void {
    if (this.stop !== null) return;
    const text = Buffer.concat([Buffer.from(this.held), chunk]).toString('utf8');
    this.held = text.slice(this.takeRows(text, false));
    if (isTooLong(this.held)) this.refuse(TOO_LONG);
  }

  end(): void {
    if (this.stop === null) this.takeRows(this.held, true);
  }

  /** Returns the index at which the first incomplete row begins. */
  private takeRows(text: string, isLast: boolean): number {
    const lineEnds = new LineEnds(text, isLast);
    for (let at = 0; at < text.length; ) {
      const passed = this.passLine(text, at, lineEnds);
      if (passed !== null) {
        at = passed;
        continue;
      }
      const row = readRow(text, at, this.separator, lineEnds);
      const problem = findProblem(row, text.slice(at, typeof row === 'string' ? text.length : row.end), isLast);
      if (problem !== null) this.refuse(problem);
      if (typeof row === 'string' || problem !== null) return at;
      this.take(row.value, text.slice(at, row.end), row.end === text.length);
      at = lineEnds.after(row.end);
    }
    return text.length;
  }

  /** Returns the index at which the next row begins if this line needs no parsing; otherwise null. */
  private passLine(text: string, at: number, lineEnds: LineEnds): number | null {
    if (this.taker.pass === undefined) return null;
    const end = lineEnds.find(at);
    if (end === null || !this.taker.pass(text.slice(at, end), this.nextLine)) return null;
    this.nextLine += 1;
    return lineEnds.after(end);
  }

  private take(fields: readonly string[], raw: string, isUnended: boolean): void {
    // White space after the last line end is not a row.
    if (isUnended && fields.length === 1 && raw.trim() === '') return;
    const newlines = raw.includes('\n') || raw.includes('\r') ? (raw.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;
    const line = this.nextLine;
    this.nextLine += 1 + newlines;
    this.taker.take({ fields, line, newlines, text: raw });
  }

  private refuse(problem: string): void {
    this.stop = { problem, line: this.nextLine };
  }
}

const NOT_CLOSED = 'a quote opens in this row and is never closed';
const TOO_LONG = `the row is longer than ${MAX_ROW_BYTES} bytes, most likely a quote that is never closed`;
const MISPLACED = 'a quote is in the wrong place (quote a field that contains a quote, and double the quote)';

function findProblem(row: Span<unknown> | NoSpan, raw: string, isLast: boolean): string | null {
  if (row === 'misplaced') return MISPLACED;
  if (row === 'cut' && !isLast) return null;
  if (isTooLong(raw)) return TOO_LONG;
  return row === 'cut' ? NOT_CLOSED : null;
}

function isTooLong(row: string): boolean {
  return row.length > MAX_ROW_BYTES / 4 && Buffer.byteLength(row) > MAX_ROW_BYTES;
}

/** Finds line ends. It searches for each line end only once. */
class LineEnds {
  private nextFeed = -1;
  private nextReturn = -1;

  constructor(
    private readonly text: string,
    /** True if nothing follows the text, so that its end also ends the last line. */
    private readonly isLast: boolean,
  ) {}

  /**
   * Finds the next line end; null while the line is incomplete. A carriage return at the end of the text may be half of
   * a line end.
   */
  find(from: number): number | null {
    if (this.nextFeed < from) this.nextFeed = this.indexOf('\n', from);
    if (this.nextReturn < from) this.nextReturn = this.indexOf('\r', from);
    const end = Math.min(this.nextFeed, this.nextReturn);
    if (this.isLast) return Math.min(end, this.text.length);
    return end < this.text.length - (end === this.nextReturn ? 1 : 0) ? end : null;
  }

  after(end: number): number {
    return this.text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }

  private indexOf(character: string, from: number): number {
    const index = this.text.indexOf(character, from);
    return index === -1 ? Number.POSITIVE_INFINITY : index;
  }
}

function readRow(text: string, from: number, separator: string, lineEnds: LineEnds): Span<readonly string[]> | NoSpan {
  const end = lineEnds.find(from);
  const line = text.slice(from, end ?? text.length);
  if (line.includes('"')) return readQuotedRow(text, from, separator, lineEnds);
  if (end === null) return 'cut';
  const fields = line.split(separator);
  for (let index = 0; index < fields.length; index += 1) fields[index] = fields[index]?.trim() ?? '';
  return { value: fields, end };
}

function readQuotedRow(
  text: string,
  from: number,
  separator: string,
  lineEnds: LineEnds,
): Span<readonly string[]> | NoSpan {
  const fields: string[] = [];
  let end = lineEnds.find(from);
  for (let at = from; ; at += separator.length) {
    const field = readField(text, at, separator, end ?? text.length);
    if (typeof field === 'string') return field;
    fields.push(field.value);
    at = field.end;
    if (end !== null && at > end) end = lineEnds.find(at);
    if (at === end) return { value: fields, end };
    if (!text.startsWith(separator, at)) return end === null && isCut(text, at, separator) ? 'cut' : 'misplaced';
  }
}

/** True if the text may end within a separator or a line end. */
function isCut(text: string, at: number, separator: string): boolean {
  return text[at] === '\r' || at + separator.length > text.length;
}

function readField(text: string, from: number, separator: string, lineEnd: number): Span<string> | NoSpan {
  const start = skipBlanks(text, from, separator, BLANK);
  if (text.charCodeAt(start) === QUOTE) return readQuoted(text, start + 1, separator);
  return readPlain(text, from, separator, lineEnd);
}

function readPlain(text: string, from: number, separator: string, lineEnd: number): Span<string> | NoSpan {
  const next = text.indexOf(separator, from);
  const end = next === -1 || next > lineEnd ? lineEnd : next;
  const value = text.slice(from, end);
  return value.includes('"') ? 'misplaced' : { value: value.trim(), end };
}

/** Reads the text between quotes; a doubled quote means one quote. */
function readQuoted(text: string, from: number, separator: string): Span<string> | NoSpan {
  let value = '';
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return 'cut';
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, end: skipBlanks(text, quote + 1, separator, PLAIN_BLANK) };
    value += '"';
    at = quote + 2;
  }
}

function skipBlanks(text: string, from: number, separator: string, blank: RegExp): number {
  let at = from;
  while (!isPrinted(text.charCodeAt(at)) && blank.test(text.charAt(at)) && !text.startsWith(separator, at)) at += 1;
  return at;
}

/** True for printable ASCII. Most characters are, so the regular expression runs only for the others. */
function isPrinted(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
