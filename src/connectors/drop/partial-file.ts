import { namePartial } from './delivery-name.js';
import type { DropStore } from './store.js';

/** A complete file on its way to a drop folder, where it replaces an older file of its name. */
export interface WholeFile {
  readonly name: string;
  readonly size: number;
  /** The bytes from the start. May be called more than once. */
  bytes(): AsyncIterable<Buffer>;
}

/**
 * Delivers in two steps, so that readers never see half a file and a crashed process knows what it did:
 *
 *     writePartialFile ──► complete, under its partial name ──► (the caller records it) ──► showFile ──► under its own name
 *
 * If a recorded file no longer has a partial file, it was shown, even if a reader has since removed it.
 */
export async function writePartialFile(store: DropStore, file: WholeFile): Promise<void> {
  await store.write(namePartial(file.name), () => file.bytes(), file.size);
}

/** Gives a written file its own name. A file that already has its own name keeps it. */
export async function showFile(store: DropStore, { name, size }: Pick<WholeFile, 'name' | 'size'>): Promise<void> {
  const partial = await store.stat(namePartial(name));
  if (partial !== null && partial.size === size) await store.rename(namePartial(name), name);
}

/** Deletes a file that was written but never shown. */
export async function discardFile(store: DropStore, name: string): Promise<void> {
  await store.delete(namePartial(name));
}
