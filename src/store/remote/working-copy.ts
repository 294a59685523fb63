import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { SyncError } from '../../base/errors.js';
import { createDraft, makeFolderSync } from '../../base/new-file.js';
import { isAlive } from '../../base/process-life.js';
import type { Commit } from './file-line.js';

/*
 * The local folder of a tenant with its state in PostgreSQL. Here, state.db is a working copy, and everything else is a
 * cache.
 *
 *     remote.json without a commit   a process is using it or has ended: do not trust it
 *     remote.json with a commit      the folder was left complete at this commit
 */

const MARKER = 'remote.json';

/** How much of a tenant a copy contains. `seen` lacks the mirror that a run needs. */
type CopyExtent = 'complete' | 'seen';

interface Marker extends Commit {
  readonly extent?: CopyExtent;
  /** True if the folder also contains other holders' plans. */
  readonly hasPlans?: boolean;
}

/** A copy that its holder left complete. */
export interface LeftCopy extends Commit {
  readonly extent: CopyExtent;
  readonly hasPlans: boolean;
}

/** @returns true if the state in a folder is only a working copy */
export function isWorkingCopy(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/**
 * Checks that a copy may replace the content of a folder.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE if the folder contains a separate state
 */
export function checkCopyable(folder: string): void {
  if (isWorkingCopy(folder) || !existsSync(join(folder, 'state.db'))) return;
  throw new SyncError('SYNC_STATE_ELSEWHERE', {
    message: 'This folder has a state that is not in PostgreSQL, although daemon.yaml names a `backend:`.',
    place: folder,
    remedy:
      'Move it there (`talent-sync state push`). To keep it here, move the configuration of the tenant out of the folder of daemon.yaml. If the state is outdated, move it away.',
  });
}

/** Folders of the copies that this process may write: copies of tenants that it holds, and its private copies. */
const writable = new Set<string>();

export function noteWritable(folder: string, isWritable: boolean): void {
  if (isWritable) writable.add(folder);
  else writable.delete(folder);
}

/**
 * True if this process may only read the copy. Changes to a copy without a holder would be in no line, but the next
 * holder would build on them.
 */
export function isForLooking(folder: string): boolean {
  return isWorkingCopy(folder) && !writable.has(folder);
}

/** The commit at which the copy was left; null if the copy cannot be trusted. */
export function readCopy(folder: string): LeftCopy | null {
  const [marker, log] = [join(folder, MARKER), join(folder, 'state.db-wal')];
  if (!existsSync(marker) || !existsSync(join(folder, 'state.db'))) return null;
  // In a copy that was left complete, the log has been applied to the file.
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const { id, number, extent = 'complete', hasPlans = false } = JSON.parse(readFileSync(marker, 'utf8')) as Marker;
  return id === null ? null : { id, number, extent, hasPlans };
}

/** Milliseconds since the copy was begun or left, by the clock of file times; null if there is none. */
export function copyAgeMs(folder: string): number | null {
  const marker = statSync(join(folder, MARKER), { throwIfNoEntry: false });
  return marker === undefined ? null : systemClock.now() - marker.mtimeMs;
}

/** Marks the copy as possibly containing changes that PostgreSQL does not have. */
export function beginCopy(folder: string): void {
  makeFolderSync(folder, 0o700);
  writeMarker(folder, { id: null, number: 0 });
}

/** Marks the copy as complete, on disk, and stored in PostgreSQL. */
export function leaveCopy(
  folder: string,
  { id, number }: Commit,
  extent: CopyExtent = 'complete',
  hasPlans = true,
): void {
  writeMarker(folder, { id, number, extent, hasPlans });
}

/** Turns the folder into an ordinary state. */
export function leaveState(folder: string): void {
  rmSync(join(folder, MARKER), { force: true });
}

/** Subfolder for the data that identity providers push. Its files have the same tables as a state. */
const PUSHED = 'pushed';
/** Maps a state's folder to the folder of this process's copy of pushed data. */
const pushedCopies = new Map<string, string>();

/** Creates this process's copy of the data pushed to a tenant. */
export function makePushedCopy(folder: string): string {
  const own = makeOwnCopy(join(folder, PUSHED));
  pushedCopies.set(folder, own);
  return own;
}

/** Returns null if the state itself contains pushed data. */
export function findPushedCopy(folder: string): string | null {
  const own = pushedCopies.get(folder);
  return own !== undefined && existsSync(join(own, 'state.db')) ? own : null;
}

/** Creates a folder for a copy that other processes do not trust, and removes the copies of ended processes. */
export function makeOwnCopy(folder: string): string {
  const own = String(process.pid);
  const there = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of there) {
    if (name === own || !isAlive(Number(name))) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const path = join(folder, own);
  makeFolderSync(path, 0o700);
  noteWritable(path, true);
  return path;
}

const MIRROR = ['mirror.db', 'mirror.db-wal', 'mirror.db-shm'];
/** Files that can be restored from PostgreSQL and the service. Backups and reports cannot. */
const MADE = ['state.db', 'state.db-wal', 'state.db-shm', ...MIRROR, 'plans', 'downloads', 'scratch', 'preview'];

/** Removes the copies from the folder, except those in `kept`. */
export function emptyCopy(folder: string, kept: readonly string[] = []): void {
  for (const name of MADE) if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Removes a reader's mirror, because a run cannot use it. */
export function discardSeen(folder: string): void {
  for (const name of MIRROR) rmSync(join(folder, name), { force: true });
}

/** Folders next to a copy that commands write personal data into. */
const TOLD = ['reports', 'rejects'];

/** Removes the copy and everything written from it, except backups. The caller holds the folder's lock. */
export function removeCopy(folder: string): void {
  emptyCopy(folder);
  for (const name of TOLD) rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(join(folder, MARKER), { force: true });
}

function writeMarker(folder: string, content: Marker): void {
  const draft = createDraft(join(folder, MARKER));
  draft.write(`${JSON.stringify(content)}\n`);
  draft.finish();
}
