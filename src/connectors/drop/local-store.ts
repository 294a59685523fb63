import type { Stats } from 'node:fs';
import { access, constants, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseNoFolder, refuseTaken, refuseUnreadable, refuseUnsettled, refuseUnwritable } from './faults.js';
import { readHandle } from './read-handle.js';
import type { DropStore, FileFacts, OpenFile } from './store.js';

/** A folder of this machine, or one that is mounted. */
export function createLocalStore(folder: string): DropStore {
  const locate = (name: string): string => join(folder, name);

  async function look(name: string): Promise<FileFacts | null> {
    try {
      return factsOf(await stat(locate(name)), locate(name));
    } catch (error) {
      if (isCode(error, 'ENOENT')) return null;
      throw refuseUnreadable(locate(name), error);
    }
  }

  async function openFile(name: string): Promise<OpenFile> {
    const path = locate(name);
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw isCode(error, 'ENOENT') ? refuseUnsettled(path) : refuseUnreadable(path, error);
    });
    try {
      const facts = factsOf(await handle.stat(), path);
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
      throw isCode(error, 'ENOENT') ? refuseNoFolder(folder, error) : refuseUnwritable(locate(name), error);
    }
  }

  return {
    at: folder,
    clockErrorMs: 0,
    locate,
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
        throw isCode(error, 'ENOENT') ? refuseNoFolder(folder, error) : refuseUnreadable(folder, error);
      });
      // Symbolic links may point at files: whoever looks at one finds out.
      return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    },
    times: async (names) => {
      const times = new Map<string, number>();
      for (const name of names) {
        const stats = await stat(locate(name)).catch(() => null);
        if (stats?.isFile() === true) times.set(name, stats.mtimeMs);
      }
      return times;
    },
    stat: look,
    open: openFile,
    rename: (name, to) => write(to, () => rename(locate(name), locate(to))),
    put: (name, content) =>
      write(name, async () => {
        await writeFile(locate(`${name}.part`), content);
        await rename(locate(`${name}.part`), locate(name));
      }),
    write: (name, content, bytes) => deliver(name, () => writeThrough(locate(name), content, bytes)),
    renameNew: (name, to) =>
      deliver(to, async () => {
        if ((await look(to)) !== null) throw refuseTaken(locate(to));
        await rename(locate(name), locate(to));
        await syncFolder(folder);
      }),
    checkWritable: () =>
      deliver('', async () => {
        if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder');
        await access(folder, constants.W_OK | constants.X_OK);
      }),
    delete: (name) => write(name, () => rm(locate(name), { force: true })),
    mkdir: (name) => write(name, () => mkdir(locate(name), { recursive: true })),
    close: async () => {},
  };
}

/** On the disk when it resolves: a name given to it later is never that of an empty file. */
async function writeThrough(path: string, content: () => AsyncIterable<Buffer>, bytes: number): Promise<void> {
  // Anew: what lies there could be a link that leads elsewhere.
  await rm(path, { force: true });
  const handle = await open(path, 'wx');
  try {
    for await (const chunk of content()) await handle.writeFile(chunk);
    await handle.sync();
    const { size } = await handle.stat();
    if (size !== bytes) throw new Error(`${size} of ${bytes} bytes were written`);
  } finally {
    await handle.close();
  }
}

/** So that a name outlives a loss of power; where folders cannot be synced the file system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function factsOf(stats: Stats, path: string): FileFacts {
  if (!stats.isFile()) throw refuseUnreadable(path, new Error('it is not a regular file'));
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: String(stats.ino) };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
