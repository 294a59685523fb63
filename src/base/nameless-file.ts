import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderSync } from './new-file.js';

/** A file of this machine that has no name any more, so that none is left behind however the process ends. */
export async function createNameless(folder: string): Promise<FileHandle> {
  makeFolderSync(folder);
  const path = join(folder, randomUUID());
  // Readable only for the user that runs talent-sync: it holds personal data.
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
