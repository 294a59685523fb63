import PQueue from 'p-queue';
import type { DropPlace } from '../../base/settings/resolve-drop.js';
import type { ConnectorContext } from '../connector.js';
import { refuseOffline } from '../offline.js';
import { createLocalStore } from './local-store.js';
import type { FileRules } from './resolve-file-rules.js';
import { createSftpStore } from './sftp-store.js';
import type { DropStore } from './store.js';

const TRANSFERS_AT_ONCE = 4;

export type StoreContext = Pick<ConnectorContext, 'clock' | 'downloads' | 'limitTransfers' | 'fence' | 'isOffline'>;

/** Opens the drop folder of a source. Over SFTP, it uses a new connection. */
export function openDropStore(
  { drop, sftp, rules }: DropPlace & { readonly rules?: Pick<FileRules, 'followLinks'> },
  context: StoreContext,
  signal?: AbortSignal,
): DropStore {
  if (sftp !== null && context.isOffline === true) throw refuseOffline(drop);
  const followLinks = rules?.followLinks === true;
  const store =
    sftp === null ? createLocalStore(drop, followLinks) : createSftpStore(sftp, context, signal, followLinks);
  return context.fence == null ? store : store.behind(context.fence);
}

/** Limits parallel downloads to four across all sources, because file servers seldom accept more. */
export function createTransferLimit(): ConnectorContext['limitTransfers'] {
  const queue = new PQueue({ concurrency: TRANSFERS_AT_ONCE });
  return (work) => queue.add(work);
}
