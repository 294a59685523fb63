import { randomUUID } from 'node:crypto';
import type { Json } from '../model/json.js';
import { refuseGrammar, refuseObject } from './answer-fault.js';
import { formatBytes, MOST_OBJECT_BYTES, MOST_ROWS, type ObjectBound } from './limits.js';
import { CLOSE_LIST, COMMA, createMarkFinder, isClosing, isOpening, OPEN_LIST } from './marks.js';

/** A list shorter than this stays in the outline. */
const SHORT_LIST_BYTES = 64 * 1024;

interface Splitter {
  write(chunk: Buffer): void;
  /** @throws AnswerFault where a list is not closed */
  end(): void;
}

interface Parts {
  /** What is outside of the lists, the brackets of the lists included. */
  outside(piece: Buffer): void;
  row(pieces: readonly Buffer[], list: number): void;
}

/**
 * Takes a JSON document apart by its marks alone, however it is cut into chunks: the lists that begin at a depth, row by row,
 * and everything else. Whether the parts are JSON is for the parser to say.
 */
function createSplitter(depthOfLists: number, most: ObjectBound, parts: Parts): Splitter {
  let [depth, list, rows] = [0, -1, 0];
  let isInList = false;
  let chunk: Buffer = Buffer.alloc(0);
  let from = 0;
  let row: Buffer[] = [];
  let [rowBytes, rowValues] = [0, 0];

  function addToRow(until: number): void {
    if (until > from) row.push(chunk.subarray(from, until));
    rowBytes += until - from;
    from = until;
    if (rowBytes > most.bytes) throw refuseObject(`One object of the answer is longer than ${formatBytes(most.bytes)}`);
  }

  function endRow(index: number): void {
    addToRow(index);
    if (++rows > MOST_ROWS) throw refuseObject(`The answer has more than ${MOST_ROWS} rows`);
    parts.row(row, list);
    row = [];
    [rowBytes, rowValues] = [0, 0];
  }

  const find = createMarkFinder((mark, index) => {
    if (isInList && depth === depthOfLists + 1 && (mark === COMMA || mark === CLOSE_LIST)) {
      endRow(index);
      from = mark === COMMA ? index + 1 : index;
      if (mark === COMMA) return;
      isInList = false;
      depth--;
      return;
    }
    if (isInList && ++rowValues > most.values)
      throw refuseObject(`One object of the answer has more than ${most.values} values`);
    if (!isInList && mark === OPEN_LIST && depth === depthOfLists) {
      parts.outside(chunk.subarray(from, index + 1));
      from = index + 1;
      isInList = true;
      list++;
    }
    if (isOpening(mark)) depth++;
    else if (isClosing(mark)) depth--;
  });

  return {
    write(next) {
      chunk = next;
      from = 0;
      find(chunk);
      if (isInList) addToRow(chunk.length);
      else if (from < chunk.length) parts.outside(chunk.subarray(from));
    },
    end() {
      if (isInList) throw refuseGrammar();
    },
  };
}

/** A document without the rows of its long lists. */
export interface Outline {
  readonly body: Json;
  /** Which of the lists in the document a list of the outline stands for; null for one that is here as it is. */
  numberOf(list: readonly Json[]): number | null;
}

/** @throws AnswerFault for what is no JSON, and where one object is too large */
export async function readOutline(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  depthOfLists: number,
  most: ObjectBound,
): Promise<Outline> {
  // Nobody who answers can know it.
  const name = randomUUID();
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let [current, begins, rowsOfList, bytesOfList, isLong] = [-1, 0, 0, 0, false];
  const keep = (piece: Buffer): void => {
    kept.push(piece);
    keptBytes += piece.length;
    if (keptBytes > MOST_OBJECT_BYTES)
      throw refuseObject(`The answer has more than ${formatBytes(MOST_OBJECT_BYTES)} beside its rows`);
  };
  const splitter = createSplitter(depthOfLists, most, {
    outside: keep,
    row(pieces, list) {
      if (list !== current) {
        [current, begins, rowsOfList, bytesOfList, isLong] = [list, kept.length, 0, 0, false];
      }
      rowsOfList++;
      bytesOfList += pieces.reduce((sum, { length }) => sum + length + 1, 0);
      if (isLong) return;
      if (bytesOfList <= SHORT_LIST_BYTES) {
        const row = Buffer.concat(pieces);
        keep(rowsOfList === 1 ? row : Buffer.concat([Buffer.from(','), row]));
        return;
      }
      for (const piece of kept.splice(begins)) keptBytes -= piece.length;
      keep(Buffer.from(JSON.stringify(`${name} ${list}`)));
      isLong = true;
    },
  });
  for await (const chunk of chunks) splitter.write(chunk);
  splitter.end();
  const numbers = new Map<readonly Json[], number>();
  return {
    body: parsePiece(kept),
    numberOf(list) {
      const known = numbers.get(list);
      if (known !== undefined) return known;
      const [mark] = list;
      if (list.length !== 1 || typeof mark !== 'string' || !mark.startsWith(`${name} `)) return null;
      const number = Number(mark.slice(name.length + 1));
      numbers.set(list, number);
      return number;
    },
  };
}

/** The rows of one list of the document, as many at a time as a chunk ends. @throws AnswerFault for what is no JSON */
export async function* readRows(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  depthOfLists: number,
  most: ObjectBound,
  wanted: number,
): AsyncGenerator<readonly Json[], void, undefined> {
  let rows: Json[] = [];
  const splitter = createSplitter(depthOfLists, most, {
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
  try {
    return JSON.parse(
      Buffer.concat(pieces)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    ) as Json;
  } catch {
    // Not the parser's own words: they quote the content, which is personal data.
    throw refuseGrammar();
  }
}
