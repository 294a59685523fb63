import { SyncError } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import { MAX_DEPTH, MAX_VALUES } from '../rows/parse-json.js';
import { splitPointer } from '../rows/pointer.js';
import { refuseNoName, refuseNoRows, refuseRows } from './find-rows.js';

/** A row longer than this is a quote that was never closed. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
/** Of the names that are listed where a wanted one is missing. */
const MAX_NAMES = 1_000;

const [NEWLINE, QUOTE, BACKSLASH, COMMA, COLON] = [0x0a, 0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, NEWLINE]);
const ENDS: ReadonlySet<number> = new Set([...BLANKS, COMMA, CLOSE_LIST, CLOSE_OBJECT]);

/** An object or list that is open. */
interface Frame {
  readonly isList: boolean;
  /** The pointer leads to it, or through it. */
  readonly isOnWay: boolean;
  /** It is the list of rows. */
  readonly hasRows: boolean;
  /** Names in it so far, where the pointer leads through it. */
  readonly names: string[];
  /** Name, or position, of the value that comes or came last. */
  name: string;
  count: number;
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

/** What comes where neither a value nor an end does. */
const SIGNS: Readonly<Partial<Record<Expected, number>>> = {
  name: QUOTE,
  'name or end': QUOTE,
  colon: COLON,
  'comma or end': COMMA,
};

/** Where a document is damaged. */
interface JsonSpot {
  readonly line: number;
  readonly offset: number;
}

/** A value that is gathered until it ends: a name, a text, a number or word, a whole row. */
class JsonToken {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  private depth = 0;
  private deepest = 0;
  private commas = 0;
  private inText = false;
  private isEscaped = false;

  constructor(
    readonly kind: 'text' | 'word' | 'row',
    readonly spot: JsonSpot,
  ) {}

  /** Takes what is its own of a chunk. */
  take(chunk: Buffer, from: number): { readonly piece: Buffer; readonly isWhole: boolean } {
    const end = this.kind === 'word' ? endOfWord(chunk, from) : this.endOfNested(chunk, from);
    const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
    this.pieces.push(piece);
    this.bytes += piece.length;
    return { piece, isWhole: end >= 0 };
  }

  isAbsurd(): boolean {
    return this.bytes > MAX_ROW_BYTES || this.commas >= MAX_VALUES || this.deepest > MAX_DEPTH;
  }

  text(): string {
    return Buffer.concat(this.pieces).toString('utf8');
  }

  /** Where a text or a row ends, -1 when not in this chunk. */
  private endOfNested(chunk: Buffer, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (this.inText || byte === QUOTE) {
        const end = this.endOfText(chunk, this.inText ? index : index + 1);
        if (end < 0 || this.kind === 'text') return end;
        index = end - 1;
      } else if (this.isClosedBy(byte)) return index + 1;
    }
    return -1;
  }

  private isClosedBy(byte: number): boolean {
    if (byte === COMMA) this.commas++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.deepest = Math.max(this.deepest, ++this.depth);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) return --this.depth === 0;
    return false;
  }

  private endOfText(chunk: Buffer, from: number): number {
    this.inText = true;
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index];
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) {
        this.inText = false;
        return index + 1;
      }
    }
    return -1;
  }
}

function endOfWord(chunk: Buffer, from: number): number {
  for (let index = from; index < chunk.length; index++) if (ENDS.has(chunk[index] ?? 0)) return index;
  return -1;
}

/**
 * Takes the rows out of a JSON document as its bytes come, so that no more than a row is held of a document of any size. All of
 * it is held to the grammar, also what is before and after the rows: a document that was cut is none.
 */
export class JsonScanner {
  private readonly steps: readonly string[];
  private readonly open: Frame[] = [];
  private expected: Expected = 'value';
  private token: JsonToken | null = null;
  private hasFound = false;
  private line = 1;
  private offset = 0;

  /** @param pointer of the list of rows */
  constructor(
    private readonly pointer: string,
    private readonly at: string,
    private readonly takeRow: (row: Json) => void,
  ) {
    this.steps = splitPointer(pointer);
  }

  write(chunk: Buffer): void {
    const start = this.offset;
    for (let index = 0; index < chunk.length; ) {
      if (this.token !== null) {
        index += this.gather(this.token, chunk, index);
        continue;
      }
      const byte = chunk[index] ?? 0;
      this.offset = start + index;
      if (byte === NEWLINE) this.line++;
      if (!BLANKS.has(byte)) this.takeByte(byte);
      // The byte that a token begins with is part of it.
      if (this.token === null) index++;
    }
    this.offset = start + chunk.length;
  }

  /** @throws SyncError SYNC_SOURCE_FORMAT where the document is not finished */
  end(): void {
    if (this.token?.kind === 'word') this.finishToken(this.token);
    if (this.token !== null || this.expected !== 'nothing') throw this.refuse();
  }

  private takeByte(byte: number): void {
    const isEnd = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
    if (isEnd && this.expected.endsWith('or end')) this.closeFrame(byte === CLOSE_LIST);
    else if (this.expected.startsWith('value')) this.startValue(byte);
    else if (byte !== SIGNS[this.expected]) throw this.refuse();
    else if (byte === QUOTE) this.startToken('text');
    else if (byte === COLON) this.expected = 'value';
    else this.expected = this.open.at(-1)?.isList === true ? 'value' : 'name';
  }

  private startValue(byte: number): void {
    const frame = this.open.at(-1);
    if (frame?.isList === true) frame.name = String(frame.count++);
    if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) this.startScalar(byte);
    else if (frame?.hasRows === true) this.startToken('row');
    else this.openFrame(byte === OPEN_LIST);
  }

  private startScalar(byte: number): void {
    if (!this.isOnWay()) {
      this.startToken(byte === QUOTE ? 'text' : 'word');
      return;
    }
    if (this.open.length !== this.steps.length) throw refuseNoName(this.steps, this.open.length, [], this.at);
    throw refuseNoRows(this.pointer, byte === QUOTE ? 'a text' : 'a number, true, false or null', this.at);
  }

  private startToken(kind: JsonToken['kind']): void {
    this.token = new JsonToken(kind, { line: this.line, offset: this.offset });
  }

  /** Whether the pointer leads to the value that comes now. */
  private isOnWay(): boolean {
    const frame = this.open.at(-1);
    return frame === undefined || (frame.isOnWay && frame.name === this.steps[this.open.length - 1]);
  }

  private openFrame(isList: boolean): void {
    const isOnWay = this.isOnWay();
    const hasRows = isOnWay && this.open.length === this.steps.length;
    if (hasRows && !isList) throw refuseNoRows(this.pointer, 'an object', this.at);
    if (hasRows && this.hasFound) throw refuseRows(`There are two lists of rows at "${this.pointer}".`, this.at);
    if (this.open.length >= MAX_DEPTH) throw this.refuse();
    this.hasFound ||= hasRows;
    this.open.push({ isList, isOnWay, hasRows, names: [], name: '', count: 0 });
    this.expected = isList ? 'value or end' : 'name or end';
  }

  private closeFrame(isList: boolean): void {
    const frame = this.open.pop();
    if (frame === undefined || frame.isList !== isList) throw this.refuse();
    if (frame.isOnWay && !this.hasFound) throw refuseNoName(this.steps, this.open.length, frame.names, this.at);
    this.expected = this.open.length === 0 ? 'nothing' : 'comma or end';
  }

  /** Answers how many bytes are the token's. */
  private gather(token: JsonToken, chunk: Buffer, from: number): number {
    const { piece, isWhole } = token.take(chunk, from);
    if (token.isAbsurd()) throw this.refuse(token.spot);
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) this.line++;
    if (isWhole) this.finishToken(token);
    return piece.length;
  }

  private finishToken(token: JsonToken): void {
    this.token = null;
    const value = this.parse(token);
    const frame = this.open.at(-1);
    if (this.expected.startsWith('name') && frame !== undefined) {
      frame.name = String(value);
      if (frame.isOnWay && frame.names.length < MAX_NAMES) frame.names.push(frame.name);
      this.expected = 'colon';
      return;
    }
    if (frame?.hasRows === true) this.takeRow(value);
    this.expected = frame === undefined ? 'nothing' : 'comma or end';
  }

  private parse(token: JsonToken): Json {
    try {
      return JSON.parse(token.text()) as Json;
    } catch {
      // Not the parser's own words: they quote the content, which is personal data.
      throw this.refuse(token.spot);
    }
  }

  private refuse({ line, offset }: JsonSpot = { line: this.line, offset: this.offset }): SyncError {
    return new SyncError('SYNC_SOURCE_FORMAT', {
      message: `The file is not valid JSON at line ${line}, byte ${offset + 1}; it may be cut.`,
      place: this.at,
      remedy: 'Have it exported again. A file with one object per line must end in .ndjson or .jsonl.',
    });
  }
}
