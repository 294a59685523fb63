import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The pages of a SQLite file that commits have changed, read from its write-ahead log. SQLite's documentation of the file
 * format (section 4) gives the layout:
 *
 *     header 32 bytes, then frames: 24 bytes, one page
 *     header: magic, version, page size, checkpoint number, salt 1, salt 2, checksum 1, checksum 2
 *     frame:  page number, size of the file in pages (0: no end of a commit), salt 1, salt 2, checksum 1, checksum 2
 *
 * A frame counts if its salts are those of the header and its checksum, which continues that of the frame before, is right.
 */
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;

/** Since the last look. */
export interface ChangedPages {
  /** Length of the file after the newest commit. */
  readonly pageCount: number;
  /** Number, from 1 → content. */
  readonly pages: ReadonlyMap<number, Buffer>;
}

/** How far a log has been read. */
interface LogPlace {
  /** One more in each new log. */
  readonly checkpoint: number;
  readonly salts: bigint;
  readonly isLittle: boolean;
  readonly pageSize: number;
  readonly offset: number;
  readonly sums: Sums;
}

type Sums = readonly [number, number];

/** @returns what commits have changed since the last call; `lost` if a new log began without a {@link WalReader.restarts} */
export interface WalReader {
  read(): ChangedPages | null | 'lost';
  /** To be called when all of the log was read and is written into the file: its next commit may begin a new log. */
  restarts(): void;
  /** Bytes of the log that have been read. */
  size(): number;
}

/** @param file the log, `state.db-wal`; it need not be there */
export function createWalReader(file: string): WalReader {
  let place: LogPlace | null = null;
  let mayRestart = true;

  function readFrames(handle: number, size: number): ChangedPages | null | 'lost' {
    const head = readHead(handle, size);
    if (head === null) return place === null || mayRestart ? null : 'lost';
    if (place?.salts !== head.salts) {
      if (!mayRestart || (place !== null && head.checkpoint !== place.checkpoint + 1)) return 'lost';
      place = head;
    }
    mayRestart = false;
    const found = readCommits(handle, size, place);
    place = found.place;
    return found.pages.size === 0 ? null : found;
  }

  return {
    read() {
      const handle = openLog(file);
      if (handle === null) return place === null || mayRestart ? null : 'lost';
      try {
        return readFrames(handle, fstatSync(handle).size);
      } finally {
        closeSync(handle);
      }
    },
    restarts() {
      mayRestart = true;
    },
    size: () => place?.offset ?? 0,
  };
}

function openLog(file: string): number | null {
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
    checkpoint: head.readUInt32BE(12),
    salts: head.readBigUInt64BE(16),
    isLittle: (magic & 1) === 0,
    pageSize: head.readUInt32BE(8),
    offset: HEADER,
    sums: [head.readUInt32BE(24), head.readUInt32BE(28)],
  };
}

function readCommits(handle: number, size: number, from: LogPlace): ChangedPages & { readonly place: LogPlace } {
  const pages = new Map<number, Buffer>();
  const begun = new Map<number, Buffer>();
  let [place, pageCount, offset, sums] = [from, 0, from.offset, from.sums];
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
    pageCount = committed;
    place = { ...from, offset: offset + length, sums };
  }
  for (const number of pages.keys()) if (number > pageCount) pages.delete(number);
  return { pageCount, pages, place };
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
