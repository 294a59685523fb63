import { canonicalJson, type Json } from '../model/json.js';
import type { CallAnswer, ReadCall, ReadRequest } from './call.js';
import { ServiceError } from './service-error.js';

/** Two ways to send the same reads: `taking` reuses the answers that `keeping` got. */
export interface ReadMemory {
  /** Keeps its answers, for the few reads that complete an earlier run. */
  readonly keeping: ReadCall;
  /** Uses a kept answer once, and sends every other read. */
  readonly taking: ReadCall;
}

/** Prevents a run from sending the same read twice, even when it resumes an earlier run. No write happens between the two reads. */
export function createReadMemory(call: ReadCall): ReadMemory {
  const kept = new Map<string, Promise<CallAnswer>>();
  return {
    keeping(request) {
      const name = nameOf(request);
      const asked = kept.get(name) ?? call(request);
      kept.set(name, asked);
      // A missing record is an answer worth keeping; errors are not.
      asked.then(
        // Rows stored on disk can be read only once.
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
