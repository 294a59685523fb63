import { stringify } from 'csv-stringify/sync';
import { canonicalJson, isJsonObject, type Json, objectOf, textOf } from '../../model/json.js';
import { disarmCell } from '../../model/spreadsheet.js';
import { contentOf } from './log-filter.js';
import type { LogLine } from './read-log.js';

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Columns of the CSV file. `details` contains all other facts of an event as JSON. */
const COLUMNS = [
  'seq',
  'hash',
  'kind',
  'at',
  'run',
  'by',
  'change',
  'entity',
  'action',
  'key',
  'target',
  'label',
  'cause_kind',
  'cause',
  'place',
  'approval',
  'before',
  'after',
  'calls',
  'result',
  'error',
  'details',
  'records',
] as const;

const BATCH = 100;

/** Yields complete lines of text on demand, so the log is never entirely in memory. */
export async function* exportLog(lines: Iterable<LogLine>, format: ExportFormat): AsyncIterable<string> {
  if (format === 'jsonl') {
    for (const line of lines) yield `${canonicalJson(line as unknown as Json)}\n`;
    return;
  }
  const rows: (readonly string[])[] = [COLUMNS];
  for (const line of lines) {
    rows.push(toRow(line).map(disarmCell));
    if (rows.length >= BATCH) yield stringify(rows.splice(0), { record_delimiter: 'windows' });
  }
  yield stringify(rows, { record_delimiter: 'windows' });
}

function toRow(line: LogLine): readonly string[] {
  const content = line.kind === 'erased' ? {} : (contentOf(line) as unknown as Readonly<Record<string, Json>>);
  const { seq, hash, kind } = line;
  const about: Readonly<Record<string, Json>> = { ...content, ...causeColumns(content.cause), seq, hash, kind };
  const { cause: _cause, ...others } = content;
  const known = new Set<string>(COLUMNS);
  const details = Object.fromEntries(Object.entries(others).filter(([name]) => !known.has(name)));
  const restated = line.kind === 'restated' ? { of: line.of, restated_at: line.at } : {};
  const all = { ...restated, ...details };
  return COLUMNS.map((column) => {
    if (column === 'details') return Object.keys(all).length === 0 ? '' : canonicalJson(all);
    if (column === 'records') return listRecords(about.records);
    return column === 'calls' ? listCalls(about.calls) : toCell(about[column]);
  });
}

function causeColumns(cause: Json | undefined): Readonly<Record<string, Json>> {
  return isJsonObject(cause) ? { cause_kind: cause.kind ?? null, cause: cause.text ?? null } : {};
}

/** Returns `PUT /api/v1/users/{user_id} 200 q-4711; …`. */
function listCalls(calls: Json | undefined): string {
  if (!Array.isArray(calls)) return '';
  return calls
    .map((call: Json) =>
      isJsonObject(call) ? `${String(call.call)} ${String(call.status ?? '-')} ${String(call.request_id ?? '-')}` : '',
    )
    .join('; ');
}

/** Returns `deactivate users:E-1034; …`. */
function listRecords(records: Json | undefined): string {
  if (!Array.isArray(records)) return '';
  return records
    .map((one: Json) => objectOf(one))
    .map(({ action, entity, key }) => `${textOf(action)} ${textOf(entity)}:${textOf(key)}`)
    .join('; ');
}

function toCell(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}
