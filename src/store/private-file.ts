import { chmodSync, closeSync, statSync } from 'node:fs';
import { openNewSync } from '../new-file.js';

const PRIVATE = 0o600;

/** An empty file for its owner's eyes only, before SQLite makes one that all may read; one that is there is made private. */
export function makePrivate(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openNewSync(file, PRIVATE));
  else if (found.isFile() && (found.mode & 0o777) !== PRIVATE) chmodSync(file, PRIVATE);
}
