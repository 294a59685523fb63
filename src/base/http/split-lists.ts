import { randomUUID } from 'node:crypto';
import type { Json } from '../../model/json.js';
import { JsonWalk, parseText, SIGNS } from '../json-walk.js';
import { refuseGrammar, refuseObject } from './answer-fault.js';
import { formatBytes, MOST_OBJECT_BYTES, MOST_ROWS, type ObjectBound } from './limits.js';

const { COMMA, OPEN_LIST, CLOSE_LIST } = SIGNS;
/** The outline keeps lists shorter than this. */
const SHORT_LIST_BYTES = 64 * 1024;

interface DocumentParts {
  /** Receives everything outside the lists, including their brackets. */
  outside(piece: Buffer): void;
  row(pieces: readonly Buffer[], list: number): void;
}

/**
 * Splits a JSON document into the lists that begin at a given depth, row by row, and everything else. It only looks at
 * JSON's marks, and accepts any division into chunks. The parser later checks that the parts are valid JSON.
 */
class Splitter {
  private readonly walk = new JsonWalk();
  private list = -1;
  private isInList = false;
  private rows = 0;
  private row: Buffer[] = [];
  private rowBytes = 0;
  private rowValues = 0;
  private chunk: Buffer = Buffer.alloc(0);
  /** The chunk has been processed up to this position. */
  private from = 0;

  constructor(
    private readonly depthOfLists: number,
    private readonly most: ObjectBound,
    private readonly parts: DocumentParts,
  ) {}

  /** @throws AnswerFault for a document with an unclosed list */
  async takeApart(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) this.write(chunk);
    if (this.isInList) throw refuseGrammar();
  }

  write(chunk: Buffer): void {
    this.chunk = chunk;
    this.from = 0;
    for (let at = this.walk.nextMark(chunk, 0); at >= 0; at = this.walk.nextMark(chunk, at + 1)) {
      if (this.isInList) this.takeInList(chunk[at] as number, at);
      else if (chunk[at] === OPEN_LIST && this.walk.depth === this.depthOfLists + 1) this.beginList(at);
    }
    if (this.isInList) this.addToRow(chunk.length);
    else if (this.from < chunk.length) this.parts.outside(chunk.subarray(this.from));
  }

  private beginList(index: number): void {
    this.parts.outside(this.chunk.subarray(this.from, index + 1));
    this.from = index + 1;
    this.isInList = true;
    this.list++;
  }

  private takeInList(mark: number, index: number): void {
    const depth = this.walk.depth - this.depthOfLists;
    const endsRow = (mark === COMMA && depth === 1) || (mark === CLOSE_LIST && depth === 0);
    if (!endsRow) {
      if (++this.rowValues > this.most.values)
        throw refuseObject(`One object of the answer has more than ${this.most.values} values`);
      return;
    }
    this.endRow(index);
    if (mark === COMMA) this.from = index + 1;
    else this.isInList = false;
  }

  private endRow(index: number): void {
    this.addToRow(index);
    if (++this.rows > MOST_ROWS) throw refuseObject(`The answer has more than ${MOST_ROWS} rows`);
    this.parts.row(this.row, this.list);
    this.row = [];
    this.rowBytes = 0;
    this.rowValues = 0;
  }

  private addToRow(until: number): void {
    if (until > this.from) this.row.push(this.chunk.subarray(this.from, until));
    this.rowBytes += until - this.from;
    this.from = until;
    if (this.rowBytes > this.most.bytes)
      throw refuseObject(`One object of the answer is longer than ${formatBytes(this.most.bytes)}`);
  }
}

/** A document without the rows of its long lists. */
export interface Outline {
  readonly body: Json;
  /** The number of the list that a placeholder replaces; null if the list is complete. */
  numberOf(list: readonly Json[]): number | null;
}

/** Keeps everything outside the rows, and the rows of short lists. A long list gets a placeholder instead of its rows. */
class OutlineParts implements DocumentParts {
  readonly kept: Buffer[] = [];
  private keptBytes = 0;
  /** The open list: where its rows begin, how many bytes they have, and if it is long. */
  private open = { list: -1, begins: 0, bytes: 0, isLong: false };

  constructor(private readonly markOf: (list: number) => string) {}

  outside(piece: Buffer): void {
    this.kept.push(piece);
    this.keptBytes += piece.length;
    if (this.keptBytes > MOST_OBJECT_BYTES)
      throw refuseObject(`The answer has more than ${formatBytes(MOST_OBJECT_BYTES)} outside its rows`);
  }

  row(pieces: readonly Buffer[], list: number): void {
    const isFirst = list !== this.open.list;
    if (isFirst) this.open = { list, begins: this.kept.length, bytes: 0, isLong: false };
    const open = this.open;
    if (open.isLong) return;
    open.bytes += pieces.reduce((sum, { length }) => sum + length + 1, 0);
    if (open.bytes <= SHORT_LIST_BYTES) {
      this.outside(Buffer.concat(isFirst ? pieces : [Buffer.from(','), ...pieces]));
      return;
    }
    for (const piece of this.kept.splice(open.begins)) this.keptBytes -= piece.length;
    this.outside(Buffer.from(JSON.stringify(this.markOf(list))));
    open.isLong = true;
  }
}

/** @throws AnswerFault for text that is not JSON, and for an object that is too large */
export async function readOutline(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  depthOfLists: number,
  most: ObjectBound,
): Promise<Outline> {
  // The name is random, so that no sender can guess it.
  const name = randomUUID();
  const parts = new OutlineParts((list) => `${name} ${list}`);
  await new Splitter(depthOfLists, most, parts).takeApart(chunks);
  return {
    body: parsePiece(parts.kept),
    numberOf(list) {
      const [mark] = list;
      if (list.length !== 1 || typeof mark !== 'string' || !mark.startsWith(`${name} `)) return null;
      return Number(mark.slice(name.length + 1));
    },
  };
}

/**
 * Reads the rows of one list of the document, in one batch per chunk.
 * @throws AnswerFault for text that is not JSON
 */
export async function* readRows(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  depthOfLists: number,
  most: ObjectBound,
  wanted: number,
): AsyncGenerator<readonly Json[], void, undefined> {
  let rows: Json[] = [];
  const splitter = new Splitter(depthOfLists, most, {
    outside: () => undefined,
    row(pieces, list) {
      if (list === wanted) rows.push(parsePiece(pieces));
    },
  });
  for await (const chunk of chunks) {
    splitter.write(chunk);
    if (rows.length > 0) yield rows;
    rows = [];
  }
}

function parsePiece(pieces: readonly Buffer[]): Json {
  const text = Buffer.concat(pieces).toString('utf8');
  const value = parseText(text.replace(/^\uFEFF/, ''));
  if (value === undefined) throw refuseGrammar();
  return value;
}
