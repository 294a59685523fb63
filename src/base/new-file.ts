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
 * The only module that creates files. Others may also write to the folder (a drop folder, an exchange folder, /tmp). So
 * the name of a new file could already be a link to another place. Therefore a new file never opens an existing one. A
 * link with its name is removed, not followed. Replacing a file means renaming the new one.
 */

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** Opens a folder that this user may not list. Node does not export this flag. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : null;
/** Gives up if others keep creating the file again after it is removed. */
const TRIES = 5;

/** By default, only the owner can read and write the file. */
const PRIVATE = 0o600;

/**
 * Creates the folder and its parents, one by one. Node's recursive call may report the wrong reason. It never returns
 * if the system reports a missing folder that nobody can create (`/proc`).
 *
 * @throws Error about the first folder that could not be created
 */
export function makeFolderSync(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolderSync(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has just created the folder.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** @throws Error EEXIST if the name exists, even as a link to nothing */
export function openNewSync(path: string, mode = PRIVATE): number {
  return openSync(path, NEW, mode);
}

/**
 * Creates a copy of a file. The disk may share the content until one of the two files changes.
 *
 * @throws Error EEXIST if the name exists
 */
export function copyNewSync(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  chmodSync(to, PRIVATE);
}

/**
 * Creates a new file. It replaces anything with the same name: an earlier process's leftover, or something that others
 * created.
 */
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

/** A file that gets its final name only once it is complete. */
export interface FileDraft {
  /** Returns the number of bytes. */
  write(text: string | Uint8Array): number;
  /** Flushes the file to disk and renames it, replacing anything with that name. */
  finish(): void;
  /** Does nothing after `finish`. */
  discard(): void;
}

/** @throws Error EEXIST if the name belongs to something that is not a file, directly or through a link */
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
      if (lstatSync(path).ino !== fstatSync(handle).ino) throw new Error(`another process writes ${path}`);
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
 * Allows only regular files to be replaced. Replacing a device or pipe, such as `/dev/null` or `/dev/stdout`, would
 * break it for every other program.
 *
 * @throws Error EEXIST
 */
export function refuseSpecial(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() ?? true) return;
  throw Object.assign(new Error(`${file} exists, and is not a file`), { code: 'EEXIST', syscall: 'rename' });
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

/** @throws Error if the folder is a link */
export function refuseLinkedFolder(folder: string): void {
  if (lstatSync(folder).isSymbolicLink()) throw linked(folder);
}

/**
 * Works in a folder that is not a link. On Linux, names are looked up in the open folder itself. So nobody can replace
 * it with a link between the check and the work.
 */
export async function inFolder<T>(folder: string, work: (pathOf: (name: string) => string) => Promise<T>): Promise<T> {
  const stats = await lstat(folder);
  if (stats.isSymbolicLink()) throw linked(folder);
  const handle = O_PATH === null ? null : await openFolder(folder, O_PATH);
  const at = handle === null ? folder : `/proc/self/fd/${handle.fd}`;
  try {
    return await work((name) => join(at, name));
  } catch (error) {
    // The reader of the message knows the folder by its name, not by its /proc path.
    if (error instanceof Error) error.message = error.message.replaceAll(`${at}/`, `${folder}/`);
    throw error;
  } finally {
    await handle?.close();
  }
}

/** Returns null if there is no /proc. */
async function openFolder(folder: string, flag: number): Promise<FileHandle | null> {
  const isProc = await lstat('/proc/self/fd').catch(() => null);
  return isProc === null ? null : open(folder, flag | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

function linked(folder: string): Error {
  return new Error(`${folder} is a link, and nothing is written through links: name the folder that it points to`);
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
