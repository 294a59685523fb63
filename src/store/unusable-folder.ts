import { messageOf, SyncError } from '../base/errors.js';

/** Creates the error for a state folder that this user may not read or write, or that is not a folder. */
export function describeUnusable(folder: string, error: unknown): SyncError {
  return new SyncError('SYNC_STATE_UNUSABLE', {
    message: `The state folder cannot be used: ${messageOf(error)}`,
    place: folder,
    remedy: 'Correct `state`, free space on its disk, or make the folder writable for this user.',
    cause: error,
  });
}
