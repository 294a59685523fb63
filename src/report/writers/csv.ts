import { stringify } from 'csv-stringify/sync';
import { disarmCell } from '../../model/spreadsheet.js';
import type { Report, ReportChange } from '../sections/report.js';
import { listDeliveryWords, tellNearMisses } from '../sections/source-words.js';

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
  'to_source',
  'record',
] as const;

const BATCH = 500;
/** What tells Excel that a file is UTF-8 (and would stand in the first column's name for a program that does not expect it). */
const BOM = '\uFEFF';

/**
 * One row a changed field, and one row for a change that names no field.
 */
export async function* renderCsv(report: Report, options: { readonly bom: boolean }): AsyncIterable<string> {
  if (options.bom) yield BOM;
  let rows: Row[] = [CSV_COLUMNS];
  for await (const change of report.changes()) {
    rows.push(...listRows(change));
    if (rows.length < BATCH) continue;
    yield write(rows);
    rows = [];
  }
  rows.push(...listDeliveries(report), ...listNearMisses(report));
  yield write(rows);
}

/** A report of the service that is due or was delivered is one row: nothing of an object changes. */
function listDeliveries(report: Report): readonly Row[] {
  return listDeliveryWords(report).map(({ name, of, slot, state, about }) => [
    ...['', 'reports', 'deliver', name, of, null, '', null, null, 'its time has come', '', state, about],
    ...['', null, slot, '', null, null],
  ]);
}

/** One row a column: the source shows what it was told in a form of its own. */
function listNearMisses({ nearMisses }: Report): readonly Row[] {
  return nearMisses.map((near) => [
    ...['', '', 'near miss', '', `${near.source}: ${near.column}`, null, near.column, null, null],
    ...['the source shows what it was told in a form of its own', '', '', tellNearMisses(near), '', null, null, ''],
    ...[near.source, null],
  ]);
}

type Row = readonly (string | null)[];

function write(rows: readonly Row[]): string {
  return stringify(rows.map((row) => row.map((cell) => (cell === null ? null : disarmCell(cell)))));
}

function listRows(change: ReportChange): readonly Row[] {
  const { id, entity, action, key, label, target, reason, place, state, about, needs, approval, at, sourceRecord } =
    change;
  const calls = change.calls.map(({ call, status, request_id }) => `${call} ${status ?? '-'} ${request_id ?? '-'}`);
  const differences = change.differences.length > 0 ? change.differences : [{ field: '', before: null, after: null }];
  return differences.map(({ field, before, after }) => [
    ...[id, entity, action, key, label, target, field, before, after, reason.text, place, state, about],
    ...[needs.join(' '), approval, at, calls.join('; '), sourceRecord?.source ?? null, sourceRecord?.record ?? null],
  ]);
}
