import PQueue from 'p-queue';
import type { DropConfig } from '../../config/config.js';
import type { ConnectorContext } from '../connector.js';
import { createLocalStore } from './local-store.js';
import { createSftpStore } from './sftp-store.js';
import type { DropStore } from './store.js';

const TRANSFERS_AT_ONCE = 4;

/** Where a source's files are dropped; over SFTP with a new connection. */
export function openDropStore(
  { drop, sftp }: Pick<DropConfig, 'drop' | 'sftp'>,
  context: ConnectorContext,
  signal?: AbortSignal,
): DropStore {
  return sftp === null ? createLocalStore(drop) : createSftpStore(sftp, context, signal);
}

/** At most four downloads at once, all sources together: servers that take files seldom bear more. */
export function createTransferLimit(): ConnectorContext['limitTransfers'] {
  const queue = new PQueue({ concurrency: TRANSFERS_AT_ONCE });
  return (work) => queue.add(work);
}
