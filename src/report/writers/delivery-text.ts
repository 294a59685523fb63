import type { DeliveryResult, DueDelivery } from '../../model/delivery.js';
import { formatMinute } from '../texts/run-lines.js';
import { clip, plural, type Style } from './style.js';

/** Reports that the next run delivers. */
export function renderDue(due: readonly DueDelivery[], style: Style, width: number): readonly string[] {
  if (due.length === 0) return [];
  return [
    `${style.bold('Reports due')}: ${due.length}, delivered by the next run`,
    ...due.map(({ report, of, slot, missed, calls }) => {
      const sum = Object.values(calls).reduce((a, b) => a + b, 0);
      const late = missed === 0 ? '' : `, ${plural(missed, 'earlier one')} missed`;
      return `  ${clip(`${report} (${of}) of ${formatMinute(slot)}${late}: ${plural(sum, 'call')}`, width - 2)}`;
    }),
  ];
}

/** Reports that a run delivered, or could not deliver. */
export function renderDeliveries(results: readonly DeliveryResult[], style: Style): readonly string[] {
  return results.flatMap(({ report, of, status, missed, files, error }) => {
    const late = missed === 0 ? '' : `, ${plural(missed, 'earlier one')} missed`;
    if (error !== undefined) {
      return [
        style.bad(`x report ${report} (${of}) not delivered${late}`),
        `    ${error.code}: ${clip(error.message, 300)}`,
        style.dim(`    ${error.remedy}`),
      ];
    }
    if (status === 'left')
      return [style.bold(`! report ${report} (${of}) left for the next run: the call budget is spent`)];
    return files.map(({ at, rows, bytes }) => {
      const size = rows === null ? plural(bytes, 'byte') : plural(rows, 'row');
      return `  report ${report} (${of}): ${size} to ${at}${late}`;
    });
  });
}
