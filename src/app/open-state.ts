import type { Logger } from '../base/logger.js';
import { verifyChainInTurns } from '../store/audit/verify-chain.js';
import { CHECKED_FACT, checkMirror, checkState, damaged, discardMirror } from '../store/integrity.js';
import { openStores, type Stores } from '../store/open-stores.js';
import type { AuditPolicy } from '../store/state/audit-store.js';

export interface OpenStateOptions {
  /** ISO 8601; the caller holds the run lock. */
  readonly at: string;
  readonly policy?: AuditPolicy;
  readonly logger: Logger;
}

/**
 * Opens a state for work by the holder of its lock: state.db as it should be or not at all, mirror.db made again where it is
 * damaged.
 *
 * @throws SyncError SYNC_STATE_DAMAGED, and what `openStores` throws
 */
export async function openState(folder: string, { at, policy, logger }: OpenStateOptions): Promise<Stores> {
  const checked = await checkState(folder, at);
  const fault = await checkMirror(folder, checked);
  if (fault !== null) {
    logger.warn(
      { state: folder, fault },
      'the copy of the service, mirror.db, is damaged: thrown away, all is read again',
    );
    discardMirror(folder);
  }
  const stores = openStores(
    folder,
    {
      lockedAt: at,
      onOpenFile: (file) =>
        logger.warn(
          { file },
          'others may read this file as well, and only its owner could change that: it is used as it is',
        ),
    },
    policy,
  );
  try {
    if (checked.how === 'whole') {
      const { broken } = await verifyChainInTurns(stores.audit);
      if (broken !== null) throw damaged(`${folder}/state.db`, `audit entry ${broken.seq}: ${broken.reason}`);
      if (checked.isDue) stores.history.setFact(CHECKED_FACT, at);
    }
    return stores;
  } catch (error) {
    stores.close();
    throw error;
  }
}
