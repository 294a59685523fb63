import { createPushStore, type PushStore } from './push-store.js';
import { openStateFile } from './state-file.js';

export interface OpenPushStore {
  readonly store: PushStore;
  close(): void;
}

/**
 * Opens an existing state with a separate connection. It hardly waits for locks, so that health checks and other
 * tenants can continue. A request that finds the file locked tries again later.
 *
 * @throws SyncError SYNC_STATE_OUTDATED, SYNC_STATE_UNUSABLE
 */
export function openPushStore(folder: string): OpenPushStore {
  const { sqlite } = openStateFile(folder, { lockedAt: null });
  sqlite.pragma('busy_timeout = 20');
  return { store: createPushStore(sqlite), close: () => sqlite.close() };
}
