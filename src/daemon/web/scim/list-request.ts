import { LARGEST_PAGE } from '../../../connectors/scim-protocol/discovery.js';
import { type Filter, parseFilter } from '../../../connectors/scim-protocol/parse-filter.js';
import type { Projection } from '../../../connectors/scim-protocol/project.js';
import { checkMessage, findSent, requireObject } from '../../../connectors/scim-protocol/read-resource.js';
import { invalidValue } from '../../../connectors/scim-protocol/scim-error.js';
import { isJsonObject, type Json, listOf } from '../../../model/json.js';

/** Parameters of a list, from the query or the body of a search (RFC 7644, 3.4.2 and 3.4.3). */
export interface ListRequest {
  readonly filter: Filter | null;
  readonly sortBy: string | null;
  readonly descending: boolean;
  /** 1-based. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
}

const PAGE = 100;
/** Maximum number of names; higher than the number of attributes. */
const MOST_NAMES = 200;

export function readQuery(query: URLSearchParams): ListRequest {
  const lower = new Map([...query].toReversed().map(([name, value]) => [name.toLowerCase(), value] as const));
  return readList((name) => lower.get(name.toLowerCase()));
}

export function readSearch(sent: Json): ListRequest {
  const body = requireObject(sent);
  checkMessage(body, 'SearchRequest');
  return readList((name) => findSent(body, name));
}

export function readProjection(query: URLSearchParams): Projection {
  return readQuery(new URLSearchParams([...query].filter(([name]) => /attributes$/i.test(name)))).projection;
}

function readList(find: (name: string) => Json | undefined): ListRequest {
  const filter = readText('filter', find);
  const projection = { attributes: readNames('attributes', find), excluded: readNames('excludedAttributes', find) };
  if (projection.attributes.length > 0 && projection.excluded.length > 0)
    throw invalidValue('attributes and excludedAttributes exclude each other.');
  return {
    filter: filter === null ? null : parseFilter(filter),
    sortBy: readText('sortBy', find),
    descending: readOrder(find) === 'descending',
    // Start indexes below 1 count as 1, and counts below 0 as 0 (RFC 7644, 3.4.2.4).
    startIndex: Math.max(1, readWhole('startIndex', find) ?? 1),
    count: Math.min(LARGEST_PAGE, Math.max(0, readWhole('count', find) ?? PAGE)),
    projection,
  };
}

function readText(name: string, find: (name: string) => Json | undefined): string | null {
  const value = find(name) ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw invalidValue(`${name} must be a text.`);
}

function readOrder(find: (name: string) => Json | undefined): 'ascending' | 'descending' {
  const order = readText('sortOrder', find)?.toLowerCase() ?? 'ascending';
  if (order === 'ascending' || order === 'descending') return order;
  throw invalidValue('sortOrder must be ascending or descending.');
}

function readWhole(name: string, find: (name: string) => Json | undefined): number | null {
  const value = find(name) ?? null;
  if (value === null || value === '') return null;
  const number = isJsonObject(value) || Array.isArray(value) ? Number.NaN : Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw invalidValue(`${name} must be a whole number.`);
}

/** Reads a list, or a text separated by commas. */
function readNames(name: string, find: (name: string) => Json | undefined): readonly string[] {
  const value = find(name) ?? null;
  const texts = typeof value === 'string' ? value.split(',') : listOf(value).filter((one) => typeof one === 'string');
  const names = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
  if (names.length <= MOST_NAMES) return names;
  throw invalidValue(`${name} may have at most ${MOST_NAMES} names.`);
}
