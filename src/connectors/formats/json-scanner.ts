import { SyncError } from '../../base/errors.js';
import { BLANKS, endOfWord, isClosing, isOpening, JsonWalk, parseText, SIGNS } from '../../base/json-walk.js';
import type { Json } from '../../model/json.js';
import { MAX_DEPTH, MAX_VALUES } from '../rows/parse-json.js';
import { splitPointer } from '../rows/pointer.js';
import { refuseNoName, refuseNoRows, refuseRows } from './find-rows.js';

/** The maximum length of a row. A longer row means that a quote was never closed. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
/** The maximum number of names that are listed if the expected name is missing. */
const MAX_NAMES = 1_000;

const NEWLINE = 0x0a;
const { QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST } = SIGNS;

/** An open object or list. */
interface Frame {
  readonly isList: boolean;
  /** True if the pointer leads to this object or list, or through it. */
  readonly isOnWay: boolean;
  /** True if this list contains the rows. */
  readonly hasRows: boolean;
  /** The names read so far, if the pointer leads through this object. */
  readonly names: string[];
  /** The name or position of the current or last value. */
  name: string;
  count: number;
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

/** The byte that each state requires. States in which a value or an end may come are not listed. */
const WANTED: Readonly<Partial<Record<Expected, number>>> = {
  name: QUOTE,
  'name or end': QUOTE,
  colon: COLON,
  'comma or end': COMMA,
};

/** A position in the document, for messages. */
interface JsonSpot {
  readonly line: number;
  readonly offset: number;
}

/** A value that is collected until it ends, such as a name, a text, a number or a complete row. */
interface JsonToken {
  readonly kind: 'text' | 'word' | 'row';
  readonly spot: JsonSpot;
  readonly pieces: Buffer[];
  bytes: number;
  deepest: number;
  commas: number;
}

/**
 * Extracts the rows of a JSON document as its bytes arrive, so that memory contains at most one row of a document of any
 * size. The entire document must be valid JSON, also before and after the rows, so a truncated document is rejected.
 */
export class JsonScanner {
  private readonly steps: readonly string[];
  private readonly open: Frame[] = [];
  private expected: Expected = 'value';
  private readonly walk = new JsonWalk();
  private token: JsonToken | null = null;
  private hasFound = false;
  private line = 1;
  private offset = 0;

  /** @param pointer the pointer to the list of rows */
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
      // The first byte of a token is part of it.
      if (this.token === null) index++;
    }
    this.offset = start + chunk.length;
  }

  /** @throws SyncError SYNC_SOURCE_FORMAT if the document is incomplete */
  end(): void {
    if (this.token?.kind === 'word') this.finishToken(this.token);
    if (this.token !== null || this.expected !== 'nothing') throw this.refuse();
  }

  private takeByte(byte: number): void {
    if (isClosing(byte) && this.expected.endsWith('or end')) this.closeFrame(byte === CLOSE_LIST);
    else if (this.expected.startsWith('value')) this.startValue(byte);
    else if (byte !== WANTED[this.expected]) throw this.refuse();
    else if (byte === QUOTE) this.startToken('text');
    else if (byte === COLON) this.expected = 'value';
    else this.expected = this.open.at(-1)?.isList === true ? 'value' : 'name';
  }

  private startValue(byte: number): void {
    const frame = this.open.at(-1);
    if (frame?.isList === true) frame.name = String(frame.count++);
    if (!isOpening(byte)) this.startScalar(byte);
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
    const spot = { line: this.line, offset: this.offset };
    this.token = { kind, spot, pieces: [], bytes: 0, deepest: 0, commas: 0 };
  }

  /** True if the pointer leads to the next value. */
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

  /** Returns the number of bytes that belong to the token. */
  private gather(token: JsonToken, chunk: Buffer, from: number): number {
    const end = this.endOf(token, chunk, from);
    const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
    token.pieces.push(piece);
    token.bytes += piece.length;
    if (token.bytes > MAX_ROW_BYTES || token.commas >= MAX_VALUES || token.deepest > MAX_DEPTH)
      throw this.refuse(token.spot);
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) this.line++;
    if (end >= 0) this.finishToken(token);
    return piece.length;
  }

  /** Returns the index at which the token ends; -1 if it does not end in this chunk. */
  private endOf(token: JsonToken, chunk: Buffer, from: number): number {
    if (token.kind === 'word') return endOfWord(chunk, from);
    if (token.kind === 'text') return this.walk.endOfText(chunk, from);
    for (let at = this.walk.nextMark(chunk, from); at >= 0; at = this.walk.nextMark(chunk, at + 1)) {
      if (this.walk.depth === 0) return at + 1;
      if (this.walk.depth > token.deepest) token.deepest = this.walk.depth;
      if (chunk[at] === COMMA) token.commas++;
    }
    return -1;
  }

  private finishToken(token: JsonToken): void {
    this.token = null;
    const value = parseText(Buffer.concat(token.pieces).toString('utf8'));
    if (value === undefined) throw this.refuse(token.spot);
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

  private refuse({ line, offset }: JsonSpot = { line: this.line, offset: this.offset }): SyncError {
    return new SyncError('SYNC_SOURCE_FORMAT', {
      message: `The file is not valid JSON at line ${line}, byte ${offset + 1}; it may be truncated.`,
      place: this.at,
      remedy: 'Have it exported again. A file with one object per line must end in .ndjson or .jsonl.',
    });
  }
}
