import { asSyncError } from '../../base/errors.js';

/**
 * Returns null if the changes exceed the limit of one response; the caller then asks in another way. Rethrows any other
 * error.
 */
export function overlookLength(error: unknown): null {
  if (asSyncError(error).code === 'SYNC_SOURCE_TOO_LARGE') return null;
  throw error;
}
