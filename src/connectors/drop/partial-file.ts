import { namePartial } from './delivery-name.js';
import type { DropStore } from './store.js';

/** A whole file on its way to a drop folder, where it takes the place of an older one of its name. */
export interface WholeFile {
  readonly name: string;
  readonly size: number;
  /** The bytes from the start; may be asked for more than once. */
  bytes(): AsyncIterable<Buffer>;
}

/**
 * A delivery in two steps, so that readers never see half a file, and a process that died in between knows what it did:
 *
 *     layFile ──► whole under its partial name ──► (the caller notes it) ──► showFile ──► under its own name
 *
 * What is noted as laid and has no partial file any more was shown, even if a reader has taken it away since.
 */
export async function writePartialFile(store: DropStore, file: WholeFile): Promise<void> {
  await store.write(namePartial(file.name), () => file.bytes(), file.size);
}

/** Gives laid files their own names; one that has its own name already keeps it. */
export async function showFile(store: DropStore, { name, size }: Pick<WholeFile, 'name' | 'size'>): Promise<void> {
  const partial = await store.stat(namePartial(name));
  if (partial !== null && partial.size === size) await store.rename(namePartial(name), name);
}

/** Takes away what was laid and never shown. */
export async function discardFile(store: DropStore, name: string): Promise<void> {
  await store.delete(namePartial(name));
}
