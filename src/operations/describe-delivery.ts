import type { DeliveryFailure } from '../model/delivery.js';
import type { DeliveryState } from '../writeback/reports/deliver-due.js';

export type DeliveryStatus = ReturnType<typeof describeDeliveryState>;

/**
 * The state of a configured delivery in `status --json`. Times are ISO 8601. `next` is null if the schedule has no more
 * slots.
 */
export function describeDeliveryState({ report, of, last, failure, slotMs, nextMs, delivered }: DeliveryState) {
  const files = (last?.files ?? []).map(({ at, rows, bytes }) => ({ at, rows, bytes }));
  const common = { report: report.name, of, last: toIso(last?.atMs ?? null), files };
  return {
    ...common,
    next: toIso(slotMs ?? nextMs),
    due: slotMs !== null,
    ...(delivered === null ? {} : { documents: describeDocuments(delivered, last) }),
    ...(failure === null ? {} : { failed: failureDocument(failure) }),
  };
}

/** Numbers of the last check for changed documents; null before the first. */
function describeDocuments(delivered: number, last: DeliveryState['last']) {
  const { listed = null, left = null, failing = 0 } = last?.documents ?? {};
  return { listed, delivered, left, failing };
}

function failureDocument({ code, message, place, remedy, atMs }: DeliveryFailure) {
  return { code, message, place, remedy, since: toIso(atMs) };
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
