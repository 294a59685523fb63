import { createHash } from 'node:crypto';
import { messageOf, SyncError } from '../../base/errors.js';
import { namePartial, patternOf } from './delivery-name.js';
import { takenError } from './faults.js';
import { matchesPattern } from './file-names.js';
import type { DropStore } from './store.js';

/** Longer than any delivery takes, so an older partial file is a leftover. */
const LEFT_OVER_AFTER_MS = 3_600_000;

/** A file to be delivered. */
export interface Delivery {
  readonly size: number;
  /** The hash in hexadecimal. */
  readonly sha256: string;
  /** Yields the bytes from the start. May be called more than once. */
  bytes(): AsyncIterable<Buffer>;
}

/** The file that currently has the name. `same` is the file to deliver, from this attempt or an earlier one. */
export type ExistingFile = 'none' | 'same' | 'other';

/**
 * Delivers a file to a folder, completely or not at all, under a name that is not taken. It writes the file under a
 * partial name, flushes it to disk, compares the size, and renames it.
 *
 * | after the rename failed, the folder has | so |
 * |---|---|
 * | the name, with our content | it is delivered |
 * | the name, with other content | it fails: the file is someone else's |
 * | only the partial name | it is certainly not delivered |
 * | neither, or it cannot be looked at | unknown: it may have been picked up already |
 *
 * @returns null if the file is delivered; otherwise the reason why this is unknown
 * @throws SyncError if the file is not delivered
 */
export async function deliverOnce(store: DropStore, name: string, file: Delivery): Promise<string | null> {
  if (await isDelivered(store, name, file)) return null;
  const partial = namePartial(name);
  try {
    await store.write(partial, () => file.bytes(), file.size);
  } catch (error) {
    if (!(error instanceof SyncError && error.code === 'SYNC_SOURCE_DOWN')) await tryDelete(store, partial);
    throw error;
  }
  try {
    await store.renameNew(partial, name);
    return null;
  } catch (error) {
    return judgeRename(store, name, file, error);
  }
}

async function judgeRename(store: DropStore, name: string, file: Delivery, error: unknown): Promise<string | null> {
  const partial = namePartial(name);
  const found = await findFile(store, name, file).catch(() => null);
  const left = found === 'none' ? await store.stat(partial).catch(() => null) : null;
  const isKnown = found === 'same' || found === 'other' || left !== null;
  if (!isKnown) return `it is not known whether ${store.locate(name)} arrived: ${messageOf(error)}`;
  await tryDelete(store, partial);
  if (found === 'same') return null;
  throw found === 'other' ? takenError(store.locate(name)) : error;
}

/** @throws SyncError SYNC_SOURCE_UNWRITABLE if a different file has the name */
async function isDelivered(store: DropStore, name: string, file: Delivery): Promise<boolean> {
  const found = await findFile(store, name, file);
  if (found === 'other') throw takenError(store.locate(name));
  return found === 'same';
}

export async function findFile(
  store: DropStore,
  name: string,
  { size, sha256 }: Pick<Delivery, 'size' | 'sha256'>,
): Promise<ExistingFile> {
  const facts = await store.stat(name);
  if (facts === null) return 'none';
  if (facts.size !== size) return 'other';
  const file = await store.open(name);
  try {
    const hash = createHash('sha256');
    for await (const chunk of file.bytes()) hash.update(chunk);
    return hash.digest('hex') === sha256 ? 'same' : 'other';
  } finally {
    await file.close();
  }
}

/** Deletes partial files that interrupted deliveries left behind. */
export async function tidyPartials(store: DropStore, template: string, nowMs: number): Promise<void> {
  const patterns = [template, `${template}.done`].map((one) => patternOf(namePartial(one)));
  try {
    for (const name of await store.list()) {
      if (!patterns.some((pattern) => matchesPattern(name, pattern))) continue;
      const facts = await store.stat(name);
      if (facts !== null && nowMs - facts.mtimeMs > LEFT_OVER_AFTER_MS) await store.delete(name);
    }
  } catch {
    // Some folders can be written to but not listed. Leftover files do no harm in these folders.
  }
}

async function tryDelete(store: DropStore, name: string): Promise<void> {
  // Only the earlier error matters; a later delivery deletes the leftover file.
  await store.delete(name).catch(() => undefined);
}
