import { SyncError } from '../../errors.js';
import type { Json } from '../../model/json.js';
import { MAX_DEPTH, MAX_VALUES } from '../rows/parse-json.js';
import { splitPointer } from '../rows/pointer.js';
import { refuseNoName, refuseNoRows, refuseRows } from './find-rows.js';

/** A row longer than this is a quote that was never closed. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
/** Of names that are told where a wanted one is not there. */
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

/** A value that is gathered until it ends: a name, a text, a number or word, a whole row. */
interface JsonToken {
  readonly kind: 'text' | 'word' | 'row';
  readonly pieces: Buffer[];
  readonly line: number;
  readonly offset: number;
  bytes: number;
  depth: number;
  commas: number;
  inText: boolean;
  isEscaped: boolean;
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

export interface JsonScanner {
  write(chunk: Buffer): void;
  /** @throws SyncError SYNC_SOURCE_FORMAT where the document is not finished */
  end(): void;
}

/**
 * Takes the rows out of a JSON document as its bytes come, so that no more than a row is held of a document of any size. All of
 * it is held to the grammar, also what is before and after the rows: a document that was cut is none.
 *
 * @param pointer of the list of rows
 */
export function createJsonScanner(pointer: string, at: string, takeRow: (row: Json) => void): JsonScanner {
  const steps = splitPointer(pointer);
  const open: Frame[] = [];
  let expected: Expected = 'value';
  let token: JsonToken | null = null;
  let hasFound = false;
  let [line, offset] = [1, 0];

  function refuse(where: { readonly line: number; readonly offset: number } = { line, offset }): SyncError {
    return new SyncError('SYNC_SOURCE_FORMAT', {
      message: `The file is not valid JSON at line ${where.line}, byte ${where.offset + 1}; it may be cut.`,
      place: at,
      remedy: 'Have it exported again. A file with one object per line must end in .ndjson or .jsonl.',
    });
  }

  function startToken(kind: JsonToken['kind']): JsonToken {
    return { kind, pieces: [], line, offset, bytes: 0, depth: 0, commas: 0, inText: false, isEscaped: false };
  }

  /** Whether the pointer leads to the value that comes now. */
  function isOnWay(): boolean {
    const frame = open.at(-1);
    return frame === undefined || (frame.isOnWay && frame.name === steps[open.length - 1]);
  }

  function startValue(byte: number): void {
    const frame = open.at(-1);
    if (frame?.isList === true) frame.name = String(frame.count++);
    const isContainer = byte === OPEN_LIST || byte === OPEN_OBJECT;
    if (isContainer && frame?.hasRows !== true) {
      openFrame(byte === OPEN_LIST);
      return;
    }
    if (!isContainer && isOnWay()) {
      const found = byte === QUOTE ? 'a text' : 'a number, true, false or null';
      throw open.length === steps.length ? refuseNoRows(pointer, found, at) : refuseNoName(steps, open.length, [], at);
    }
    token = startToken(isContainer ? 'row' : byte === QUOTE ? 'text' : 'word');
  }

  function openFrame(isList: boolean): void {
    const way = isOnWay();
    const hasRows = way && open.length === steps.length;
    if (hasRows && !isList) throw refuseNoRows(pointer, 'an object', at);
    if (hasRows && hasFound) throw refuseRows(`There are two lists of rows at "${pointer}".`, at);
    if (open.length >= MAX_DEPTH) throw refuse();
    hasFound ||= hasRows;
    open.push({ isList, isOnWay: way, hasRows, names: [], name: '', count: 0 });
    expected = isList ? 'value or end' : 'name or end';
  }

  function closeFrame(isList: boolean): void {
    const frame = open.pop();
    if (frame === undefined || frame.isList !== isList) throw refuse();
    if (frame.isOnWay && !hasFound) throw refuseNoName(steps, open.length, frame.names, at);
    expected = open.length === 0 ? 'nothing' : 'comma or end';
  }

  function takeByte(byte: number): void {
    const isEnd = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
    if (isEnd && expected.endsWith('or end')) closeFrame(byte === CLOSE_LIST);
    else if (expected === 'colon' && byte === COLON) expected = 'value';
    else if (expected === 'comma or end' && byte === COMMA) expected = open.at(-1)?.isList === true ? 'value' : 'name';
    else if (expected.startsWith('name') && byte === QUOTE) token = startToken('text');
    else if (expected.startsWith('value')) startValue(byte);
    else throw refuse();
  }

  /** @returns where the token ends, -1 when not in this chunk */
  function findEnd(chunk: Buffer, from: number, one: JsonToken): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === NEWLINE && one.kind !== 'word') line++;
      if (one.inText) {
        if (one.isEscaped) one.isEscaped = false;
        else if (byte === BACKSLASH) one.isEscaped = true;
        else if (byte === QUOTE) {
          one.inText = false;
          if (one.kind === 'text') return index + 1;
        }
      } else if (one.kind === 'word') {
        if (ENDS.has(byte)) return index;
      } else if (byte === QUOTE) one.inText = true;
      else if (byte === COMMA) {
        if (++one.commas >= MAX_VALUES) throw refuse(one);
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++one.depth > MAX_DEPTH) throw refuse(one);
      } else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --one.depth === 0) return index + 1;
    }
    return -1;
  }

  function finishToken({ pieces, ...where }: JsonToken): void {
    token = null;
    let value: Json;
    try {
      value = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Json;
    } catch {
      // Not the parser's own words: they quote the content, which is personal data.
      throw refuse(where);
    }
    const frame = open.at(-1);
    if (expected.startsWith('name') && frame !== undefined) {
      frame.name = String(value);
      if (frame.isOnWay && frame.names.length < MAX_NAMES) frame.names.push(frame.name);
      expected = 'colon';
      return;
    }
    if (frame?.hasRows === true) takeRow(value);
    expected = frame === undefined ? 'nothing' : 'comma or end';
  }

  return {
    write(chunk) {
      const start = offset;
      for (let index = 0; index < chunk.length; ) {
        if (token === null) {
          const byte = chunk[index] ?? 0;
          offset = start + index;
          if (byte === NEWLINE) line++;
          if (!BLANKS.has(byte)) takeByte(byte);
          // The byte that a token begins with is part of it.
          if (token === null) index++;
          continue;
        }
        const gathered: JsonToken = token;
        const end = findEnd(chunk, index, gathered);
        const piece = chunk.subarray(index, end < 0 ? chunk.length : end);
        gathered.pieces.push(piece);
        gathered.bytes += piece.length;
        if (gathered.bytes > MAX_ROW_BYTES) throw refuse(gathered);
        if (end >= 0) finishToken(gathered);
        index += piece.length;
      }
      offset = start + chunk.length;
    },
    end() {
      if (token !== null && token.kind === 'word') finishToken(token);
      if (token !== null || expected !== 'nothing') throw refuse();
    },
  };
}
