import { messageOf, SyncError } from '../base/errors.js';

/** A folder of the state that this user may not read or write, or that is none. */
export function describeUnusable(folder: string, error: unknown): SyncError {
  return new SyncError('SYNC_STATE_UNUSABLE', {
    message: `The state folder cannot be used: ${messageOf(error)}`,
    place: folder,
    remedy: 'Correct `state`, make room on its disk, or make the folder one that this user may write to.',
    cause: error,
  });
}
