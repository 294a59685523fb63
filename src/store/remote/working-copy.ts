import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { codeOf, SyncError } from '../../base/errors.js';
import { createDraft, makeFolderSync } from '../../base/new-file.js';
import type { Commit } from './file-line.js';

/*
 * The folder of a tenant whose state is in PostgreSQL: state.db is its working copy, and everything else in it is a
 * cache.
 *
 *     remote.json without a commit   a process works with it, or died: nothing in it counts
 *     remote.json with a commit      it was left complete at this commit
 */

const MARKER = 'remote.json';

/** How much of a tenant a copy contains: `seen` lacks the mirror that a run needs. */
type CopyExtent = 'complete' | 'seen';

interface Marker extends Commit {
  readonly extent?: CopyExtent;
  /** True if other holders' plans are there too. */
  readonly hasPlans?: boolean;
}

/** A copy that was left complete. */
export interface LeftCopy extends Commit {
  readonly extent: CopyExtent;
  readonly hasPlans: boolean;
}

/** @returns true if the state in a folder is only a working copy */
export function isWorkingCopy(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/**
 * Checks that the content of a folder may be replaced by a copy.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE when it has a state of its own
 */
export function checkCopyable(folder: string): void {
  if (isWorkingCopy(folder) || !existsSync(join(folder, 'state.db'))) return;
  throw new SyncError('SYNC_STATE_ELSEWHERE', {
    message: 'This folder has a state that is not in PostgreSQL, although daemon.yaml names a `backend:`.',
    place: folder,
    remedy:
      'Move it there (`talent-sync state push`). To keep it here, move the configuration of the tenant out of the folder of daemon.yaml. If it is old, move it away.',
  });
}

/** Copies that this process may write: those of tenants it holds, and its own. */
const writable = new Set<string>();

export function noteWritable(folder: string, isWritable: boolean): void {
  if (isWritable) writable.add(folder);
  else writable.delete(folder);
}

/**
 * True if a copy is read-only here. Changes to a copy that nobody holds would be in no line, and the next holder would
 * build on them.
 */
export function isForLooking(folder: string): boolean {
  return isWorkingCopy(folder) && !writable.has(folder);
}

/** The commit at which the copy was left; null if it proves nothing. */
export function readCopy(folder: string): LeftCopy | null {
  const [marker, log] = [join(folder, MARKER), join(folder, 'state.db-wal')];
  if (!existsSync(marker) || !existsSync(join(folder, 'state.db'))) return null;
  // A copy that was left complete has its log applied to the file.
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
  const { id, number, extent = 'complete', hasPlans = false } = JSON.parse(readFileSync(marker, 'utf8')) as Marker;
  return id === null ? null : { id, number, extent, hasPlans };
}

/** Age of the copy since it was begun or left, in milliseconds by the clock of file times; null if there is none. */
export function copyAgeMs(folder: string): number | null {
  const marker = statSync(join(folder, MARKER), { throwIfNoEntry: false });
  return marker === undefined ? null : systemClock.now() - marker.mtimeMs;
}

/** From now on, the copy may contain changes unknown to PostgreSQL. */
export function beginCopy(folder: string): void {
  makeFolderSync(folder, 0o700);
  writeMarker(folder, { id: null, number: 0 });
}

/** The copy is complete, on disk, and known to PostgreSQL. */
export function leaveCopy(
  folder: string,
  { id, number }: Commit,
  extent: CopyExtent = 'complete',
  hasPlans = true,
): void {
  writeMarker(folder, { id, number, extent, hasPlans });
}

/** The folder becomes an ordinary state. */
export function leaveState(folder: string): void {
  rmSync(join(folder, MARKER), { force: true });
}

/** Subfolder of the state's folder for data pushed by identity providers. Its files have the tables of a state. */
const PUSHED = 'pushed';
/** Folder of a state → folder of this process's copy of pushed data. */
const pushedCopies = new Map<string, string>();

/** Creates this process's copy of the data pushed to a tenant. */
export function makePushedCopy(folder: string): string {
  const own = makeOwnCopy(join(folder, PUSHED));
  pushedCopies.set(folder, own);
  return own;
}

/** Returns null if pushed data is in the state. */
export function findPushedCopy(folder: string): string | null {
  const own = pushedCopies.get(folder);
  return own !== undefined && existsSync(join(own, 'state.db')) ? own : null;
}

/** Creates a folder for copies that other processes do not trust, and removes the copies of dead processes. */
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

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

const MIRROR = ['mirror.db', 'mirror.db-wal', 'mirror.db-shm'];
/** Files that can be created again from PostgreSQL and the service; backups and reports are not among them. */
const MADE = ['state.db', 'state.db-wal', 'state.db-shm', ...MIRROR, 'plans', 'downloads', 'scratch', 'preview'];

/** Removes the copies from the folder, except those in `kept`. */
export function emptyCopy(folder: string, kept: readonly string[] = []): void {
  for (const name of MADE) if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Removes a reader's mirror, which a run cannot use. */
export function discardSeen(folder: string): void {
  for (const name of MIRROR) rmSync(join(folder, name), { force: true });
}

/** Commands write personal data into these folders, next to a copy. */
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
