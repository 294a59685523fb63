import type { DeliveryFailure } from '../model/delivery.js';
import { formatMinute, plural } from '../report/sections/words.js';
import type { DeliveryState } from '../writeback/reports/deliver-due.js';

/** A report of the configuration in `status --json`; times are ISO 8601, `next` is null when the schedule has none left. */
export function describeDeliveryState({ report, of, last, failure, slotMs, nextMs }: DeliveryState) {
  const files = (last?.files ?? []).map(({ at, rows, bytes }) => ({ at, rows, bytes }));
  const common = { report: report.name, of, last: toIso(last?.atMs ?? null), files };
  return {
    ...common,
    next: toIso(slotMs ?? nextMs),
    due: slotMs !== null,
    ...(failure === null ? {} : { failed: describeFailure(failure) }),
  };
}

function describeFailure({ code, message, place, remedy, atMs }: DeliveryFailure) {
  return { code, message, place, remedy, since: toIso(atMs) };
}

type DeliveryStatus = ReturnType<typeof describeDeliveryState>;

export function renderDeliveryStatus(deliveries: readonly DeliveryStatus[]): readonly string[] {
  if (deliveries.length === 0) return [];
  const names = Math.max(...deliveries.map(({ report }) => report.length));
  const lines = deliveries.flatMap(({ report, last, files, next, due, failed }) => {
    const rows = files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    const done = last === null ? 'not delivered yet' : `${plural(rows, 'row')} delivered ${formatMinute(last)}`;
    const then = next === null ? 'never again' : `${due ? 'due since' : 'next'} ${formatMinute(next)}`;
    const line = `  ${report.padEnd(names)}  ${done}, ${then}`;
    return failed === undefined
      ? [line]
      : [line, `    failed: ${failed.code}: ${failed.message}`, `    ${failed.remedy}`];
  });
  return ['Reports', ...lines, ''];
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
