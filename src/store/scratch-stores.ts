import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStores, type Stores } from './open-stores.js';

/**
 * Opens stores for temporary reads in a separate folder. They are on disk, so memory does not limit them. Only the
 * holder of the run lock opens them, so an existing folder is left over from a killed process.
 *
 * @param folder the state folder
 * @param now ISO 8601
 */
export function openScratchStores(folder: string, now: string): { readonly stores: Stores; close(): void } {
  const own = join(folder, 'scratch');
  const remove = (): void => rmSync(own, { recursive: true, force: true });
  remove();
  try {
    const stores = openStores(own, { lockedAt: now });
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
