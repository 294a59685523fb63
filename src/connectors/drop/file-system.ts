/** Facts about a file in a listing. */
export interface FileFacts {
  readonly size: number;
  /** In milliseconds for a local folder, in full seconds over SFTP (version 3). */
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
} /** The entry at a path. A link is not followed. */
export interface FileEntry extends FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = Iterable<Buffer> | AsyncIterable<Buffer>;

/** The file system that a drop folder is in. Faults come as they are; over a network each call is tried three times. */
export interface FileSystem {
  /** By how much the clock of its times may be behind or ahead of ours. */
  readonly clockErrorMs: number;
  /** Names of what is no folder, in no order; escaped where they are not UTF-8. */
  list(folder: string): Promise<readonly { readonly shown: string; readonly isUtf8: boolean }[]>;
  /** null when there is nothing. */
  look(path: string): Promise<FileEntry | null>;
  /** What cannot be looked at is left out. */
  lookAll(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, FileEntry>>;
  /** null where a link leads nowhere. */
  realPath(path: string): Promise<string | null>;
  /**
   * @param path of a file, through no link
   * @param expected what it was a moment ago
   * @param at for messages
   */
  open(path: string, expected: FileFacts, at: string): Promise<OpenFile>;
  /** A new file in the place of what has the name, on the disk when it resolves; `content` may be asked for again. */
  write(path: string, content: () => FileContent, bytes: number): Promise<void>;
  /** False where the new name is taken and may not be replaced; it looks right before. */
  move(from: string, to: string, replaces: boolean): Promise<boolean>;
  /** Nothing when there is no such file. */
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  checkWritable(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error for what is no file */
export function factsOf({ kind, ...facts }: FileEntry): FileFacts {
  if (kind !== 'file') throw new Error('it is not a regular file');
  return facts;
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  // 2: as the SFTP protocol has it.
  return code === 'ENOENT' || code === 2;
}

export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
