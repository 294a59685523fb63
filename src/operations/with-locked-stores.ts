import { type LockOptions, openLocked, waitForRunLock } from '../app/open-state.js';
import type { Logger } from '../base/logger.js';
import type { Stores } from '../store/open-stores.js';
import { type OperationContext, usingStores } from './with-stores.js';

export interface LockContext extends OperationContext, LockOptions {
  readonly logger: Logger;
}

/**
 * Takes the run lock, for work that needs neither the sources nor the service.
 *
 * @throws SyncError SYNC_STATE_LOCKED if the state is locked and `onLocked` is not given
 */
export async function withLockedStores<T>(context: LockContext, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  const lock = await waitForRunLock(context.config.state, context);
  try {
    return await usingStores(await openLocked(context.config, context), work);
  } finally {
    lock.close();
  }
}
