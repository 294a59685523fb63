import { type ErrorCode, SyncError } from '../base/errors.js';

/** What a run reads of the service; each takes its own right. */
export type ReadArea = 'offices' | 'tags' | 'users' | 'cvs' | 'customers' | 'projects' | 'industries' | 'proposals';

/**
 * The reads that the service refused in this run, or whose answer was too large. Neither says anything of what there is, so what rests on it is left
 * alone; the rest of the run goes on. Anything else that goes wrong with a read (no answer, a wrong key) ends the run.
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
    /** Answers false where it was refused, now or earlier in this run; it is not asked for twice. */
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

/** "No such record" about something that another read of this run has shown is no proof that it is gone. */
export function contradict(what: string, place: string): SyncError {
  return new SyncError('SYNC_SERVICE_REFUSED', {
    message: `The service lists ${what}, but answers 404 when it is asked for.`,
    place,
    remedy:
      "Look whether it opens in the service; if it does, show the request id of the log to the service's support.",
  });
}
