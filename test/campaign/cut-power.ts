import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [HEADER_BYTES, FRAME_HEADER_BYTES, PAGE_SIZE_AT, SALTS_AT] = [32, 24, 8, 16];

/** Bytes of a write-ahead log up to the end of its last whole transaction: what `synchronous=FULL` has on the disk. */
function durableBytes(log: Buffer): number {
  if (log.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(PAGE_SIZE_AT);
  const salts = log.subarray(SALTS_AT, SALTS_AT + 8);
  let durable = HEADER_BYTES;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames of an earlier round of the log are not of this one.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at + 4) !== 0) durable = at + frameBytes;
  }
  return durable;
}

/**
 * What a power cut leaves of a state folder whose process was killed: of the state's log any number of bytes after the last
 * commit, of the mirror's, which does not wait for the disk, any number at all; the index of neither.
 *
 * @param share from 0 up to 1, of the bytes that may be missing
 */
export function cutPower(folder: string, share: number): void {
  for (const name of ['state', 'mirror']) {
    const log = join(folder, `${name}.db-wal`);
    rmSync(join(folder, `${name}.db-shm`), { force: true });
    if (!existsSync(log)) continue;
    const bytes = statSync(log).size;
    const durable = name === 'state' ? durableBytes(readFileSync(log)) : 0;
    const kept = durable + Math.floor(share * (bytes - durable));
    truncateSync(log, kept);
    // A disk may have reserved what it has not written yet.
    if (share < 0.5) writeFileSync(log, Buffer.alloc(Math.min(bytes - kept, 8_192)), { flag: 'a' });
  }
}
