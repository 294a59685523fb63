import { SyncError } from '../base/errors.js';
import type { Sockets } from '../base/http/sockets.js';

/** The error for a source that must not be called and that has no rows from earlier reads. */
export function refuseOffline(place: string): SyncError {
  return new SyncError('SYNC_PREVIEW_RECORDS', {
    message:
      'This cannot be previewed: the records of this source are not stored, and a preview calls no other system.',
    place,
    remedy:
      'Preview it on the machine of the state: `talent-sync plan` reads the source. docs/guides/pull-requests.md lists the sources that are stored.',
  });
}

/** Returns sockets that send nothing. */
export function openNoSockets(): Sockets {
  return {
    send: ({ url }) => Promise.reject(refuseOffline(new URL(url).origin)),
    close: () => Promise.resolve(),
  };
}
