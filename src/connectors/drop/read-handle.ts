import type { FileHandle } from 'node:fs/promises';
import { refuseUnreadable } from './faults.js';

const CHUNK_BYTES = 256 * 1024;

export async function* readHandle(handle: FileHandle, place: string): AsyncGenerator<Buffer> {
  let position = 0;
  for (;;) {
    // Each chunk needs a new buffer, because the parser keeps the end of the last chunk.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position).catch((error: unknown) => {
      throw refuseUnreadable(place, error);
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
