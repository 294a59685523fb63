import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Json } from '../../model/json.js';
import { createNameless } from '../nameless-file.js';
import { AnswerFault, refuseLength, refuseObject } from './answer-fault.js';
import type { HttpResponse } from './http-response.js';
import {
  formatBytes,
  MOST_OBJECT_BYTES,
  MOST_OBJECT_VALUES,
  MOST_REFUSAL_BYTES,
  type ObjectBound,
  USUAL_OBJECT,
} from './limits.js';
import { Meter } from './meter.js';
import { readOutline, readRows } from './split-lists.js';

const CHUNK_BYTES = 256 * 1024;

export interface AnswerBound {
  /** Maximum number of bytes after decompression. */
  readonly maxBytes: number;
  /** The setting that raises this limit; null if there is none. */
  readonly setting: string | null;
  /**
   * Nesting depth of the lists of rows. `top` if the answer is the list, or an object that contains it; null if the
   * answer is one object.
   */
  readonly rowsAt: number | 'top' | null;
  /** Maximum size of a row; the default is the usual limit. */
  readonly object?: ObjectBound;
}

export type RowBatches = Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>;

/** A complete answer. */
export type Answered =
  | { readonly text: string }
  /** An answer with long lists. In `body`, each has a placeholder instead of its rows; `batches` reads the rows, once. */
  | { readonly body: Json; batches(list: readonly Json[]): RowBatches };

/**
 * Reads an answer to its end, up to its limit. If the answer is longer than the limit for one object, it is stored in a
 * nameless file on disk and parsed row by row. So memory use stays constant for any answer.
 *
 * @throws AnswerFault, and the errors of `fetch` if the connection breaks or its signal ends it
 */
export async function readAnswer(response: HttpResponse, bound: AnswerBound): Promise<Answered> {
  const { rowsAt, object = USUAL_OBJECT } = bound;
  const { held, file, meter } = await receive(response, bound);
  try {
    if (file === null && meter.values <= MOST_OBJECT_VALUES) return { text: decode(held) };
    if (rowsAt === null) throw refuseObject(`The answer is one object of more than ${MOST_OBJECT_VALUES} values`);
    const top = meter.isList ? 0 : 1;
    const depth = rowsAt === 'top' ? top : rowsAt;
    const chunks = (): Iterable<Buffer> | AsyncIterable<Buffer> => (file === null ? held : readFrom(file));
    const { body, numberOf } = await readOutline(chunks(), depth, object);
    return {
      body,
      batches(list) {
        const number = numberOf(list);
        return closeAfter(number === null ? [list] : readRows(chunks(), depth, object, number), file);
      },
    };
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** An answer as it arrived. It is held in memory up to the size limit of one object, otherwise in a file. */
interface Received {
  readonly held: readonly Buffer[];
  readonly file: FileHandle | null;
  readonly meter: Meter;
}

async function receive(response: HttpResponse, { rowsAt, maxBytes, setting }: AnswerBound): Promise<Received> {
  const most = rowsAt === null ? Math.min(maxBytes, MOST_OBJECT_BYTES) : maxBytes;
  const check = (length: number): void => {
    if (length <= most) return;
    if (most < maxBytes) throw refuseObject(`The answer is one object of more than ${formatBytes(most)}`);
    throw refuseLength(most, setting);
  };
  const meter = new Meter();
  const held: Buffer[] = [];
  let bytes = 0;
  let file: FileHandle | null = null;
  try {
    for await (const chunk of readChunks(response, check)) {
      bytes += chunk.length;
      check(bytes);
      meter.write(chunk);
      held.push(chunk);
      if (bytes <= MOST_OBJECT_BYTES) continue;
      file ??= await createNameless(tmpdir());
      for (const piece of held.splice(0)) await file.write(piece);
    }
    return { held, file, meter };
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** @param check called with the announced length of the answer before anything is read */
async function* readChunks(response: HttpResponse, check: (length: number) => void): AsyncGenerator<Buffer> {
  const reader = response.body?.getReader();
  let isWhole = false;
  try {
    check(Number(response.headers.get('content-length') ?? 0));
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      isWhole = done === true;
      if (value === undefined) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } finally {
    if (!isWhole) await reader?.cancel().catch(() => undefined);
  }
}

/**
 * Reads the beginning of an answer. The default length is enough for the text of a rejection.
 * @param most maximum number of bytes
 */
export async function readBeginning(response: HttpResponse, most = MOST_REFUSAL_BYTES): Promise<string> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readChunks(response, () => undefined)) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes >= most) break;
  }
  return decode(held, most);
}

function decode(chunks: readonly Buffer[], most?: number): string {
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, most));
}

async function* readFrom(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    // A new buffer each time, because a row may keep parts of several buffers.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* closeAfter<T>(
  rows: Iterable<T> | AsyncIterable<T>,
  file: FileHandle | null,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* rows;
  } finally {
    await file?.close();
  }
}

/** Converts an AnswerFault in one of the rows into the caller's error. */
export async function* explainRows(
  rows: RowBatches,
  explain: (fault: AnswerFault) => Error,
): AsyncGenerator<readonly Json[], void, undefined> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof AnswerFault ? explain(error) : error;
  }
}
