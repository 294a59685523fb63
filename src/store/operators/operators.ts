import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyNewSync } from '../../base/new-file.js';
import type { LineId } from '../remote/file-line.js';
import type { SharedFile, SharedFileOptions } from '../remote/shared-file.js';
import { makeOwnCopy } from '../remote/working-copy.js';
import { type OperatorStore, openOperatorStore } from './operator-store.js';

/** Users of the operator pages, stored in a local file or in one that all daemons share. */
export interface Operators {
  /** The current content. Read this property each time, because another daemon may have written since. */
  readonly store: OperatorStore;
  /** Updates the content to the newest commit. @throws SyncError SYNC_BACKEND_* */
  refresh(): Promise<void>;
  /** Makes a change. When the promise resolves, the change applies on all daemons. @throws SyncError SYNC_BACKEND_* */
  change<T>(work: (store: OperatorStore) => T): Promise<T>;
  close(): void;
}

/** Opens a file that all daemons share. */
export type ShareFile = (line: LineId, options: SharedFileOptions) => SharedFile;

/**
 * Opens the users of the operator pages.
 *
 * @param folder `web.state`
 * @param now returns the current time in ISO 8601
 * @param share null if each machine has a separate file
 * @throws SyncError SYNC_STATE_UNUSABLE, _NEWER, _MIGRATION
 */
export function openOperators(folder: string, now: () => string, share: ShareFile | null): Operators {
  return share === null ? ownOperators(openOperatorStore(folder, now())) : sharedOperators(folder, now, share);
}

function ownOperators(store: OperatorStore): Operators {
  return { store, refresh: async () => undefined, change: async (work) => work(store), close: () => store.close() };
}

function sharedOperators(folder: string, now: () => string, share: ShareFile): Operators {
  const own = makeOwnCopy(join(folder, 'shared'));
  let store: OperatorStore | null = null;
  const drop = (): void => {
    store?.close();
    store = null;
  };
  const file = share(
    { tenant: '', name: 'operators' },
    {
      ...{ folder: own, file: 'operators.db', onReplaced: drop },
      prepare() {
        // Keeps people who were added on this machine before there was a backend.
        const [before, shared] = [join(folder, 'operators.db'), join(own, 'operators.db')];
        if (existsSync(before) && !existsSync(shared)) copyNewSync(before, shared);
        openOperatorStore(own, now()).close();
      },
    },
  );
  // Stores when people were last seen, for all daemons, without waiting for the result.
  const later = (work: () => void): void => void file.write(work).catch(() => undefined);
  const current = (): OperatorStore => {
    store ??= openOperatorStore(own, now(), later);
    return store;
  };
  return {
    get store() {
      return current();
    },
    refresh: () => file.refresh(),
    change: (work) => file.write(() => work(current())),
    close() {
      drop();
      file.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}
