/** A row longer than this is a quote that was never closed, not a person. */
export const MAX_ROW_BYTES = 1_048_576;

/** Why parsing stopped before the end of the file. */
export interface ParseStop {
  readonly problem: string;
  /** 1-based line on which the unreadable row begins. */
  readonly line: number;
}

/** A row, and where it is. */
export interface ParsedRow {
  readonly fields: readonly string[];
  readonly line: number;
  /** Line breaks within quotes. */
  readonly newlines: number;
  /** As it is written, without its end. */
  readonly text: string;
}

/** What becomes of rows. */
export interface CsvTaker {
  take(row: ParsedRow): void;
  /** Is asked about each row without quotes before its fields are looked for: true when it needs no look. */
  pass?(text: string, line: number): boolean;
}

const QUOTE = 0x22;
/** What may be before a quote, and after one. */
const BLANK = /[^\S\r\n]/;
const PLAIN_BLANK = /[ \t\f\v]/;

/** A field, or a whole row, and where it ends. */
interface Span<T> {
  readonly value: T;
  /** Of a field where the next separator is, or the end of its row; of a row where that is. */
  readonly end: number;
}

/** Why there is no such span: its text is not all there yet, or a quote is where none may be. */
type NoSpan = 'cut' | 'misplaced';

/**
 * Rows of a CSV file. Strict about quotes, lenient about the number of fields (the caller judges that), and any of \r\n, \n, \r
 * ends a row, mixed ones too. Blank lines come as rows of one empty field. csv-parse reads the same rows, which a test checks;
 * it goes byte by byte, and takes five times as long.
 */
export class CsvRows {
  /** Set when a row cannot be read; what is written after that is ignored. */
  stop: ParseStop | null = null;
  private held = '';

  constructor(
    private readonly separator: string,
    private nextLine: number,
    private readonly taker: CsvTaker,
  ) {}

  /** @param chunk never cuts a character */
  write(chunk: Buffer): void {
    if (this.stop !== null) return;
    const text = Buffer.concat([Buffer.from(this.held), chunk]).toString('utf8');
    this.held = text.slice(this.takeRows(text, false));
    if (isTooLong(this.held)) this.refuse(TOO_LONG);
  }

  end(): void {
    if (this.stop === null) this.takeRows(this.held, true);
  }

  /** Answers where the first row begins that is not whole. */
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

  /** Answers where the next row begins, when this one needs no look. */
  private passLine(text: string, at: number, lineEnds: LineEnds): number | null {
    if (this.taker.pass === undefined) return null;
    const end = lineEnds.find(at);
    if (end === null || !this.taker.pass(text.slice(at, end), this.nextLine)) return null;
    this.nextLine += 1;
    return lineEnds.after(end);
  }

  private take(fields: readonly string[], raw: string, isUnended: boolean): void {
    // Blanks after the last line end are no row.
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
const MISPLACED = 'a quote is where none may (a field with a quote in it is quoted, and the quote doubled)';

function findProblem(row: Span<unknown> | NoSpan, raw: string, isLast: boolean): string | null {
  if (row === 'misplaced') return MISPLACED;
  if (row === 'cut' && !isLast) return null;
  if (isTooLong(raw)) return TOO_LONG;
  return row === 'cut' ? NOT_CLOSED : null;
}

function isTooLong(row: string): boolean {
  return row.length > MAX_ROW_BYTES / 4 && Buffer.byteLength(row) > MAX_ROW_BYTES;
}

/** Where lines end. Each end is looked for once, however many lines there are before it. */
class LineEnds {
  private nextFeed = -1;
  private nextReturn = -1;

  constructor(
    private readonly text: string,
    /** Nothing comes after the text: it ends its last line. */
    private readonly isLast: boolean,
  ) {}

  /** null when the line is not whole yet. A carriage return at the very end may be half of a line end. */
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

/** What begins here may be the first half of a separator, or of a line end. */
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

/** What is between the quotes, a doubled one as one. */
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

/** Most characters are: the pattern is asked of the others alone. */
function isPrinted(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
