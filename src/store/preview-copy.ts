import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { findPushedCopy, makePushedCopy } from './remote/working-copy.js';
import { lockFolder, type RunLock } from './run-lock.js';
import { snapshotInto } from './snapshot.js';

/*
 * A plan is previewed on a temporary copy of the state, so that it leaves nothing behind and does not block runs.
 *
 *     preview/          the holder of its lock makes the copy; one at a time
 *     preview/copy/     state.db, mirror.db, pushed/state.db
 */

const FOLDER = 'preview';

/** Gets the lock that allows only one preview per state. @throws SyncError SYNC_STATE_LOCKED */
export function lockPreview(folder: string, holder: string): RunLock {
  return lockFolder(join(folder, FOLDER), holder);
}

/** Removes the copy. The caller holds the preview lock, or holds the state's lock to erase a person. */
export function removePreviewCopy(folder: string): void {
  rmSync(join(folder, FOLDER, 'copy'), { recursive: true, force: true });
}

/** The folder of data that identity providers pushed, for the process that makes the copy; null if the state contains it. */
export function findPushed(folder: string): string | null {
  return findPushedCopy(folder);
}

/**
 * Copies the current state.
 *
 * @param pushed the folder of data that identity providers pushed; null if the state contains it
 * @returns the folder of the copy; null if there is no state yet
 */
export function makePreviewCopy(folder: string, pushed: string | null): string | null {
  const copy = join(folder, FOLDER, 'copy');
  removePreviewCopy(folder);
  if (!existsSync(join(folder, 'state.db')) || !existsSync(join(folder, 'mirror.db'))) return null;
  for (const name of ['state.db', 'mirror.db']) copyFile(folder, copy, name);
  if (pushed !== null) copyFile(pushed, makePushedCopy(copy), 'state.db');
  return copy;
}

function copyFile(from: string, to: string, name: string): void {
  const sqlite = new Database(join(from, name), { readonly: true, timeout: 10_000 });
  try {
    snapshotInto(sqlite, join(to, name));
  } finally {
    sqlite.close();
  }
}
