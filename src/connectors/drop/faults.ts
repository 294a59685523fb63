import { SyncError } from '../../errors.js';

export function refuseUnsettled(place: string): SyncError {
  return new SyncError('SYNC_SOURCE_UNSETTLED', {
    message: 'The file is still being written, or was replaced while it was looked at.',
    place,
    remedy:
      'Wait for the next run. Senders best write under another name and rename, or put an empty `<file>.done` beside it at the end.',
  });
}

export function refuseUnreadable(place: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error;
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `It cannot be read: ${describe(error)}.`,
    place,
    remedy: 'Give the user that runs talent-sync the right to read the folder and its files.',
    cause: error,
  });
}

export function refuseUnwritable(place: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error;
  return new SyncError('SYNC_SOURCE_UNWRITABLE', {
    message: `It cannot be written or moved: ${describe(error)}.`,
    place,
    remedy: 'Give the user the right to write in the drop folder, or set `after: leave` and no `rejects`.',
    cause: error,
  });
}

/** Of files for others, as `refuseUnwritable` of those that are read. */
export function refuseUndelivered(place: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error;
  return new SyncError('SYNC_SOURCE_UNWRITABLE', {
    message: `It cannot be written: ${describe(error)}.`,
    place,
    remedy:
      'Give the user the right to write in the folder of `write_back`, and its disk room; the next run tries again.',
    cause: error,
  });
}

export function refuseTaken(place: string): SyncError {
  return new SyncError('SYNC_SOURCE_UNWRITABLE', {
    message: 'A file with this name and other content is there; it is not replaced.',
    place,
    remedy: 'Find out whose it is, and give `write_back` a `name` or a `drop` of its own.',
  });
}

export function refuseNoFolder(place: string, error: unknown): SyncError {
  return new SyncError('SYNC_SOURCE_MISSING', {
    message: 'The drop folder does not exist.',
    place,
    remedy: 'Create the folder, mount it, or correct `drop` in the configuration.',
    cause: error,
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** It parses, and is not what the sender says it is: nothing of it counts. */
export function refuseCut(place: string, problem: string): SyncError {
  return new SyncError('SYNC_SOURCE_CUT', {
    message: `The file is not what was sent: ${problem}.`,
    place,
    remedy: 'Have it delivered again: most likely it was cut on its way.',
  });
}
