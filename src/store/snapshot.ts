import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Sqlite } from './sqlite.js';

/** One consistent moment of a database in use, as a file of its own: readers and writers go on meanwhile. */
export function snapshotInto(sqlite: Sqlite, file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  sqlite.prepare('VACUUM INTO ?').run(file);
  chmodSync(file, 0o600);
}
