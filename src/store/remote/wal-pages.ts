import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Reads pages changed by commits from the write-ahead log of a SQLite file. SQLite's documentation of the file format
 * (section 4) describes the layout:
 *
 *     header 32 bytes, then frames: 24 bytes, one page
 *     header: magic, version, page size, checkpoint number, salt 1, salt 2, checksum 1, checksum 2
 *     frame:  page number, size of the file in pages (0: no end of a commit), salt 1, salt 2, checksum 1, checksum 2
 *
 * A frame is valid if its salts match the header and its checksum is correct. The checksum continues the previous one.
 *
 * A checkpoint may end a log. The next commit then begins a new log, which does not show if any commits were missed. The
 * index of the log (-shm, section 2.1) counts all commits, so it reveals missed ones.
 */
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;
/** Position of the counter in the index: a 32-bit number in this machine's byte order. */
const COUNTER_AT = 8;

/** Pages changed by commits since the last read. */
export interface ChangedPages {
  /** Number of pages in the file after the newest commit. */
  readonly pageCount: number;
  /** Maps page numbers, which start at 1, to content. */
  readonly pages: ReadonlyMap<number, Buffer>;
}

/** How far a log has been read. */
interface LogPlace {
  readonly salts: bigint;
  readonly isLittle: boolean;
  readonly pageSize: number;
  readonly offset: number;
  readonly sums: Sums;
}

type Sums = readonly [number, number];

export interface WalReader {
  /** Returns the pages that commits changed since the last call; `lost` if a commit is no longer in any log. */
  read(): ChangedPages | null | 'lost';
  /** Number of bytes of the log that have been read. */
  size(): number;
}

/** @param database a file that another connection keeps open */
export function createWalReader(database: string): WalReader {
  let place: LogPlace | null = null;
  let counter = readCounter(database);

  function readFrames(handle: number): ReadCommits | null {
    const { size } = fstatSync(handle);
    const head = readHead(handle, size);
    if (place?.salts !== head?.salts) place = head;
    if (place === null) return null;
    const found = readCommits(handle, size, place);
    place = found.place;
    return found;
  }

  return {
    read() {
      const handle = openFile(`${database}-wal`);
      try {
        const found = handle === null ? null : readFrames(handle);
        const before = counter;
        counter = readCounter(database);
        if ((found?.commits ?? 0) < (counter - before) >>> 0) return 'lost';
        return found === null || found.pages.size === 0 ? null : found;
      } finally {
        if (handle !== null) closeSync(handle);
      }
    },
    size: () => place?.offset ?? 0,
  };
}

/** Number of commits since the index was created; 0 if there is no index yet. */
function readCounter(database: string): number {
  const handle = openFile(`${database}-shm`);
  if (handle === null) return 0;
  try {
    const counter = new Uint32Array(1);
    readSync(handle, counter, 0, counter.byteLength, COUNTER_AT);
    return counter[0] ?? 0;
  } finally {
    closeSync(handle);
  }
}

function openFile(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch {
    return null;
  }
}

function readHead(handle: number, size: number): LogPlace | null {
  if (size < HEADER) return null;
  const head = Buffer.alloc(HEADER);
  readSync(handle, head, 0, HEADER, 0);
  const magic = head.readUInt32BE(0);
  if ((magic & ~1) !== MAGIC) return null;
  return {
    salts: head.readBigUInt64BE(16),
    isLittle: (magic & 1) === 0,
    pageSize: head.readUInt32BE(8),
    offset: HEADER,
    sums: [head.readUInt32BE(24), head.readUInt32BE(28)],
  };
}

interface ReadCommits extends ChangedPages {
  readonly commits: number;
  readonly place: LogPlace;
}

function readCommits(handle: number, size: number, from: LogPlace): ReadCommits {
  const pages = new Map<number, Buffer>();
  const begun = new Map<number, Buffer>();
  let [place, commits, pageCount, offset, sums] = [from, 0, 0, from.offset, from.sums];
  const length = FRAME_HEADER + from.pageSize;
  for (; offset + length <= size; offset += length) {
    const frame = Buffer.alloc(length);
    readSync(handle, frame, 0, length, offset);
    if (frame.readBigUInt64BE(8) !== from.salts) break;
    sums = addUp(frame.subarray(FRAME_HEADER), from.isLittle, addUp(frame.subarray(0, 8), from.isLittle, sums));
    if (frame.readUInt32BE(16) !== sums[0] || frame.readUInt32BE(20) !== sums[1]) break;
    begun.set(frame.readUInt32BE(0), frame.subarray(FRAME_HEADER));
    const committed = frame.readUInt32BE(4);
    if (committed === 0) continue;
    for (const [number, page] of begun) pages.set(number, page);
    begun.clear();
    commits += 1;
    pageCount = committed;
    place = { ...from, offset: offset + length, sums };
  }
  for (const number of pages.keys()) if (number > pageCount) pages.delete(number);
  return { commits, pageCount, pages, place };
}

/** SQLite's checksum over pairs of 32-bit words. */
function addUp(bytes: Buffer, isLittle: boolean, [first, second]: Sums): Sums {
  const read = isLittle ? (at: number) => bytes.readUInt32LE(at) : (at: number) => bytes.readUInt32BE(at);
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + read(at) + two) >>> 0;
    two = (two + read(at + 4) + one) >>> 0;
  }
  return [one, two];
}
