import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SyncError } from '../base/errors.js';

type Share = 'NFS' | 'SMB';
/** Returns the type of the file system at a path; Node's `statfsSync` by default. */
export type FileSystemOf = (path: string) => { readonly type: number };

/** Type numbers from statfs(2) on Linux. */
const SHARES: ReadonlyMap<number, Share> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
]);

/**
 * Checks if the state is on a network share. SQLite's locks are unreliable on some shares, so two runs could write at
 * the same time or damage the file. A new state on a share is an error unless allowed. An existing state is used with a
 * warning.
 *
 * @returns the kind of share, for the warning; null elsewhere
 * @throws SyncError SYNC_STATE_UNUSABLE
 */
export function checkShare(folder: string, isAllowed: boolean, fileSystemOf: FileSystemOf = statfsSync): Share | null {
  const share = process.platform === 'linux' ? findShare(folder, fileSystemOf) : null;
  if (share === null || isAllowed || existsSync(join(folder, 'state.db'))) return share;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: `The state folder is on a network share (${share}), where locks may be unreliable: two runs could write at the same time.`,
    place: folder,
    remedy:
      'Put `state` on a disk of this machine, or on a block volume. If the locks of the share are reliable, set `network_state: allow`.',
  });
}

function findShare(folder: string, fileSystemOf: FileSystemOf): Share | null {
  let path = resolve(folder);
  while (!existsSync(path)) path = dirname(path);
  return SHARES.get(fileSystemOf(path).type >>> 0) ?? null;
}
