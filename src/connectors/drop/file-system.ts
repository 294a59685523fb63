/** Facts about a file in a listing. */
export interface FileFacts {
  readonly size: number;
  /** The modification time in milliseconds; SFTP (version 3) reports full seconds only. */
  readonly mtimeMs: number;
  /** Distinguishes a file from another file that took its name; '' if the server reports no inode. */
  readonly inode: string;
}

/** An open file. It keeps reading the same file, even if another file takes the name in the meantime. */
export interface OpenFile {
  readonly facts: FileFacts;
  /** Yields the bytes from the start, in chunks of 256 KiB. May be called more than once. */
  bytes(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
} /** The entry at a path. A link is not followed. */
export interface FileEntry extends FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = Iterable<Buffer> | AsyncIterable<Buffer>;

/** The file system of a drop folder. It throws the original errors. Over a network, each call is tried three times. */
export interface FileSystem {
  /** The possible difference between the clock of file times and the local clock, in milliseconds. */
  readonly clockErrorMs: number;
  /** Lists all names except those of folders, in no particular order. Names that are not UTF-8 are escaped. */
  list(folder: string): Promise<readonly { readonly shown: string; readonly isUtf8: boolean }[]>;
  /** Returns the entry at a path without following a link; null if the path does not exist. */
  look(path: string): Promise<FileEntry | null>;
  /** Looks at several entries and leaves out those that cannot be read. */
  lookAll(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, FileEntry>>;
  /** Resolves links; null if a link leads nowhere. */
  realPath(path: string): Promise<string | null>;
  /**
   * @param path path of a file, with links resolved
   * @param expected the facts from the last look at it
   * @param at the path or address to show in messages
   */
  open(path: string, expected: FileFacts, at: string): Promise<OpenFile>;
  /**
   * Writes a new file, replacing any file with this name. The file is flushed to disk when the promise resolves. May
   * call `content` more than once.
   */
  write(path: string, content: () => FileContent, bytes: number): Promise<void>;
  /** Moves a file. Returns false if the new name is taken and may not be replaced, which is checked right before the move. */
  move(from: string, to: string, replaces: boolean): Promise<boolean>;
  /** Deletes a file, or does nothing if it does not exist. */
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  checkWritable(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error if the entry is not a regular file */
export function factsOf({ kind, ...facts }: FileEntry): FileFacts {
  if (kind !== 'file') throw new Error('it is not a regular file');
  return facts;
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  // In the SFTP protocol, the code 2 means a missing file.
  return code === 'ENOENT' || code === 2;
}

export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
