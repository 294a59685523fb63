import { stringify } from 'csv-stringify/sync';
import type { Report, ReportChange } from './report.js';

export const CSV_COLUMNS = [
  'change',
  'entity',
  'action',
  'key',
  'label',
  'service_id',
  'field',
  'before',
  'after',
  'reason',
  'place',
  'state',
  'about',
  'waits_for',
  'approval',
  'ended_at',
  'calls',
] as const;

const BATCH = 500;
/** What tells Excel that a file is UTF-8 (and would stand in the first column's name for a program that does not expect it). */
const BOM = '\uFEFF';

/**
 * One row a changed field, and one row for a change that names no field. Cells that a spreadsheet would take for a
 * formula are given an apostrophe (OWASP, CSV injection).
 */
export async function* renderCsv(report: Report, options: { readonly bom: boolean }): AsyncIterable<string> {
  if (options.bom) yield BOM;
  let rows: (readonly (string | null)[])[] = [CSV_COLUMNS];
  for await (const change of report.changes()) {
    rows.push(...listRows(change));
    if (rows.length < BATCH) continue;
    yield write(rows);
    rows = [];
  }
  yield write(rows);
}

function write(rows: readonly (readonly (string | null)[])[]): string {
  return stringify(rows as (string | null)[][], { escape_formulas: true });
}

function listRows(change: ReportChange): readonly (readonly (string | null)[])[] {
  const { id, entity, action, key, label, target, reason, place, state, about, needs, approval, at } = change;
  const calls = change.calls.map(({ call, status, request_id }) => `${call} ${status ?? '-'} ${request_id ?? '-'}`);
  const differences = change.differences.length > 0 ? change.differences : [{ field: '', before: null, after: null }];
  return differences.map(({ field, before, after }) => [
    ...[id, entity, action, key, label, target, field, before, after, reason.text, place, state, about],
    ...[needs.join(' '), approval, at, calls.join('; ')],
  ]);
}
