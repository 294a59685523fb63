import type { DeliveryFailure } from '../model/delivery.js';
import { formatMinute, plural } from '../report/sections/words.js';
import type { DeliveryState } from '../writeback/reports/deliver-due.js';

/** A report of the configuration as `status` tells it; times are ISO 8601. */
export interface DeliveryStatus {
  readonly report: string;
  readonly of: string;
  readonly last: string | null;
  readonly files: readonly { readonly at: string; readonly rows: number | null; readonly bytes: number }[];
  /** The time of the schedule that is due, or comes next; null when it has none left. */
  readonly next: string | null;
  readonly due: boolean;
  readonly failed?: Pick<DeliveryFailure, 'code' | 'message' | 'place' | 'remedy'> & { readonly since: string };
}

export function describeDeliveryState({ report, of, last, failure, slotMs, nextMs }: DeliveryState): DeliveryStatus {
  const files = (last?.files ?? []).map(({ at, rows, bytes }) => ({ at, rows, bytes }));
  const common = { report: report.name, of, last: toIso(last?.atMs ?? null), files };
  const state = { ...common, next: toIso(slotMs ?? nextMs), due: slotMs !== null };
  if (failure === null) return state;
  const { code, message, place, remedy, atMs } = failure;
  return { ...state, failed: { code, message, place, remedy, since: new Date(atMs).toISOString() } };
}

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
