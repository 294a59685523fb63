import { type ErrorCode, SyncError } from '../base/errors.js';

/** Parts of the service that a run reads. Each needs its own permission. */
export type ReadArea = 'offices' | 'tags' | 'users' | 'cvs' | 'customers' | 'projects' | 'industries' | 'proposals';

/**
 * Collects this run's reads that the service rejected or answered with too much data. A failed read proves nothing, so
 * the run continues but changes nothing that depends on it. Any other failure (no answer, a wrong key) ends the run.
 */
export type RefusedReads = ReturnType<typeof createRefusedReads>;

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'SYNC_SERVICE_FORBIDDEN',
  'SYNC_SERVICE_REFUSED',
  'SYNC_SERVICE_TOO_LARGE',
]);

export function createRefusedReads() {
  const refused = new Map<ReadArea, SyncError>();
  return {
    /** Returns false if the service rejected the area, now or earlier in this run. A rejected area is not read again. */
    async attempt(area: ReadArea, read: () => Promise<unknown>): Promise<boolean> {
      if (refused.has(area)) return false;
      try {
        await read();
        return true;
      } catch (error) {
        if (!(error instanceof SyncError && REFUSALS.has(error.code))) throw error;
        refused.set(area, error);
        return false;
      }
    },
    find: (area: ReadArea) => refused.get(area) ?? null,
    all: () => [...refused].map(([area, error]) => ({ area, error })),
  };
}

/** Creates the error for a 404 on something that another read of this run showed. This does not prove that it is gone. */
export function contradict(what: string, place: string): SyncError {
  return new SyncError('SYNC_SERVICE_REFUSED', {
    message: `The service lists ${what}, but returns 404 for it.`,
    place,
    remedy:
      "Check that it opens in the service. If it does, give the request id from the log to the service's support.",
  });
}
