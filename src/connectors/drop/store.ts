import { basename, parse } from 'node:path';
import { SyncError } from '../../base/errors.js';
import type { Fence } from '../../base/fence.js';
import { cleanLine } from '../../model/clean-text.js';
import { fenceFiles } from '../fence.js';
import {
  refuseLink,
  refuseNoFolder,
  refuseUnreadable,
  refuseUnsettled,
  refuseUnwritable,
  takenError,
} from './faults.js';
import { type FileEntry, type FileFacts, type FileSystem, factsOf, isMissing, type OpenFile } from './file-system.js';

/**
 * The drop folder, local or remote. Names are relative to it (`employees-1.csv`, `archive/employees-1.csv`). Other
 * programs also write to the folder, so nothing is written through a link or into a linked folder.
 *
 * @throws SyncError SYNC_SOURCE_MISSING, SYNC_SOURCE_UNREADABLE, and over a network SYNC_SOURCE_DENIED,
 * SYNC_SOURCE_HOST_KEY, SYNC_SOURCE_DOWN
 */
export class DropStore {
  readonly clockErrorMs: number;

  /** @param at the absolute path or address of the folder, for messages */
  constructor(
    readonly at: string,
    private readonly folder: string,
    private readonly files: FileSystem,
    private readonly followLinks: boolean,
  ) {
    this.clockErrorMs = files.clockErrorMs;
  }

  /** Returns the same folder with a fence that is checked before each change. */
  behind(fence: Fence): DropStore {
    return new DropStore(this.at, this.folder, fenceFiles(this.files, fence), this.followLinks);
  }

  /** Returns the absolute path or address of one file. */
  locate(name: string): string {
    return cleanLine(beneath(this.at, name));
  }

  /**
   * Lists all names except those of folders, in no particular order.
   *
   * @param onUnreadable receives each name that is not UTF-8, escaped; such a file can be neither read nor moved
   */
  async list(onUnreadable?: (shown: string) => void): Promise<readonly string[]> {
    const entries = await this.files.list(this.folder).catch((error: unknown) => {
      throw isMissing(error) ? refuseNoFolder(this.at, error) : refuseUnreadable(this.at, error);
    });
    for (const { shown, isUtf8 } of entries) if (!isUtf8) onUnreadable?.(shown);
    return entries.flatMap(({ shown, isUtf8 }) => (isUtf8 ? [shown] : []));
  }

  /** Returns the modification times of files, in milliseconds. Leaves out files that cannot be read. */
  async times(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const entries = await this.reading('', () => this.files.lookAll(this.folder, names));
    const times = new Map<string, number>();
    for (const [name, { kind, mtimeMs }] of entries) {
      if (kind === 'file') times.set(name, mtimeMs);
      // A link that may not be followed gets its own time, so that it is reported and not skipped.
      if (kind === 'link') times.set(name, (await this.follow(name).catch(() => null))?.entry.mtimeMs ?? mtimeMs);
    }
    return times;
  }

  /** Returns the facts of a file; null if it does not exist. */
  stat(name: string): Promise<FileFacts | null> {
    return this.reading(name, async () => {
      const found = await this.follow(name);
      return found === null ? null : factsOf(found.entry);
    });
  }

  open(name: string): Promise<OpenFile> {
    return this.reading(name, async () => {
      const found = await this.follow(name);
      if (found === null) throw refuseUnsettled(this.locate(name));
      const facts = factsOf(found.entry);
      return this.files.open(found.path, facts, this.locate(name)).catch((error: unknown) => {
        throw isMissing(error) ? refuseUnsettled(this.locate(name)) : error;
      });
    });
  }

  /** Renames a file and replaces any file with the new name. */
  rename(name: string, to: string): Promise<void> {
    return this.writing(to, () => this.files.move(this.pathOf(name), this.pathOf(to), true));
  }

  /** Renames in one step. Fails if the new name is taken, which is checked right before the rename. */
  renameNew(name: string, to: string): Promise<void> {
    return this.delivering(to, async () => {
      if (!(await this.files.move(this.pathOf(name), this.pathOf(to), false))) throw takenError(this.locate(to));
    });
  }

  /** Moves a file into a subfolder under its own name, or under a numbered name if that name is taken. */
  putAway(name: string, folder: string): Promise<void> {
    return this.writing(`${folder}/${name}`, async () => {
      for (const one of numberNames(basename(name))) {
        if (await this.files.move(this.pathOf(name), this.pathOf(`${folder}/${one}`), false)) return;
      }
      throw new Error('all names for it are taken');
    });
  }

  /** Writes the file completely or not at all, and replaces any file with this name. */
  put(name: string, content: string): Promise<void> {
    const bytes = Buffer.from(content);
    const partial = this.pathOf(`${name}.part`);
    return this.writing(name, async () => {
      await this.files.write(partial, () => [bytes], bytes.length);
      await this.files.move(partial, this.pathOf(name), true);
    });
  }

  /**
   * Streams a long file. The file is incomplete until the promise resolves, so use this only for temporary names.
   *
   * @param content yields the bytes; may be called again if the transfer breaks
   * @param bytes the size that the file must have at the end
   */
  write(name: string, content: () => AsyncIterable<Buffer>, bytes: number): Promise<void> {
    return this.delivering(name, () => this.files.write(this.pathOf(name), content, bytes));
  }

  /** Throws if the folder does not exist or is clearly not writable. The check does not write anything. */
  checkWritable(): Promise<void> {
    return this.delivering('', () => this.files.checkWritable(this.folder));
  }

  /** Deletes a file, or does nothing if it does not exist. */
  delete(name: string): Promise<void> {
    return this.writing(name, () => this.files.remove(this.pathOf(name)));
  }

  /** Creates a folder, or does nothing if it exists. Fails if the folder is a link. */
  mkdir(name: string): Promise<void> {
    return this.writing(name, async () => {
      const there = await this.files.look(this.pathOf(name));
      if (there === null) await this.files.makeFolder(this.pathOf(name));
      else if (there.kind === 'link') throw new Error('it is a link, and nothing is written through links');
      else if (there.kind !== 'folder') throw new Error('it is not a folder');
    });
  }

  close(): Promise<void> {
    return this.files.close();
  }

  private pathOf(name: string): string {
    return beneath(this.folder, name);
  }

  /**
   * Finds the file that a name leads to. Links within the folder are followed, because Kubernetes mounts files as
   * `..data/…`. Links to other places are followed only if configured, because someone who may drop a file must not
   * choose the file that is read.
   *
   * @throws SyncError SYNC_SOURCE_LINK
   */
  private async follow(name: string): Promise<{ readonly path: string; readonly entry: FileEntry } | null> {
    const path = this.pathOf(name);
    const entry = await this.files.look(path);
    if (entry?.kind !== 'link') return entry === null ? null : { path, entry };
    const real = await this.files.realPath(path);
    const target = real === null ? null : await this.files.look(real);
    if (real === null || target === null) throw refuseLink(this.locate(name), 'leads nowhere');
    if (!this.followLinks && !real.startsWith(beneath((await this.files.realPath(this.folder)) ?? '', ''))) {
      throw refuseLink(this.locate(name), 'leads out of the drop folder');
    }
    return { path: real, entry: target };
  }

  private reading<T>(name: string, work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      throw refuseUnreadable(this.locate(name), error);
    });
  }

  private async writing(name: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      throw refuseUnwritable(this.locate(name), error, 'source');
    });
  }

  private async delivering(name: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      throw isMissing(error) ? refuseNoFolder(this.at, error) : refuseUnwritable(this.locate(name), error, 'delivery');
    });
  }
}

function beneath(folder: string, name: string): string {
  return `${folder.replace(/\/$/, '')}/${name}`;
}

/** Works like `stat`, but for a file that no read depends on. A link that may not be followed counts as missing. */
export async function statOther(store: DropStore, name: string): Promise<FileFacts | null> {
  try {
    return await store.stat(name);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_SOURCE_LINK') return null;
    throw error;
  }
}

export function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}

const MOST_OF_A_NAME = 10_000;

/**
 * Yields the names to try for a file until one is free: `employees-1.csv`, `employees-1.2.csv`, `employees-1.3.csv` and
 * so on.
 */
function* numberNames(name: string): Generator<string> {
  yield name;
  const { name: stem, ext } = parse(name);
  for (let number = 2; number < MOST_OF_A_NAME; number++) yield `${stem}.${number}${ext}`;
}
