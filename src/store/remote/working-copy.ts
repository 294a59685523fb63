import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError } from '../../base/errors.js';
import { createDraft, makeFolderSync } from '../../base/new-file.js';
import type { StateHead } from './leases.js';

/*
 * The folder of a tenant whose state is in PostgreSQL: state.db is its working copy, and everything else in it is a cache.
 *
 *     remote.json without a commit   it is being worked with, or its process died: no word of it counts
 *     remote.json with a commit      it was left complete at this commit
 */

const MARKER = 'remote.json';

/** @returns true if the state in a folder is only a working copy */
export function isWorkingCopy(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/** A state that was never pushed, as a daemon without a `backend:` leaves it, is not a copy to be thrown away. @throws SyncError SYNC_STATE_ELSEWHERE */
export function checkIsCopy(folder: string, tenant: string): void {
  if (isWorkingCopy(folder) || !existsSync(join(folder, 'state.db'))) return;
  throw new SyncError('SYNC_STATE_ELSEWHERE', {
    message: `The folder has a state of ${tenant} that was never in PostgreSQL.`,
    place: folder,
    remedy: 'Bring it there (`talent-sync state push`), or move it away if PostgreSQL has the state that counts.',
  });
}

/** The commit at which the copy was left; null where it proves nothing. */
export function readCopy(folder: string): Pick<StateHead, 'id' | 'number'> | null {
  const [marker, log] = [join(folder, MARKER), join(folder, 'state.db-wal')];
  if (!existsSync(marker) || !existsSync(join(folder, 'state.db'))) return null;
  // A copy that was left complete has its log in the file.
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const { id, number } = JSON.parse(readFileSync(marker, 'utf8')) as { id: string | null; number: number };
  return id === null ? null : { id, number };
}

/** From now on the copy may say what PostgreSQL does not know. */
export function beginCopy(folder: string): void {
  makeFolderSync(folder, 0o700);
  writeMarker(folder, { id: null, number: 0 });
}

/** The copy is complete, on the disk, and known to PostgreSQL. */
export function leaveCopy(folder: string, { id, number }: Pick<StateHead, 'id' | 'number'>): void {
  writeMarker(folder, { id, number });
}

/** It is a state like any other from now on. */
export function leaveState(folder: string): void {
  rmSync(join(folder, MARKER), { force: true });
}

const FILES = ['state.db', 'mirror.db'].flatMap((file) => [file, `${file}-wal`, `${file}-shm`]);
/** Files that can be made again from PostgreSQL and the service; backups and reports are not among them. */
const MADE = [...FILES, 'plans', 'downloads'];

/** Removes the copies from the folder, but for those that are kept. */
export function emptyCopy(folder: string, kept: readonly string[]): void {
  for (const name of MADE) if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

function writeMarker(folder: string, content: Pick<StateHead, 'id' | 'number'>): void {
  const draft = createDraft(join(folder, MARKER));
  draft.write(`${JSON.stringify(content)}\n`);
  draft.finish();
}
