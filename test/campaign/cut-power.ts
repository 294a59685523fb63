import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [HEADER_BYTES, FRAME_HEADER_BYTES, PAGE_SIZE_AT, SALTS_AT] = [32, 24, 8, 16];

/**
 * The bytes of a write-ahead log up to the end of its last complete transaction, which `synchronous=FULL` has on disk.
 */
function durableBytes(log: Buffer): number {
  if (log.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(PAGE_SIZE_AT);
  const salts = log.subarray(SALTS_AT, SALTS_AT + 8);
  let durable = HEADER_BYTES;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames of an earlier round of the log do not belong to this one.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at + 4) !== 0) durable = at + frameBytes;
  }
  return durable;
}

/**
 * Leaves a state folder as after a power cut of a killed process. The state's log keeps any number of bytes after the
 * last commit;
 * the mirror's log, which does not wait for the disk, keeps any number at all. The index of neither remains.
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
    // A disk may have reserved space that it has not written yet.
    if (share < 0.5) writeFileSync(log, Buffer.alloc(Math.min(bytes - kept, 8_192)), { flag: 'a' });
  }
}
