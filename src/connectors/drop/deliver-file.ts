import type { DropStore } from './store.js';

/** A whole file on its way to a drop folder. */
export interface OutgoingFile {
  readonly name: string;
  readonly bytes: number;
  /** May be asked for more than once: a transfer that was cut begins anew. */
  content(): AsyncIterable<Buffer>;
}

/**
 * A delivery in two steps, so that readers never see half a file, and a process that died in between knows what it did:
 *
 *     layFile ──► whole under its temporary name ──► (the caller notes it) ──► showFile ──► under its own name
 *
 * What is noted as laid and has no temporary file any more was shown, even if a reader has taken it away since.
 */
export async function layFile(store: DropStore, file: OutgoingFile): Promise<void> {
  await store.write(temporaryName(file.name), file.content, file.bytes);
}

/** Gives laid files their own names; one that has its own name already keeps it. */
export async function showFile(store: DropStore, { name, bytes }: Pick<OutgoingFile, 'name' | 'bytes'>): Promise<void> {
  const temporary = await store.stat(temporaryName(name));
  if (temporary !== null && temporary.size === bytes) await store.rename(temporaryName(name), name);
}

/** Takes away what was laid and never shown. */
export async function discardFile(store: DropStore, name: string): Promise<void> {
  await store.delete(temporaryName(name));
}

/** No pattern of a reader that ends as the file's own name does will match it. */
function temporaryName(name: string): string {
  return `.${name}.part`;
}
