import type { DeliveryFailure } from '../model/delivery.js';
import { formatMinute, plural } from '../report/sections/words.js';
import type { DeliveryState } from '../writeback/reports/deliver-due.js';

/** A delivery of the configuration in `status --json`; times are ISO 8601, `next` is null when the schedule has none left. */
export function describeDeliveryState({ report, of, last, failure, slotMs, nextMs, delivered }: DeliveryState) {
  const files = (last?.files ?? []).map(({ at, rows, bytes }) => ({ at, rows, bytes }));
  const common = { report: report.name, of, last: toIso(last?.atMs ?? null), files };
  return {
    ...common,
    next: toIso(slotMs ?? nextMs),
    due: slotMs !== null,
    ...(delivered === null ? {} : { documents: describeDocuments(delivered, last) }),
    ...(failure === null ? {} : { failed: describeFailure(failure) }),
  };
}

/** Of the last look; null as long as there was none. */
function describeDocuments(delivered: number, last: DeliveryState['last']) {
  const { listed = null, left = null, failing = 0 } = last?.documents ?? {};
  return { listed, delivered, left, failing };
}

function describeFailure({ code, message, place, remedy, atMs }: DeliveryFailure) {
  return { code, message, place, remedy, since: toIso(atMs) };
}

type DeliveryStatus = ReturnType<typeof describeDeliveryState>;

export function renderDeliveryStatus(deliveries: readonly DeliveryStatus[]): readonly string[] {
  if (deliveries.length === 0) return [];
  const names = Math.max(...deliveries.map(({ report }) => report.length));
  const lines = deliveries.flatMap((delivery) => {
    const { report, next, due, failed, documents } = delivery;
    const never = documents === undefined ? 'never again' : 'looked for in each run';
    const then = next === null ? never : `${due ? 'due since' : 'next'} ${formatMinute(next)}`;
    const line = `  ${report.padEnd(names)}  ${describeDone(delivery)}, ${then}`;
    // Why, and what to do, is among what waits.
    return failed === undefined ? [line] : [line, `    failed: ${failed.code}`];
  });
  return ['Deliveries', ...lines, ''];
}

/** `412 of 1000 documents there (588 left, 2 failing), the last of 2026-11-22 10:15 UTC` */
function describeDone({ last, files, documents }: DeliveryStatus): string {
  if (last === null) return 'not delivered yet';
  if (documents === undefined) {
    const rows = files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    return `${plural(rows, 'row')} delivered ${formatMinute(last)}`;
  }
  const { delivered, left, failing } = documents;
  const open = [
    ...(left === null || left === 0 ? [] : [`${left} left`]),
    ...(failing === 0 ? [] : [`${failing} failing`]),
  ];
  return `${plural(delivered, 'document')} there${open.length === 0 ? '' : ` (${open.join(', ')})`}, the last of ${formatMinute(last)}`;
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
