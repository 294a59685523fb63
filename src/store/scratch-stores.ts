import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStores, type Stores } from './open-stores.js';

/**
 * Stores in a folder of their own, for what is read for one look and kept nowhere. They are on disk, so that memory does not
 * limit them. The holder of the run lock alone opens them: what is there was left by a process that was killed.
 *
 * @param folder of the state
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
