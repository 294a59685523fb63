import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createNameless } from '../connectors/drop/nameless-file.js';
import type { Json } from '../model/json.js';
import { AnswerFault, refuseLength, refuseObject } from './answer-fault.js';
import {
  formatBytes,
  MOST_OBJECT_BYTES,
  MOST_OBJECT_VALUES,
  MOST_REFUSAL_BYTES,
  type ObjectBound,
  USUAL_OBJECT,
} from './limits.js';
import { createMeter } from './meter.js';
import { readOutline, readRows } from './split-lists.js';

const CHUNK_BYTES = 256 * 1024;

export interface AnswerBound {
  /** After decompression. */
  readonly maxBytes: number;
  /** What raises it; null where nothing does. */
  readonly setting: string | null;
  /**
   * How many objects and lists stand around the lists of rows; `top` where the answer is the list, or an object that has it.
   * null where the answer is one object.
   */
  readonly rowsAt: number | 'top' | null;
  /** What a row may be; the usual unless given. */
  readonly object?: ObjectBound;
}

export type Batches = Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>;

/** An answer that came to its end. */
export type Answered =
  | { readonly text: string }
  /** One with long lists: they stand empty, but for a mark, in `body`, and are read once, with `batches`. */
  | { readonly body: Json; batches(list: readonly Json[]): Batches };

/**
 * Reads an answer to its end, and no further than its bound. What is longer than one object may be waits on disk, in a file
 * without a name, and is parsed row by row: memory stays flat whatever comes.
 *
 * @throws AnswerFault, and what `fetch` throws when the connection breaks or its signal ends it
 */
export async function readAnswer(response: Response, bound: AnswerBound): Promise<Answered> {
  const { object = USUAL_OBJECT } = bound;
  const most = bound.rowsAt === null ? Math.min(bound.maxBytes, MOST_OBJECT_BYTES) : bound.maxBytes;
  const refuse = () => {
    if (most < bound.maxBytes) return refuseObject(`The answer is one object of more than ${formatBytes(most)}`);
    const setting = bound.setting === null ? '' : `, the limit of \`${bound.setting}\``;
    return refuseLength(`The answer is longer than ${formatBytes(most)}${setting}`, bound.setting);
  };
  const announced = Number(response.headers.get('content-length') ?? 0);
  const reader = response.body?.getReader();
  const meter = createMeter();
  const held: Buffer[] = [];
  let [bytes, isWhole] = [0, reader === undefined];
  let file: FileHandle | null = null;
  try {
    if (announced > most) throw refuse();
    while (!isWhole && reader !== undefined) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (value === undefined) continue;
      bytes += value.length;
      if (bytes > most) throw refuse();
      meter.write(value);
      held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      if (bytes <= MOST_OBJECT_BYTES) continue;
      file ??= await createNameless(tmpdir());
      for (const chunk of held.splice(0)) await file.write(chunk);
    }
    if (file === null && meter.values() <= MOST_OBJECT_VALUES) return { text: new TextDecoder().decode(join(held)) };
    if (bound.rowsAt === null) throw refuseObject(`The answer is one object of more than ${MOST_OBJECT_VALUES} values`);
    const top = meter.isList() === true ? 0 : 1;
    const depth = bound.rowsAt === 'top' ? top : bound.rowsAt;
    const chunks = (): Iterable<Buffer> | AsyncIterable<Buffer> => (file === null ? held : readFrom(file));
    const { body, numberOf } = await readOutline(chunks(), depth, object);
    const spilled = file;
    file = null;
    return {
      body,
      batches(list) {
        const number = numberOf(list);
        if (number === null) return closeAfter([list], spilled);
        return closeAfter(readRows(spilled === null ? held : readFrom(spilled), depth, object, number), spilled);
      },
    };
  } catch (error) {
    await file?.close();
    throw error;
  } finally {
    if (!isWhole) await reader?.cancel().catch(() => undefined);
  }
}

/** The beginning of a refusal: enough for its words. */
export async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const held: Uint8Array[] = [];
  let bytes = 0;
  while (reader !== undefined && bytes < MOST_REFUSAL_BYTES) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(join(held));
    held.push(value);
    bytes += value.length;
  }
  await reader?.cancel().catch(() => undefined);
  return new TextDecoder().decode(join(held).subarray(0, MOST_REFUSAL_BYTES));
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(chunks);
}

async function* readFrom(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    // A new buffer each time: a row may be in several of them.
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

/** What is wrong with a row shows only when it is read: the fault becomes an error of the caller. */
export async function* explainRows(
  rows: Batches,
  explain: (fault: AnswerFault) => Error,
): AsyncGenerator<readonly Json[], void, undefined> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof AnswerFault ? explain(error) : error;
  }
}
