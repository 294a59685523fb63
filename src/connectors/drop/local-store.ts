import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { access, constants, lstat, mkdir, open, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { codeOf } from '../../errors.js';
import { cleanLine } from '../../model/clean-text.js';
import { createFile, inFolder } from '../../new-file.js';
import {
  refuseLink,
  refuseNoFolder,
  refuseTaken,
  refuseUnreadable,
  refuseUnsettled,
  refuseUnwritable,
} from './faults.js';
import { readHandle } from './read-handle.js';
import { type DropStore, type FileFacts, numberNames, type OpenFile } from './store.js';
import { showBytes } from './unreadable-name.js';

/** A folder of this machine, or one that is mounted. */
export function createLocalStore(folder: string, followLinks = false): DropStore {
  const pathOf = (name: string): string => join(folder, name);
  const locate = (name: string): string => cleanLine(pathOf(name));

  /**
   * The file that a name leads to. Links are followed within the folder (Kubernetes mounts files as `..data/…`), beyond it
   * only where that is configured: who may drop a file must not choose which file of this machine is read.
   *
   * @throws SyncError SYNC_SOURCE_LINK
   */
  async function resolve(name: string): Promise<string> {
    const real = await realpath(pathOf(name)).catch(async (error: unknown) => {
      const isLink = (await lstat(pathOf(name)).catch(() => null))?.isSymbolicLink() === true;
      throw isLink ? refuseLink(locate(name), 'leads nowhere') : error;
    });
    if (followLinks || isWithin(real, await realpath(folder))) return real;
    throw refuseLink(locate(name), 'leads out of the drop folder');
  }

  async function look(name: string): Promise<FileFacts | null> {
    try {
      const stats = await lstat(pathOf(name));
      return factsOf(stats.isSymbolicLink() ? await stat(await resolve(name)) : stats, locate(name));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw refuseUnreadable(locate(name), error);
    }
  }

  /** One that may not be followed has the time at which it was made, so that it is told and not passed over. */
  async function timeOfLink(name: string, own: number): Promise<number> {
    const facts = await look(name).catch(() => null);
    return facts?.mtimeMs ?? own;
  }

  async function openFile(name: string): Promise<OpenFile> {
    const path = locate(name);
    // Without waiting: opening a pipe waits for its other end.
    const handle = await open(pathOf(name), constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? refuseUnsettled(path) : refuseUnreadable(path, error);
    });
    try {
      const stats = await handle.stat();
      const facts = factsOf(stats, path);
      const real = await stat(await resolve(name));
      // What was opened is what is there: another file may have taken its name, or a link.
      if (real.ino !== stats.ino || real.dev !== stats.dev) throw refuseUnsettled(path);
      return { facts, bytes: () => readHandle(handle, path), close: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw refuseUnreadable(path, error);
    }
  }

  async function write(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw refuseUnwritable(locate(name), error);
    }
  }

  async function deliver(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw codeOf(error) === 'ENOENT' ? refuseNoFolder(folder, error) : refuseUnwritable(locate(name), error);
    }
  }

  return {
    at: folder,
    clockErrorMs: 0,
    locate,
    list: async (onUnreadable) => {
      const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch((error: unknown) => {
        throw codeOf(error) === 'ENOENT' ? refuseNoFolder(folder, error) : refuseUnreadable(folder, error);
      });
      // Symbolic links may point at files, which shows when one is read.
      const files = entries.filter((entry) => !entry.isDirectory());
      return files.flatMap(({ name }) => {
        if (isUtf8(name)) return [name.toString('utf8')];
        onUnreadable?.(showBytes(name));
        return [];
      });
    },
    times: async (names) => {
      const times = new Map<string, number>();
      for (const name of names) {
        const stats = await lstat(pathOf(name)).catch(() => null);
        if (stats?.isSymbolicLink() === true) times.set(name, await timeOfLink(name, stats.mtimeMs));
        else if (stats?.isFile() === true) times.set(name, stats.mtimeMs);
      }
      return times;
    },
    stat: look,
    open: openFile,
    rename: (name, to) =>
      write(to, () => inFolder(dirname(pathOf(to)), (within) => rename(pathOf(name), within(basename(to))))),
    putAway: (name, into) => write(`${into}/${name}`, () => putAway(pathOf(name), pathOf(into))),
    put: (name, content) =>
      write(name, () =>
        inFolder(dirname(pathOf(name)), async (within) => {
          const partial = within(`${basename(name)}.part`);
          await writeNew(partial, [Buffer.from(content)]);
          await rename(partial, within(basename(name)));
        }),
      ),
    write: (name, content, bytes) =>
      deliver(name, () =>
        inFolder(dirname(pathOf(name)), async (within) => {
          const size = await writeNew(within(basename(name)), content());
          if (size !== bytes) throw new Error(`${size} of ${bytes} bytes were written`);
        }),
      ),
    renameNew: (name, to) =>
      deliver(to, () =>
        inFolder(folder, async (within) => {
          if (await isThere(within(to))) throw refuseTaken(locate(to));
          await rename(within(name), within(to));
          await syncFolder(folder);
        }),
      ),
    checkWritable: () =>
      deliver('', async () => {
        if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder');
        await inFolder(folder, () => access(folder, constants.W_OK | constants.X_OK));
      }),
    delete: (name) => write(name, () => rm(pathOf(name), { force: true })),
    mkdir: (name) =>
      write(name, async () => {
        await mkdir(pathOf(name), { recursive: true });
        await inFolder(pathOf(name), async () => undefined);
      }),
    close: async () => {},
  };
}

/** On the disk when it resolves: a name given to it later is never that of an empty file. Others may read it. */
async function writeNew(path: string, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number> {
  const handle = await createFile(path, 0o666);
  try {
    for await (const chunk of content) await handle.writeFile(chunk);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** The folder may be on another disk: then the file is copied, with the same time. */
async function putAway(from: string, folder: string): Promise<void> {
  await inFolder(folder, async (pathOf) => {
    for (const name of numberNames(basename(from))) {
      if (await isThere(pathOf(name))) continue;
      return rename(from, pathOf(name)).catch(async (error: unknown) => {
        if (codeOf(error) !== 'EXDEV') throw error;
        await copyNew(from, pathOf(`${name}.part`));
        await rename(pathOf(`${name}.part`), pathOf(name));
        await rm(from);
      });
    }
    throw new Error('every name for it is taken');
  });
}

async function copyNew(from: string, to: string): Promise<void> {
  const handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    factsOf(facts, from);
    await writeNew(to, readHandle(handle, from));
    await utimes(to, facts.atime, facts.mtime);
  } finally {
    await handle.close();
  }
}

/** A link that leads nowhere is there too. */
async function isThere(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  return stats !== null;
}

/** So that a name outlives a loss of power; where folders cannot be synced the file system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function factsOf(stats: Stats, path: string): FileFacts {
  if (!stats.isFile()) throw refuseUnreadable(path, new Error('it is not a regular file'));
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: String(stats.ino) };
}
