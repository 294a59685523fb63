import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolderSync, openNewSync } from '../base/new-file.js';
import type { Sqlite } from './sqlite.js';

/** Writes a consistent snapshot of an open database to a separate file, without blocking readers or writers. */
export function snapshotInto(sqlite: Sqlite, file: string): void {
  makeFolderSync(dirname(file), 0o700);
  // SQLite follows links, so this creates an empty file for it first.
  const draft = `${file}.${randomUUID()}.partial`;
  closeSync(openNewSync(draft));
  try {
    sqlite.prepare('VACUUM INTO ?').run(draft);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Like `snapshotInto`, but keeps an equal file with this ending if the folder has one. So repeated attempts leave one
 * copy.
 * @returns the file that contains the snapshot
 */
export function keepSnapshot(sqlite: Sqlite, file: string, ending: string): string {
  snapshotInto(sqlite, file);
  const folder = dirname(file);
  const others = readdirSync(folder).filter((name) => name.includes(ending) && name !== basename(file));
  const same = others.map((name) => join(folder, name)).find((other) => isSameFile(other, file));
  if (same === undefined) return file;
  rmSync(file);
  return same;
}

const CHUNK_BYTES = 1024 * 1024;

function isSameFile(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  const [a, b] = [openSync(one, 'r'), openSync(other, 'r')];
  const [chunkA, chunkB] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  try {
    for (;;) {
      const bytes = readSync(a, chunkA);
      if (readSync(b, chunkB) !== bytes || !chunkA.subarray(0, bytes).equals(chunkB.subarray(0, bytes))) return false;
      if (bytes === 0) return true;
    }
  } finally {
    closeSync(a);
    closeSync(b);
  }
}
