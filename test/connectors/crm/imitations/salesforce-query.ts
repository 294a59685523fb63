import { type SalesforceData, type SalesforceRow, SOBJECTS, type Sobject, TIME_FIELDS } from './salesforce-data.js';
import { refusal } from './salesforce-errors.js';
import {
  compareValues,
  comparisons,
  holds,
  MalformedQuery,
  namedFields,
  parseSoql,
  type Soql,
  type Value,
} from './soql.js';

export function readQuery(text: string, data: SalesforceData): Soql {
  try {
    const soql = parseSoql(text);
    const table = readTable(soql.table);
    for (const path of namedFields(soql)) checkPath(data, table, path);
    checkLiterals(soql);
    return soql;
  } catch (error) {
    if (error instanceof MalformedQuery) throw refusal(400, 'MALFORMED_QUERY', error.message);
    throw error;
  }
}

export function selectRows(soql: Soql, data: SalesforceData, withDeleted: boolean): readonly SalesforceRow[] {
  const table = readTable(soql.table);
  const read = (row: SalesforceRow) => (field: string) => readField(data, table, row, field);
  const rows = data.rows(table).filter((row) => {
    if (row.IsDeleted && !withDeleted) return false;
    return soql.where === null || holds(soql.where, read(row));
  });
  rows.sort((a, b) => {
    for (const { field, descending, nullsLast } of soql.order) {
      const [left, right] = [read(a)(field), read(b)(field)];
      const order = compareValues(left, right);
      const sign = left === null || right === null ? (nullsLast ? -1 : 1) : descending ? -1 : 1;
      if (order !== 0) return sign * order;
    }
    return 0;
  });
  return rows.slice(soql.offset, soql.limit === null ? undefined : soql.offset + soql.limit);
}

function checkPath(data: SalesforceData, table: Sobject, path: string): void {
  const [first = '', ...rest] = path.split('.');
  const parent = SOBJECTS[table].parents[first];
  if (rest.length > 0 && parent !== undefined) {
    checkPath(data, parent[1], rest.join('.'));
  } else if (rest.length > 0 || !data.isField(table, first)) {
    throw refusal(400, 'INVALID_FIELD', `No such column '${path}' on entity '${table}'.`);
  }
}

/** A time must not be in quotes. */
function checkLiterals(soql: Soql): void {
  for (const { field, values } of comparisons(soql.where)) {
    const isTime = TIME_FIELDS.includes(field.split('.').at(-1) ?? '');
    if (isTime && values.some(({ kind }) => kind !== 'date' && kind !== 'null')) {
      throw refusal(400, 'INVALID_FIELD', `${field} must be of type dateTime and not be enclosed in quotes`);
    }
  }
}

export function readTable(name: string): Sobject {
  const table = (Object.keys(SOBJECTS) as Sobject[]).find((one) => one.toLowerCase() === name.toLowerCase());
  if (table === undefined) throw refusal(400, 'INVALID_TYPE', `sObject type '${name}' is not supported.`);
  return table;
}

function findParent(
  data: SalesforceData,
  table: Sobject,
  row: SalesforceRow,
  name: string,
): [Sobject, SalesforceRow] | null {
  const [field, of] = SOBJECTS[table].parents[name] ?? [];
  if (field === undefined || of === undefined) return null;
  const parent = data.find(of, String(row[field] ?? ''));
  return parent === undefined ? null : [of, parent];
}

function readField(data: SalesforceData, table: Sobject, row: SalesforceRow, path: string): Value {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return row[first] ?? null;
  const parent = findParent(data, table, row, first);
  return parent === null ? null : readField(data, ...parent, rest.join('.'));
}

/** A parent appears as a nested record, or as null. */
export function show(
  data: SalesforceData,
  base: string,
  table: Sobject,
  row: SalesforceRow,
  paths: readonly string[],
): object {
  const attributes = { type: table, url: `${base}/sobjects/${table}/${row.Id}` };
  const shown: Record<string, unknown> = { attributes };
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    if (rest.length === 0) {
      shown[first] = row[first] ?? null;
    } else if (shown[first] === undefined) {
      const parent = findParent(data, table, row, first);
      const own = paths.filter((one) => one.startsWith(`${first}.`)).map((one) => one.slice(first.length + 1));
      shown[first] = parent === null ? null : show(data, base, ...parent, own);
    }
  }
  return shown;
}
