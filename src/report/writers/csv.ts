import { stringify } from 'csv-stringify/sync';
import { disarmCell } from '../../model/spreadsheet.js';
import { listDeliveryWords } from '../sections/deliveries.js';
import { CHANGE_COLUMNS, type ChangeColumn, type CsvName, type Report, type ReportChange } from '../sections/report.js';
import { describeNearMisses } from '../sections/to-sources.js';

type CsvCells = Exclude<ChangeColumn['csv'], string | undefined>;
const CELLS: CsvCells = Object.assign(
  {},
  ...CHANGE_COLUMNS.map(({ csv = {}, text }): CsvCells => (typeof csv === 'string' ? { [csv]: text } : csv)),
);
export const CSV_COLUMNS = Object.keys(CELLS);

/** A row of the CSV. A missing cell is empty. */
type CsvRow = Readonly<Partial<Record<CsvName, string | null | undefined>>>;

const BATCH = 500;
/** Excel needs the byte order mark to recognise UTF-8. Other programs may read it as part of the first column's name. */
const BOM = '\uFEFF';

export interface CsvOptions {
  readonly bom: boolean;
  /** True for programs. A cell that looks like a formula is then written verbatim. */
  readonly isPlain?: boolean;
}

/** Yields one row per changed field, or one row for a change without fields. */
export async function* renderCsv(report: Report, options: CsvOptions): AsyncIterable<string> {
  if (options.bom) yield BOM;
  yield stringify([CSV_COLUMNS]);
  let rows: CsvRow[] = [];
  for await (const batch of report.changes()) {
    rows.push(...batch.flatMap(listRows));
    if (rows.length < BATCH) continue;
    yield write(rows, options);
    rows = [];
  }
  yield write([...rows, ...listDeliveries(report), ...listNearMisses(report)], options);
}

function write(rows: readonly CsvRow[], { isPlain = false }: CsvOptions): string {
  const cellOf = (text: string): string => (isPlain ? text : disarmCell(text));
  const cells = (row: Readonly<Record<string, string | null | undefined>>) =>
    CSV_COLUMNS.map((name) => cellOf(row[name] ?? ''));
  return stringify(rows.map(cells));
}

/** One row per due or delivered report of the service. Reports change no object. */
function listDeliveries(report: Report): readonly CsvRow[] {
  return listDeliveryWords(report).map(({ name, of, slot, state, about }) => ({
    entity: 'reports',
    action: 'deliver',
    key: name,
    label: of,
    reason: 'it is due',
    state,
    about,
    ended_at: slot,
  }));
}

/** One row per column in which the source shows a written value in another form. */
function listNearMisses({ plan }: Report): readonly CsvRow[] {
  return (plan?.nearMisses ?? []).map((near) => ({
    action: 'near miss',
    label: `${near.source}: ${near.column}`,
    field: near.column,
    reason: 'the source shows the written value in another format',
    about: describeNearMisses(near),
    to_source: near.source,
  }));
}

function listRows(change: ReportChange): readonly CsvRow[] {
  const ones = change.differences.length === 0 ? [undefined] : change.differences;
  return ones.map((one) => Object.fromEntries(Object.entries(CELLS).map(([name, cell]) => [name, cell(change, one)])));
}
