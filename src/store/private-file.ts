import { accessSync, chmodSync, closeSync, constants, statSync } from 'node:fs';
import { codeOf } from '../base/errors.js';
import { openNewSync } from '../base/new-file.js';

const PRIVATE = 0o600;

/**
 * An empty file for its owner's eyes only, before SQLite makes one that all may read; one that is there is made private. On a
 * volume whose files belong to another user (fsGroup, OpenShift) only that user may do so: what may be read and written is
 * used as it is.
 *
 * @returns false where the file keeps its rights
 * @throws Error of the file system
 */
export function makePrivate(file: string, change: (path: string, mode: number) => void = chmodSync): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openNewSync(file, PRIVATE));
  else if (found.isFile() && (found.mode & 0o777) !== PRIVATE) return tryChange(file, change);
  return true;
}

function tryChange(file: string, change: (path: string, mode: number) => void): boolean {
  try {
    change(file, PRIVATE);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
    return false;
  }
}
