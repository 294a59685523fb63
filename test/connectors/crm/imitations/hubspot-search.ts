import { type HubspotRow, MODIFIED, type ObjectType } from './hubspot-data.js';
import { invalid } from './hubspot-errors.js';
import { type Json, readList, readStrings } from './vendor-server.js';

/** The limits of a search, as in the search guide since September 2024. */
const PAGE = { standard: 10, most: 200 };
const TOTAL = 10_000;
const GROUPS = 5;
const FILTERS_OF_GROUP = 6;
const FILTERS = 18;

export interface Found {
  readonly total: number;
  readonly results: readonly HubspotRow[];
  readonly paging?: { readonly next: { readonly after: string } };
}

/** `after` is a plain offset: a row that appears or disappears between two pages shifts those after it. */
export function searchRows(type: ObjectType, rows: readonly HubspotRow[], body: Json): Found {
  const limit = Number(body.limit ?? PAGE.standard);
  if (!Number.isInteger(limit) || limit < 0 || limit > PAGE.most) throw invalid(`limit must be at most ${PAGE.most}`);
  const after = Number(body.after ?? 0);
  if (!Number.isInteger(after) || after < 0) throw invalid('after must be a number of results');
  if (after + limit > TOTAL) throw invalid(`no result beyond ${TOTAL} can be asked for`);
  const groups = readGroups(body);
  const matching = rows
    .filter((row) => !row.archived && (groups.length === 0 || groups.some((group) => group.every((test) => test(row)))))
    .sort(readOrder(type, body));
  const results = matching.slice(after, after + limit);
  const isLast = after + results.length >= matching.length;
  const next = isLast ? {} : { paging: { next: { after: String(after + results.length) } } };
  return { total: matching.length, results, ...next };

  function readGroups(given: Json): ((row: HubspotRow) => boolean)[][] {
    const told = readList(given.filterGroups).map((group) => readList(group.filters));
    if (told.length > GROUPS) throw invalid(`at most ${GROUPS} filterGroups`);
    if (told.some((filters) => filters.length === 0 || filters.length > FILTERS_OF_GROUP)) {
      throw invalid(`each of the filterGroups has 1 to ${FILTERS_OF_GROUP} filters`);
    }
    if (told.flat().length > FILTERS) throw invalid(`at most ${FILTERS} filters`);
    return told.map((filters) => filters.map((filter) => buildTest(type, filter)));
  }
}

/** Sorts by one property only; without one, the oldest come first. */
function readOrder(type: ObjectType, body: Json): (a: HubspotRow, b: HubspotRow) => number {
  const sorts = Array.isArray(body.sorts) ? body.sorts : [];
  if (sorts.length > 1) throw invalid('at most 1 of sorts');
  const sort: unknown = sorts[0] ?? 'createdate';
  const name = typeof sort === 'string' ? sort : String((sort as Json).propertyName);
  const sign = typeof sort === 'object' && (sort as Json).direction === 'DESCENDING' ? -1 : 1;
  return (a, b) => sign * compare(readValue(type, a, name) ?? '', readValue(type, b, name) ?? '');
}

function buildTest(type: ObjectType, filter: Json): (row: HubspotRow) => boolean {
  const name = String(filter.propertyName);
  const operator = String(filter.operator);
  const value = filter.value === undefined ? null : String(filter.value);
  const values = readStrings(filter.values);
  if (operator in BY_PRESENCE) {
    return (row) => ((readValue(type, row, name) ?? '') === '') === (BY_PRESENCE[operator] === 'absent');
  }
  if (operator === 'IN' || operator === 'NOT_IN') {
    if (values.length === 0) throw invalid(`${operator} needs values`);
    // The index stores text values in lower case, and IN compares with what it stores.
    return (row) => values.includes((readValue(type, row, name) ?? '').toLowerCase()) === (operator === 'IN');
  }
  const test = BY_VALUE[operator];
  if (test === undefined || value === null) throw invalid(`the operator ${operator} cannot be used so`);
  const high = filter.highValue === undefined ? value : String(filter.highValue);
  return (row) => {
    const own = readValue(type, row, name);
    return own === null ? operator === 'NEQ' : test(compare(own, value), compare(own, high));
  };
}

const BY_PRESENCE: Readonly<Record<string, 'present' | 'absent'>> = {
  HAS_PROPERTY: 'present',
  NOT_HAS_PROPERTY: 'absent',
};

const BY_VALUE: Readonly<Record<string, (order: number, orderToHigh: number) => boolean>> = {
  EQ: (order) => order === 0,
  NEQ: (order) => order !== 0,
  LT: (order) => order < 0,
  LTE: (order) => order <= 0,
  GT: (order) => order > 0,
  GTE: (order) => order >= 0,
  BETWEEN: (order, orderToHigh) => order >= 0 && orderToHigh <= 0,
};

function readValue(type: ObjectType, row: HubspotRow, name: string): string | null {
  if (name === 'hs_object_id') return row.id;
  if (name === 'createdate') return row.createdAt;
  if (name === MODIFIED[type]) return row.updatedAt;
  return row.properties[name] ?? null;
}

/** Compares numbers and times by size (a time is in milliseconds or ISO 8601), and text without regard to case. */
function compare(own: string, other: string): number {
  const [left, right] = [measure(own), measure(other)];
  if (left !== null && right !== null) return left - right;
  const [a, b] = [own.toLowerCase(), other.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}

function measure(value: string): number | null {
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)) ? Date.parse(value) : null;
}
