/** Facts about a file in a listing. */
export interface FileFacts {
  readonly size: number;
  /** In milliseconds for a local folder, in full seconds over SFTP (version 3). */
  readonly mtimeMs: number;
  /** Distinguishes a file from another that took its name; '' if the server does not report it. */
  readonly inode: string;
}

/** An open file. It keeps reading the same file, even if another takes its name meanwhile. */
export interface OpenFile {
  readonly facts: FileFacts;
  /** The bytes from the start, in chunks of 256 KiB. May be called more than once. */
  bytes(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
} /** The entry at a path. A link is not followed. */
export interface FileEntry extends FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = Iterable<Buffer> | AsyncIterable<Buffer>;

/** The file system of a drop folder. Its errors are not wrapped. Over a network, each call is tried three times. */
export interface FileSystem {
  /** How far the clock of its file times may differ from ours. */
  readonly clockErrorMs: number;
  /** Names of everything but folders, in no particular order; escaped if they are not UTF-8. */
  list(folder: string): Promise<readonly { readonly shown: string; readonly isUtf8: boolean }[]>;
  /** null if nothing has this path. */
  look(path: string): Promise<FileEntry | null>;
  /** Leaves out entries that cannot be looked at. */
  lookAll(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, FileEntry>>;
  /** null if a link leads nowhere. */
  realPath(path: string): Promise<string | null>;
  /**
   * @param path of a file, with links resolved
   * @param expected the facts from the last look at it
   * @param at for messages
   */
  open(path: string, expected: FileFacts, at: string): Promise<OpenFile>;
  /** Writes a new file in place of any file of that name, flushed to disk when it resolves. May call `content` more than once. */
  write(path: string, content: () => FileContent, bytes: number): Promise<void>;
  /** False if the new name is taken and may not be replaced. Checks that right before moving. */
  move(from: string, to: string, replaces: boolean): Promise<boolean>;
  /** Does nothing if the file does not exist. */
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
  // 2 is the code of the SFTP protocol.
  return code === 'ENOENT' || code === 2;
}

export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
