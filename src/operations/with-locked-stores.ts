import { type LockOptions, openLocked, waitForRunLock } from '../app/open-state.js';
import type { Logger } from '../base/logger.js';
import type { Stores } from '../store/open-stores.js';
import { type OperationContext, usingStores } from './with-stores.js';

export interface LockContext extends OperationContext, LockOptions {
  readonly logger: Logger;
}

/**
 * Takes the state for itself, as a run does, for what asks neither the sources nor the service.
 *
 * @throws SyncError SYNC_STATE_LOCKED where another one has it and `onLocked` is not given
 */
export async function withLockedStores<T>(context: LockContext, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  const lock = await waitForRunLock(context.config.state, context);
  try {
    return await usingStores(await openLocked(context.config, context), work);
  } finally {
    lock.close();
  }
}
