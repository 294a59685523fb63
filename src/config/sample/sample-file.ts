import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf, SyncError } from '../../base/errors.js';
import type { EncodedFile } from '../../connectors/formats/decode.js';

export interface SampleFile extends EncodedFile {
  readonly size: number;
}

/** Opens a file that the user has named, regardless of its folder and age. */
export async function openSample(path: string): Promise<SampleFile> {
  const at = resolve(path);
  const stats = await stat(at).catch((error: unknown) => {
    throw fileError(at, codeOf(error) ?? String(error));
  });
  if (!stats.isFile()) throw fileError(at, 'it is not a regular file');
  if (stats.size === 0) {
    throw new SyncError('SYNC_SOURCE_FORMAT', {
      message: 'The sample is empty (zero bytes).',
      place: at,
      remedy: 'Name a file with a header and some rows.',
    });
  }
  return { at, size: stats.size, bytes: () => createReadStream(at) };
}

function fileError(at: string, reason: string): SyncError {
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `The sample cannot be read: ${reason}.`,
    place: at,
    remedy: 'Name an existing file that you can read.',
  });
}
