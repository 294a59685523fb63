import type { Stores } from '../store/open-stores.js';

/** Writes down what planning found of the sources: what they show by now, what moved in the service, and who is settled. */
export function recordFindings({ state, work, outbox }: Stores, at: string): void {
  state.transaction(() => {
    // What came back in a form of its own stays known: it would be sent again.
    for (const { source, record, column, near } of work.echoes()) if (!near) outbox.forget(source, record, column);
    for (const { entity, key, mark } of work.settledBack()) {
      outbox.markSettled(entity, key, mark);
      outbox.unsight(entity, key);
    }
    outbox.forgetUnlinked();
    for (const { entity, key, path, hash } of work.sighted()) outbox.sight(entity, key, path, hash, at);
  });
}
