import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SyncError } from '../base/errors.js';

type Share = 'NFS' | 'SMB';
/** What tells the kind of a file system; Node's by default. */
export type FileSystemOf = (path: string) => { readonly type: number };

/** By the numbers of statfs(2) on Linux. */
const SHARES: ReadonlyMap<number, Share> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
]);

/**
 * A state on a share of the network: SQLite's locks do not hold on all of them, and two runs at once, or a damaged file, are what
 * follows. A new one is refused unless that is allowed; one that is there is used, and warned of.
 *
 * @returns the kind of share, to warn of; null elsewhere
 * @throws SyncError SYNC_STATE_UNUSABLE
 */
export function checkShare(folder: string, isAllowed: boolean, fileSystemOf: FileSystemOf = statfsSync): Share | null {
  const share = process.platform === 'linux' ? findShare(folder, fileSystemOf) : null;
  if (share === null || isAllowed || existsSync(join(folder, 'state.db'))) return share;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: `The state folder is on a share of the network (${share}), where locks may not hold: two runs could write at once.`,
    place: folder,
    remedy:
      'Put `state` on a disk of this machine, or on a block volume. Where the locks of the share are known to hold: `network_state: allow`.',
  });
}

function findShare(folder: string, fileSystemOf: FileSystemOf): Share | null {
  let path = resolve(folder);
  while (!existsSync(path)) path = dirname(path);
  return SHARES.get(fileSystemOf(path).type >>> 0) ?? null;
}
