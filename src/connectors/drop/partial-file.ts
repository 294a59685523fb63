import { namePartial } from './delivery-name.js';
import type { DropStore } from './store.js';

/** A complete file to deliver to a drop folder, where it replaces an older file with its name. */
export interface WholeFile {
  readonly name: string;
  readonly size: number;
  /** Yields the bytes from the start. May be called more than once. */
  bytes(): AsyncIterable<Buffer>;
}

/**
 * Delivers a file in two steps, so that readers never see an incomplete file and a restarted process can resume:
 *
 *     writePartialFile ──► complete, under its partial name ──► (the caller records it) ──► showFile ──► under its own name
 *
 * If the partial file of a recorded file no longer exists, the file was shown, even if a reader has since removed it.
 */
export async function writePartialFile(store: DropStore, file: WholeFile): Promise<void> {
  await store.write(namePartial(file.name), () => file.bytes(), file.size);
}

/** Gives a written file its own name. A file that already has its own name keeps it. */
export async function showFile(store: DropStore, { name, size }: Pick<WholeFile, 'name' | 'size'>): Promise<void> {
  const partial = await store.stat(namePartial(name));
  if (partial !== null && partial.size === size) await store.rename(namePartial(name), name);
}

/** Deletes a written file that never got its own name. */
export async function discardFile(store: DropStore, name: string): Promise<void> {
  await store.delete(namePartial(name));
}
