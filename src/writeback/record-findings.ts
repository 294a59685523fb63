import type { Stores } from '../store/open-stores.js';

/** Stores the findings of planning: values that the sources show now, values that changed in the service, and settled objects. */
export function recordFindings({ state, work, outbox }: Stores, at: string): void {
  state.transaction(() => {
    // The source's own form of a value is remembered, because otherwise the value would be sent again.
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
