import { accessSync, chmodSync, closeSync, constants, statSync } from 'node:fs';
import { codeOf } from '../base/errors.js';
import { openNewSync } from '../base/new-file.js';

const PRIVATE = 0o600;

/**
 * Creates an empty file that only its owner can access, before SQLite would create a readable one. An existing file is
 * made private. On a volume whose files belong to another user (fsGroup, OpenShift), only that user can change
 * permissions. If the file is readable and writable, it is then used unchanged.
 *
 * @returns false if the file keeps its permissions
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
