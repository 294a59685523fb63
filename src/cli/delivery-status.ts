import type { DeliveryStatus } from '../operations/describe-delivery.js';
import { formatMinute, plural } from '../report/sections/words.js';

export function renderDeliveryStatus(deliveries: readonly DeliveryStatus[]): readonly string[] {
  if (deliveries.length === 0) return [];
  const names = Math.max(...deliveries.map(({ report }) => report.length));
  const lines = deliveries.flatMap((delivery) => {
    const { report, next, due, failed, documents } = delivery;
    const never = documents === undefined ? 'never again' : 'checked in each run';
    const then = next === null ? never : `${due ? 'due since' : 'next'} ${formatMinute(next)}`;
    const line = `  ${report.padEnd(names)}  ${doneText(delivery)}, ${then}`;
    // The pending items show the reason and the remedy.
    return failed === undefined ? [line] : [line, `    failed: ${failed.code}`];
  });
  return ['Deliveries', ...lines, ''];
}

/** `412 of 1000 documents delivered (588 left, 2 failing), the last on 2026-11-22 10:15 UTC` */
function doneText({ last, files, documents }: DeliveryStatus): string {
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
  return `${plural(delivered, 'document')} delivered${open.length === 0 ? '' : ` (${open.join(', ')})`}, the last on ${formatMinute(last)}`;
}
