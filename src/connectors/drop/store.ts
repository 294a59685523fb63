import { SyncError } from '../../errors.js';

/** What a listing says of a file. */
export interface FileFacts {
  readonly size: number;
  /** Of a local folder to the millisecond; SFTP (version 3) tells whole seconds. */
  readonly mtimeMs: number;
  /** Tells a file from another that took its name; '' where the server does not say. */
  readonly inode: string;
}

/** An open file. What is read through it is one file, even if another takes its name meanwhile. */
export interface OpenFile {
  readonly facts: FileFacts;
  /** The bytes from the start, in chunks of 256 KiB; may be asked for more than once. */
  bytes(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/**
 * The folder that files are dropped in, wherever it is. Names are relative to it (`employees-1.csv`, `archive/employees-1.csv`).
 * Others write in it too: nothing is written through a link, nor into a folder that is one.
 *
 * @throws SyncError SYNC_SOURCE_MISSING, SYNC_SOURCE_UNREADABLE, and over a network SYNC_SOURCE_DENIED, SYNC_SOURCE_HOST_KEY,
 * SYNC_SOURCE_DOWN
 */
export interface DropStore {
  /** Absolute path or address, for messages. */
  readonly at: string;
  /** By how much the clock of its times may be behind or ahead of ours. */
  readonly clockErrorMs: number;
  /** Absolute path or address of one file. */
  locate(name: string): string;
  /**
   * Names of what is no folder, in no order.
   *
   * @param onUnreadable is told of each name that is not UTF-8, escaped: a file of that name can be neither read nor moved
   */
  list(onUnreadable?: (shown: string) => void): Promise<readonly string[]>;
  /** When files were changed, in milliseconds. One that cannot be looked at is left out. */
  times(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** null when there is no such file. */
  stat(name: string): Promise<FileFacts | null>;
  open(name: string): Promise<OpenFile>;
  /** Replaces what has the new name. */
  rename(name: string, to: string): Promise<void>;
  /** Moves a file into a folder beneath, under its own name or, where that is taken, a numbered one. */
  putAway(name: string, folder: string): Promise<void>;
  /** Whole or not at all, in the place of what has the name. */
  put(name: string, content: string): Promise<void>;
  /**
   * A long file, as it comes; not whole until this resolves, so for temporary names alone.
   *
   * @param content may be asked for again when the transfer breaks
   * @param bytes what the file must have at the end
   */
  write(name: string, content: () => AsyncIterable<Buffer>, bytes: number): Promise<void>;
  /** In one step. Fails where the new name is taken; it looks right before. */
  renameNew(name: string, to: string): Promise<void>;
  /** Throws when the folder is not there, or may not be written to as far as that shows without writing. */
  checkWritable(): Promise<void>;
  /** Nothing when there is no such file. */
  delete(name: string): Promise<void>;
  /** Nothing when it is there. Fails where it is a link. */
  mkdir(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The same of a file on which nothing rests: a link that may not be followed is none. */
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

/** `employees-1.csv`, `employees-1.2.csv`, `employees-1.3.csv`: what a file may be called where others may have its name. */
export function* numberNames(name: string): Generator<string> {
  yield name;
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 2; number < MOST_OF_A_NAME; number++) yield `${stem}.${number}${ending}`;
}

const MOST_OF_A_NAME = 10_000;
