import { canonicalJson, type Json } from '../model/json.js';
import type { CallAnswer, ReadCall, ReadRequest } from './call.js';
import { ServiceError } from './service-error.js';

/** Two ways to the same reads: what the first was answered the second is not asked for again. */
export interface ReadMemory {
  /** Keeps what it is answered: for the few reads of a run that finishes what an earlier one left. */
  readonly keeping: ReadCall;
  /** Takes what was kept, once, and sends everything else. */
  readonly taking: ReadCall;
}

/** A run never sends the same read twice, also where it resumes an earlier one; nothing is written in between. */
export function createReadMemory(call: ReadCall): ReadMemory {
  const kept = new Map<string, Promise<CallAnswer>>();
  return {
    keeping(request) {
      const name = nameOf(request);
      const asked = kept.get(name) ?? call(request);
      kept.set(name, asked);
      // That there is no such record is an answer; anything else that goes wrong is none.
      asked.then(
        // Rows that wait on disk are read once.
        (answer) => answer.batches !== undefined && kept.delete(name),
        () => undefined,
      );
      asked.catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.status !== 404) kept.delete(name);
      });
      return asked;
    },
    taking(request) {
      const name = nameOf(request);
      const asked = kept.get(name);
      kept.delete(name);
      return asked ?? call(request);
    },
  };
}

function nameOf({ endpoint, path = [], query = {}, body = null }: ReadRequest): string {
  const asked = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return `${endpoint} ${canonicalJson([path, Object.fromEntries(asked) as Json, body as Json])}`;
}
