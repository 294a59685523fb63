import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import type { DropConfig } from '../config/config.js';
import { SyncError } from '../errors.js';
import { nearestName } from '../model/nearest.js';
import { compareNames, matchesPattern } from './file-names.js';

const CHUNK_BYTES = 256 * 1024;
const LOOK_AGAIN_MS = 250;
const NAMES_SHOWN = 10;

/** An open delivery. What is read through it is one file, even if another takes its name meanwhile. */
export interface DropFile {
  /** Absolute path. */
  readonly at: string;
  /** `name|size|mtimeMs`: another delivery differs in one of them. */
  readonly delivery: string;
  readonly size: number;
  /** The bytes from the start, in chunks of 256 KiB; may be asked for more than once. */
  bytes(): AsyncGenerator<Buffer>;
  /** Throws SYNC_SOURCE_UNSETTLED when the file is no longer the one that was opened. Call it after reading. */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the newest delivery of a folder: the last match in natural name order. Names carry the date of the delivery
 * (`employees-2025-02-01.csv`), while modification times tell when somebody last copied the file, so they don't even break a tie
 * (there is none: names in a folder differ). An older file never stands in for a newest one that is still being written.
 *
 * A file is whole when it is older than `settleMs`, or `<file>.done` lies beside it, or it is the same on two looks 250 ms apart.
 */
export async function openNewestFile(drop: DropConfig, clock: Clock, signal?: AbortSignal): Promise<DropFile> {
  const path = join(drop.drop, await findNewestName(drop));
  const first = await look(path);
  if (!(await isWhole(path, first, drop.settleMs, clock, signal))) throw refuseUnsettled(path);
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw refuseUnreadable(path, error);
  });
  let opened: Stats;
  try {
    opened = await handle.stat();
  } catch (error) {
    await handle.close();
    throw refuseUnreadable(path, error);
  }
  return {
    at: path,
    delivery: `${path.slice(drop.drop.length).replace(/^\/+/, '')}|${opened.size}|${Math.round(opened.mtimeMs)}`,
    size: opened.size,
    bytes: () => readBytes(handle, path),
    assertUnchanged: async () => {
      const now = await stat(path).catch(() => null);
      if (now === null || now.ino !== opened.ino || !isSame(now, opened) || !isSame(first, opened))
        throw refuseUnsettled(path);
    },
    close: () => handle.close(),
  };
}

async function findNewestName(drop: DropConfig): Promise<string> {
  const entries = await readdir(drop.drop, { withFileTypes: true }).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw refuseUnreadable(drop.drop, error);
    throw new SyncError('SYNC_SOURCE_MISSING', {
      message: `The drop folder does not exist; wanted there: ${drop.pattern}.`,
      place: drop.drop,
      remedy: 'Create the folder, mount it, or correct `drop` in the configuration.',
      cause: error,
    });
  });
  // Symbolic links may point at files: the look that follows tells.
  const files = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.endsWith('.done'))
    .map((entry) => entry.name)
    .sort(compareNames);
  const newest = files.filter((name) => matchesPattern(name, drop.pattern)).at(-1);
  if (newest !== undefined) return newest;
  throw refuseMissing(drop, files);
}

async function look(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: unknown) => {
    throw isCode(error, 'ENOENT') ? refuseUnsettled(path) : refuseUnreadable(path, error);
  });
  if (stats.isFile()) return stats;
  throw refuseUnreadable(path, new Error('it is not a regular file'));
}

async function isWhole(
  path: string,
  first: Stats,
  settleMs: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<boolean> {
  if (clock.now() - first.mtimeMs >= settleMs) return true;
  const isDone = await stat(`${path}.done`).then(
    () => true,
    () => false,
  );
  if (isDone) return true;
  await clock.sleep(LOOK_AGAIN_MS, signal);
  return isSame(await look(path), first);
}

function isSame(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}

async function* readBytes(handle: FileHandle, path: string): AsyncGenerator<Buffer> {
  let position = 0;
  for (;;) {
    // A new buffer each time: the parser keeps the end of the last one.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position).catch((error: unknown) => {
      throw refuseUnreadable(path, error);
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function refuseMissing(drop: DropConfig, files: readonly string[]): SyncError {
  const near = nearestName(drop.pattern, files);
  const shown = files.slice(-NAMES_SHOWN).join(', ');
  const more = files.length > NAMES_SHOWN ? ` and ${files.length - NAMES_SHOWN} more` : '';
  const found = files.length === 0 ? 'The folder is empty.' : `There are: ${shown}${more}.`;
  return new SyncError('SYNC_SOURCE_MISSING', {
    message: `No file matches ${drop.pattern}. ${found}${near === null ? '' : ` Nearest: ${near}.`}`,
    place: drop.drop,
    remedy: 'Deliver the file, or correct `pattern` in the configuration (`*` any characters, `?` one; case counts).',
  });
}

function refuseUnsettled(path: string): SyncError {
  return new SyncError('SYNC_SOURCE_UNSETTLED', {
    message: 'The file is still being written, or was replaced while it was looked at.',
    place: path,
    remedy:
      'Wait for the next run. Senders best write under another name and rename, or put an empty `<file>.done` beside it at the end.',
  });
}

function refuseUnreadable(path: string, error: unknown): SyncError {
  const reason = error instanceof Error ? error.message : String(error);
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `It cannot be read: ${reason}.`,
    place: path,
    remedy: 'Give the user that runs talent-sync the right to read the folder and its files.',
    cause: error,
  });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
