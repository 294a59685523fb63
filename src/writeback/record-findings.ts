import type { Stores } from '../store/open-stores.js';

/** Writes down what planning found of the sources: what they show by now, what moved in the service, and who is settled. */
export function recordFindings({ state, work, outbox }: Stores, at: string): void {
  state.transaction(() => {
    // What came back in a form of its own stays known: it would be sent again.
    for (const { keeps, ...echo } of work.echoes()) {
      if (keeps === undefined) outbox.forget(echo.source, echo.record, echo.column);
      else outbox.show(echo, keeps);
    }
    const sighted = new Map<string, string[]>();
    for (const seen of work.sighted()) {
      outbox.sight(seen, at);
      const ref = `${seen.entity}:${seen.key}`;
      sighted.set(ref, [...(sighted.get(ref) ?? []), seen.path]);
    }
    for (const { entity, key, mark } of work.settledWriteBack()) {
      outbox.markSettled(entity, key, mark);
      outbox.unsight(entity, key, sighted.get(`${entity}:${key}`) ?? []);
    }
    outbox.forgetUnlinked();
  });
}
