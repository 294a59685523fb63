import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from './errors.js';

/*
 * The one place that creates files. A folder may be one that others write in as well (a drop folder, an exchange folder, /tmp):
 * what is there under the name of a new file could be a link that leads elsewhere. So a file is created, never opened; a link
 * is taken away, never followed; and a file that is replaced is replaced by its name.
 */

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** A folder by itself, which needs no right to list it. Node does not name the flag. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : null;
/** Whoever puts something there faster than it is taken away is not waited for. */
const TRIES = 5;

/** For its owner's eyes only, unless told. */
const PRIVATE = 0o600;

/**
 * With all folders above it, one by one: a recursive call of Node's may name another reason than what happened, and does not
 * return at all where the system says that a folder is missing which nobody can make (`/proc`).
 *
 * @throws Error of the first folder that could not be made
 */
export function makeFolderSync(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolderSync(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** @throws Error EEXIST when anything has the name, a link that leads nowhere too */
export function openNewSync(path: string, mode = PRIVATE): number {
  return openSync(path, NEW, mode);
}

/**
 * A new file with the content of another one; the disk may share it until one of them changes.
 *
 * @throws Error EEXIST when anything has the name
 */
export function copyNewSync(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  chmodSync(to, PRIVATE);
}

/** A new file in the place of whatever has the name: what an earlier process left, or what somebody has put there. */
export async function createFile(path: string, mode = PRIVATE): Promise<FileHandle> {
  for (let tries = 1; ; tries++) {
    await unlink(path).catch(ignoreMissing);
    try {
      return await open(path, NEW, mode);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries === TRIES) throw error;
    }
  }
}

/** A file in the making: under its name only when whole. */
export interface FileDraft {
  /** Answers the number of bytes. */
  write(text: string | Uint8Array): number;
  /** On the disk, and under its name, in the place of what had it. */
  finish(): void;
  /** Does nothing after `finish`. */
  discard(): void;
}

/** @throws Error EEXIST when what has the name is no file, and leads to none */
export function createDraft(file: string, mode = PRIVATE): FileDraft {
  refuseSpecial(file);
  const path = `${file}.partial`;
  const handle = createFileSync(path, mode);
  let isOpen = true;
  function close(): void {
    isOpen = false;
    closeSync(handle);
  }
  return {
    write: (text) => writeAll(handle, typeof text === 'string' ? Buffer.from(text) : text),
    finish() {
      fsyncSync(handle);
      if (lstatSync(path).ino !== fstatSync(handle).ino) throw new Error(`somebody else writes ${path}`);
      renameSync(path, file);
      close();
    },
    discard() {
      if (!isOpen) return;
      close();
      removeSync(path);
    },
  };
}

/**
 * Only files are replaced: of a device or a pipe, such as `/dev/null` or `/dev/stdout`, a file in its place would take it from all others.
 *
 * @throws Error EEXIST
 */
export function refuseSpecial(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() ?? true) return;
  throw Object.assign(new Error(`${file} is there, and is no file`), { code: 'EEXIST', syscall: 'rename' });
}

function createFileSync(path: string, mode: number): number {
  for (let tries = 1; ; tries++) {
    removeSync(path);
    try {
      return openNewSync(path, mode);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries === TRIES) throw error;
    }
  }
}

function writeAll(handle: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
  return bytes.length;
}

/** @throws Error when the folder is a link */
export function refuseLinkedFolder(folder: string): void {
  if (lstatSync(folder).isSymbolicLink()) throw linked(folder);
}

/**
 * Works in a folder that is no link, and stays the same folder meanwhile: on Linux names are looked up in the open folder itself,
 * so that nobody can put a link in its place between the look and the work.
 */
export async function inFolder<T>(folder: string, work: (pathOf: (name: string) => string) => Promise<T>): Promise<T> {
  const stats = await lstat(folder);
  if (stats.isSymbolicLink()) throw linked(folder);
  const handle = O_PATH === null ? null : await openFolder(folder, O_PATH);
  const at = handle === null ? folder : `/proc/self/fd/${handle.fd}`;
  try {
    return await work((name) => join(at, name));
  } catch (error) {
    // Its reader knows the folder by its name.
    if (error instanceof Error) error.message = error.message.replaceAll(`${at}/`, `${folder}/`);
    throw error;
  } finally {
    await handle?.close();
  }
}

/** null where there is no /proc. */
async function openFolder(folder: string, flag: number): Promise<FileHandle | null> {
  const isProc = await lstat('/proc/self/fd').catch(() => null);
  return isProc === null ? null : open(folder, flag | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

function linked(folder: string): Error {
  return new Error(`${folder} is a link, and nothing is written through links: name the folder that it leads to`);
}

function removeSync(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
