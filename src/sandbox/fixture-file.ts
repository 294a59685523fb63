import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf, SyncError } from '../errors.js';
import { FIXTURE_LISTS, type FixtureList, type FixtureParts } from './fixture-parts.js';

const CHUNK_BYTES = 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);
const ENDS: ReadonlySet<number> = new Set([...BLANKS, COMMA, CLOSE_LIST, CLOSE_OBJECT, -1]);

/** A value of the file, from its first byte to after its last. */
interface ValueSpan {
  /** In an object. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A fixture in a file of any size. Where its parts are is found first, in one pass; then each is read by itself.
 * @throws SyncError SYNC_CONFIG_UNREADABLE as it is read
 */
export function openFixtureFile(file: string): FixtureParts {
  let found: readonly ValueSpan[] | undefined;
  const isList = (bytes: FixtureBytes, { name, start }: ValueSpan): boolean =>
    FIXTURE_LISTS.some((list) => list === name) && bytes.at(start) === OPEN_LIST;
  function findExtents(bytes: FixtureBytes): readonly ValueSpan[] {
    found ??= bytes.listDocument();
    return found;
  }
  return {
    readFrame: () =>
      withFile(file, (bytes) =>
        Object.fromEntries(
          findExtents(bytes).map((extent) => [
            extent.name,
            isList(bytes, extent) ? [] : bytes.parse(extent.start, extent.end),
          ]),
        ),
      ),
    *readList(name: FixtureList) {
      const bytes = new FixtureBytes(file);
      try {
        const extent = findExtents(bytes).findLast((one) => one.name === name && isList(bytes, one));
        if (extent !== undefined)
          for (const { start, end } of bytes.listValues(extent.start)) yield bytes.parse(start, end);
      } finally {
        bytes.close();
      }
    },
  };
}

function withFile<R>(file: string, work: (bytes: FixtureBytes) => R): R {
  const bytes = new FixtureBytes(file);
  try {
    return work(bytes);
  } finally {
    bytes.close();
  }
}

function refuseFile(file: string, problem: string, cause?: unknown): SyncError {
  return new SyncError('SYNC_CONFIG_UNREADABLE', {
    message: `The sandbox fixture cannot be read: ${problem}`,
    place: file,
    remedy: 'Give a JSON file; docs/sandbox.md shows its form.',
    cause,
  });
}

/** JSON in a file, a piece of which is held. Values are found by their brackets and quotes, and parsed one by one. */
class FixtureBytes {
  readonly #file: string;
  readonly #handle: number;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #start = 0;
  #length = 0;

  constructor(file: string) {
    this.#file = file;
    try {
      this.#handle = openSync(file, 'r');
    } catch (error) {
      throw refuseFile(file, messageOf(error), error);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  /** -1 after the end. */
  at(offset: number): number {
    const within = offset - this.#start;
    if (within >= 0 && within < this.#length) return this.#chunk[within] ?? -1;
    this.#start = offset;
    this.#length = readSync(this.#handle, this.#chunk, 0, CHUNK_BYTES, offset);
    return this.#length === 0 ? -1 : (this.#chunk[0] ?? -1);
  }

  parse(start: number, end: number): unknown {
    const inChunk = start >= this.#start && end <= this.#start + this.#length;
    const bytes = inChunk ? this.#chunk.subarray(start - this.#start, end - this.#start) : Buffer.alloc(end - start);
    if (!inChunk) readSync(this.#handle, bytes, 0, bytes.length, start);
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch (error) {
      throw refuseFile(this.#file, `${messageOf(error)}, counted from byte ${start}`, error);
    }
  }

  /** The values of the object that is all of the file. */
  listDocument(): readonly ValueSpan[] {
    const start = this.#skipBlanks(0);
    if (this.at(start) !== OPEN_OBJECT) throw this.#refuse(start);
    const end = this.#skipBlanks(this.#skipValue(start));
    if (this.at(end) !== -1) throw this.#refuse(end);
    return [...this.listValues(start)];
  }

  /** The values in the list or object that begins there. */
  *listValues(start: number): IterableIterator<ValueSpan> {
    const isObject = this.at(start) === OPEN_OBJECT;
    const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
    let at = this.#skipBlanks(start + 1);
    if (this.at(at) === close) return;
    for (;;) {
      let name = '';
      if (isObject) {
        const end = this.#skipValue(at);
        name = String(this.parse(at, end));
        at = this.#skipBlanks(this.#expect(COLON, this.#skipBlanks(end)));
      }
      const end = this.#skipValue(at);
      yield { name, start: at, end };
      at = this.#skipBlanks(end);
      if (this.at(at) === close) return;
      at = this.#skipBlanks(this.#expect(COMMA, at));
    }
  }

  #skipBlanks(from: number): number {
    let offset = from;
    while (BLANKS.has(this.at(offset))) offset += 1;
    return offset;
  }

  #expect(byte: number, offset: number): number {
    if (this.at(offset) !== byte) throw this.#refuse(offset);
    return offset + 1;
  }

  /** Where the value that begins there has ended. */
  #skipValue(start: number): number {
    let depth = 0;
    for (let offset = start; ; ) {
      const byte = this.at(offset);
      if (byte === -1) throw this.#refuse(offset);
      if (byte === QUOTE) offset = this.#skipText(offset + 1);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        offset += 1;
        continue;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        offset += 1;
      } else if (depth > 0) {
        offset += 1;
        continue;
      } else return this.#skipWord(offset);
      if (depth === 0) return offset;
    }
  }

  #skipText(from: number): number {
    for (let offset = from; ; offset += 1) {
      const byte = this.at(offset);
      if (byte === QUOTE) return offset + 1;
      if (byte === BACKSLASH) offset += 1;
      if (byte === -1) throw this.#refuse(offset);
    }
  }

  #skipWord(from: number): number {
    let offset = from;
    while (!ENDS.has(this.at(offset))) offset += 1;
    if (offset === from) throw this.#refuse(offset);
    return offset;
  }

  #refuse(offset: number): SyncError {
    return refuseFile(this.#file, `it is no JSON object at byte ${offset + 1}; it may be cut.`);
  }
}
