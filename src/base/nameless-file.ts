import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderSync } from './new-file.js';

/** Creates a local file without a name, so that it disappears however the process ends. */
export async function createNameless(folder: string): Promise<FileHandle> {
  makeFolderSync(folder);
  const path = join(folder, randomUUID());
  // The file contains personal data, so only the user that runs talent-sync may read it.
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
