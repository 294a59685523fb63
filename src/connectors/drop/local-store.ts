import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { access, constants, lstat, open, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf } from '../../base/errors.js';
import { createFile, inFolder, makeFolderSync } from '../../base/new-file.js';
import { refuseUnsettled } from './faults.js';
import {
  type FileContent,
  type FileEntry,
  type FileFacts,
  type FileSystem,
  factsOf,
  nullIfMissing,
  type OpenFile,
} from './file-system.js';
import { readHandle } from './read-handle.js';
import { DropStore } from './store.js';

/** Opens a local folder, which may be a mounted one. */
export function createLocalStore(folder: string, followLinks = false): DropStore {
  return new DropStore(folder, folder, LOCAL_FILES, followLinks);
}

const LOCAL_FILES: FileSystem = {
  clockErrorMs: 0,
  async list(folder) {
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    // A symbolic link may point to a file; only reading the link shows this.
    const files = entries.filter((entry) => !entry.isDirectory());
    return files.map(({ name }) => ({ shown: showName(name), isUtf8: isUtf8(name) }));
  },
  look: findEntry,
  async lookAll(folder, names) {
    const entries = new Map<string, FileEntry>();
    for (const name of names) {
      const entry = await findEntry(`${folder}/${name}`).catch(() => null);
      if (entry !== null) entries.set(name, entry);
    }
    return entries;
  },
  // A circular link also leads nowhere.
  realPath: (path) =>
    realpath(path).catch((error: unknown) => (codeOf(error) === 'ELOOP' ? null : nullIfMissing(error))),
  open: openFile,
  write: (path, content, bytes) =>
    inFolder(dirname(path), async (within) => {
      const size = await writeNew(within(basename(path)), content());
      if (size !== bytes) throw new Error(`${size} of ${bytes} bytes were written`);
    }),
  move: (from, to, replaces) =>
    inFolder(dirname(to), async (within) => {
      const target = within(basename(to));
      if (!replaces && (await findEntry(target)) !== null) return false;
      await moveFile(dirname(from) === dirname(to) ? within(basename(from)) : from, target);
      await syncFolder(dirname(to));
      return true;
    }),
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => makeFolderSync(path),
  async checkWritable(folder) {
    if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder');
    await inFolder(folder, () => access(folder, constants.W_OK | constants.X_OK));
  },
  close: async () => {},
};

/** Escapes control characters and bytes beyond ASCII in a name that is not UTF-8, as in `Mitarbeiter\xff.csv`. */
function showName(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8');
  return name
    .toString('latin1')
    .replaceAll(/[^ -~]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

async function findEntry(path: string): Promise<FileEntry | null> {
  const stats = await lstat(path).catch(nullIfMissing);
  return stats === null ? null : entryOf(stats);
}

function entryOf(stats: Stats): FileEntry {
  return { kind: kindOf(stats), size: stats.size, mtimeMs: stats.mtimeMs, inode: String(stats.ino) };
}

function kindOf(stats: Stats): FileEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

async function openFile(path: string, expected: FileFacts, at: string): Promise<OpenFile> {
  // Opens without blocking, because opening a pipe would otherwise wait for its other end.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = factsOf(entryOf(await handle.stat()));
    // Another file or a link may have taken the name since the last look.
    if (facts.inode !== expected.inode) throw refuseUnsettled(at);
    return { facts, bytes: () => readHandle(handle, at), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Writes a new file that others may read. Flushes to disk before it resolves, so that a later rename never shows an
 * empty file.
 */
async function writeNew(path: string, content: FileContent): Promise<number> {
  const handle = await createFile(path, 0o666);
  try {
    for await (const chunk of content) await handle.writeFile(chunk);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Moves a file. If the target folder is on another disk, the file is copied and keeps its times. */
async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EXDEV') throw error;
    await copyNew(from, `${to}.part`);
    await rename(`${to}.part`, to);
    await rm(from);
  });
}

async function copyNew(from: string, to: string): Promise<void> {
  const handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    factsOf(entryOf(stats));
    await writeNew(to, readHandle(handle, from));
    await utimes(to, stats.atime, stats.mtime);
  } finally {
    await handle.close();
  }
}

/**
 * Syncs a folder so that a new name survives a power loss. On systems where folders cannot be synced, the file system
 * ensures this.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
