import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores, type Stores } from './open-stores.js';

/** A folder for a state that is gone with `remove`. Only its owner may read it. */
export function makeScratchFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Stores in a folder of their own, for what is looked at once and kept nowhere. They are on disk, so that memory does not
 * limit them.
 *
 * @param now ISO 8601
 */
export function openScratchStores(now: string): { readonly stores: Stores; close(): void } {
  const { folder, remove } = makeScratchFolder();
  try {
    const stores = openStores(folder, { lockedAt: now });
    return {
      stores,
      close() {
        stores.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
