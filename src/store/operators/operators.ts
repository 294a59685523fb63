import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyNewSync } from '../../base/new-file.js';
import type { LineId } from '../remote/file-line.js';
import type { SharedFile, SharedFileOptions } from '../remote/shared-file.js';
import { makeOwnCopy } from '../remote/working-copy.js';
import { type OperatorStore, openOperatorStore } from './operator-store.js';

/** Users of the operator pages, in a local file or in one that all daemons write. */
export interface Operators {
  /** The current content. Ask for it each time: another daemon may have written since. */
  readonly store: OperatorStore;
  /** Updates it to the newest commit. @throws SyncError SYNC_BACKEND_* */
  refresh(): Promise<void>;
  /** Makes a change, which is in force everywhere when the promise resolves. @throws SyncError SYNC_BACKEND_* */
  change<T>(work: (store: OperatorStore) => T): Promise<T>;
  close(): void;
}

/** Opens a file that all daemons write. */
export type ShareFile = (line: LineId, options: SharedFileOptions) => SharedFile;

/**
 * @param folder `web.state`
 * @param now ISO 8601 at each call
 * @param share null: each machine has its own file
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
        // Takes over people whom this machine added before there was a backend.
        const [before, shared] = [join(folder, 'operators.db'), join(own, 'operators.db')];
        if (existsSync(before) && !existsSync(shared)) copyNewSync(before, shared);
        openOperatorStore(own, now()).close();
      },
    },
  );
  // Stores for everyone that someone was seen, without waiting for it.
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
