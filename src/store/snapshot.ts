import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openNewSync } from '../new-file.js';
import type { Sqlite } from './sqlite.js';

/** One consistent moment of a database in use, as a file of its own: readers and writers go on meanwhile. */
export function snapshotInto(sqlite: Sqlite, file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite follows links, so it is given an empty file of ours.
  const draft = `${file}.${randomUUID()}.partial`;
  closeSync(openNewSync(draft));
  try {
    sqlite.prepare('VACUUM INTO ?').run(draft);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
