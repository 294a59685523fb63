import type { FileDocument } from './documents.js';
import type { Store } from './store.js';

/** Size of the part of a file that is in memory during writing and reading, in bytes. */
const PART_BYTES = 256 * 1024;

type FileStore = Pick<Store, 'files' | 'file_parts'>;

/**
 * Writes a file that exists only once it is finished. Chunks of any size are stored in parts, because a report of 10,000 CVs in
 * a single document would be in memory several times.
 */
export function createFileWriter(store: FileStore, file: Omit<FileDocument, 'size' | 'parts'>) {
  const waiting: Uint8Array[] = [];
  let [parts, size, waitingBytes] = [0, 0, 0];
  removeFile(store, file.id);

  function keepWaiting(): void {
    const base64 = Buffer.concat(waiting.splice(0)).toString('base64');
    store.file_parts.put({ id: nameOfPart(file.id, parts), file_id: file.id, base64 });
    parts += 1;
    waitingBytes = 0;
  }

  return {
    write(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; at += PART_BYTES) {
        const piece = chunk.subarray(at, at + PART_BYTES);
        waiting.push(piece);
        waitingBytes += piece.length;
        size += piece.length;
        if (waitingBytes >= PART_BYTES) keepWaiting();
      }
    },
    finish(): FileDocument {
      if (waitingBytes > 0) keepWaiting();
      return store.files.put({ ...file, size, parts });
    },
  };
}

/** Yields the bytes of a file, one part at a time. @throws Error if the file is removed meanwhile */
export function* readStoredFile(store: FileStore, { id, parts }: FileDocument): Generator<Buffer, void, undefined> {
  for (let index = 0; index < parts; index++) {
    const part = store.file_parts.get(nameOfPart(id, index));
    if (part === undefined) throw new Error(`the file ${id} was removed while it was read`);
    yield Buffer.from(part.base64, 'base64');
  }
}

/** Removes a file, including the parts of an unfinished file. */
export function removeFile(store: FileStore, id: string): void {
  for (const name of store.file_parts.ids('WHERE file_id = ?', [id])) store.file_parts.delete(name);
  store.files.delete(id);
}

function nameOfPart(fileId: string, index: number): string {
  return `${fileId}-${index}`;
}
