import { type Cell, type DynamicsData, type DynamicsRow, ENTITIES, type EntitySet } from './dynamics-data.js';
import { CODES, malformed, refusal } from './dynamics-errors.js';
import { checkColumns, readShape, show } from './dynamics-rows.js';
import { compareCells, MalformedFilter, parseFilter } from './odata-filter.js';
import type { VendorReply, VendorRequest } from './vendor-server.js';

const MOST_ROWS = 5000;
const OPTIONS = ['$select', '$filter', '$orderby', '$expand', '$top', '$count', '$skiptoken', '$deltatoken'];
/** Change tracking accepts none of these. */
const NOT_TRACKED = ['$filter', '$orderby', '$expand', '$top'];

/** The place where a listing continues. */
interface Cookie {
  readonly page: number;
  /** The values that the rows are ordered by, of the last row shown. */
  readonly behind: readonly Cell[];
  /** The version where the next delta begins: that of the first page, so that no later change is lost. */
  readonly version: number;
  readonly tracking: boolean;
}

/** A row or a deletion, with the values it is ordered by. */
export interface Item {
  readonly row: DynamicsRow | null;
  readonly id: string;
  readonly place: readonly Cell[];
}

export interface Tracking {
  readonly now: number;
  /** Delta links issued before this time are rejected, like those of an earlier generation. */
  readonly oldest: number;
  readonly generation: number;
  /** The order of the last listing, so that each of its pages does not sort again. */
  readonly kept: { key: string; items: readonly Item[] };
}

export function listRows(
  data: DynamicsData,
  request: VendorRequest,
  url: string,
  set: EntitySet,
  tracked: Tracking,
): VendorReply {
  const { query } = request;
  const unknown = [...query.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw malformed(`The query parameter ${unknown} is not supported.`);
  const prefer = readPrefer(request);
  const shape = readShape(data, set, query, prefer.get('odata.include-annotations') ?? '');
  const cookie = readCookie(query.get('$skiptoken'));
  const since = readDeltaToken(query.get('$deltatoken'), tracked);
  const tracking = cookie?.tracking ?? (prefer.has('odata.track-changes') || since !== null);
  if (tracking && NOT_TRACKED.some((name) => query.has(name))) {
    throw malformed('Change tracking is asked for together with a query option that it does not know.');
  }
  const order = readOrder(data, set, query.get('$orderby'));
  const all = keepOrder(
    tracked,
    `${data.version} ${since} ${set} ${query.get('$filter')} ${query.get('$orderby')}`,
    () =>
      (since === null ? liveItems(data, set, query.get('$filter'), order) : changedItems(data, set, since)).sort(
        (a, b) => comparePlaces(a.place, b.place, order),
      ),
  );
  const left = cookie === null ? all : all.slice(countUpTo(all, cookie.behind, order));
  const asked = Number(prefer.get('odata.maxpagesize') ?? MOST_ROWS);
  const top = query.get('$top');
  const page = left.slice(0, top === null ? Math.min(asked, MOST_ROWS) : Math.min(Number(top), MOST_ROWS));
  const context = `${url}/api/data/v9.2/$metadata#${set}`;
  const selected = shape.select === null ? '' : `(${shape.select.join(',')})`;
  const value = page.map(({ row, id }) =>
    row === null ? { '@odata.context': `${context}/$deletedEntity`, id, reason: 'deleted' } : show(data, shape, row),
  );
  const version = cookie?.version ?? data.version;
  const count = query.get('$count') === 'true' ? { '@odata.count': Math.min(all.length, MOST_ROWS) } : {};
  const rest =
    top === null && page.length < left.length
      ? { '@odata.nextLink': link(url, request, '$skiptoken', writeCookie(cookie, page, version, tracking)) }
      : tracking
        ? { '@odata.deltaLink': link(url, request, '$deltatoken', `${version}!${tracked.now}!${tracked.generation}`) }
        : {};
  return {
    status: 200,
    headers: prefer.size === 0 ? {} : { 'preference-applied': String(request.headers.prefer) },
    body: { '@odata.context': `${context}${selected}${tracking ? '/$delta' : ''}`, ...count, ...rest, value },
  };
}

function keepOrder({ kept }: Tracking, key: string, build: () => readonly Item[]): readonly Item[] {
  if (kept.key !== key) Object.assign(kept, { key, items: build() });
  return kept.items;
}

/** Counts the items up to and including that place. */
function countUpTo(items: readonly Item[], place: readonly Cell[], order: readonly Order[]): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (comparePlaces(items[middle]?.place ?? [], place, order) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function liveItems(data: DynamicsData, set: EntitySet, filter: string | null, order: readonly Order[]): Item[] {
  const matches = readFilter(data, set, filter);
  return data.rows(set).flatMap((row) => {
    const place = [...order.map(({ name }) => readCell(data, set, row, name)), row.id];
    return matches(row) ? [{ row, id: row.id, place }] : [];
  });
}

function changedItems(data: DynamicsData, set: EntitySet, since: number): Item[] {
  const changed = data.rows(set).filter(({ version }) => version > since);
  const gone = data.deletions(set).filter(({ id, version }) => version > since && data.find(set, id) === undefined);
  return [
    ...changed.map((row) => ({ row, id: row.id, place: [row.version] })),
    ...gone.map(({ id, version }) => ({ row: null, id, place: [version] })),
  ];
}

function readFilter(data: DynamicsData, set: EntitySet, text: string | null): (row: DynamicsRow) => boolean {
  if (text === null) return () => true;
  try {
    const filter = parseFilter(text);
    checkColumns(data, set, filter.names);
    return (row) => filter.matches((name) => readCell(data, set, row, name));
  } catch (error) {
    throw error instanceof MalformedFilter ? malformed(error.message) : error;
  }
}

function readCell(data: DynamicsData, set: EntitySet, row: DynamicsRow, path: string): Cell {
  const [first = '', rest] = path.split('/');
  if (rest === undefined) return row.columns[first] ?? null;
  const [column = '', other] = ENTITIES[set].navigation[first] ?? [];
  return other === undefined ? null : (data.find(other, String(row.columns[column]))?.columns[rest] ?? null);
}

interface Order {
  readonly name: string;
  readonly descending: boolean;
}

function readOrder(data: DynamicsData, set: EntitySet, text: string | null): readonly Order[] {
  const order = (text?.split(',') ?? []).map((one) => {
    const [name = '', direction] = one.trim().split(/\s+/);
    return { name, descending: direction === 'desc' };
  });
  checkColumns(
    data,
    set,
    order.map(({ name }) => name),
  );
  return order;
}

/** The last value, the id, comes after the ordered columns and always sorts ascending. */
function comparePlaces(a: readonly Cell[], b: readonly Cell[], order: readonly Order[]): number {
  for (const [at, own] of a.entries()) {
    const by = compareCells(own, b[at] ?? null);
    if (by !== 0) return order[at]?.descending ? -by : by;
  }
  return 0;
}

function readPrefer(request: VendorRequest): Map<string, string> {
  const parts = String(request.headers.prefer ?? '').match(/[\w.-]+(?:\s*=\s*(?:"[^"]*"|[^,;\s]+))?/g) ?? [];
  return new Map(
    parts.map((part) => [part.split('=')[0]?.trim() ?? '', part.split('=')[1]?.replaceAll('"', '') ?? '']),
  );
}

function link(url: string, request: VendorRequest, name: string, token: string): string {
  const kept = [...request.query].filter(([one]) => one !== '$skiptoken' && one !== '$deltatoken');
  const delta = name === '$skiptoken' ? [...request.query].filter(([one]) => one === '$deltatoken') : [];
  const parts = [...kept, ...delta, [name, token]].map(([one, value]) => `${one}=${encodeURIComponent(value ?? '')}`);
  return `${url}${request.path}?${parts.join('&')}`;
}

function writeCookie(last: Cookie | null, page: readonly Item[], version: number, tracking: boolean): string {
  const next: Cookie = { page: (last?.page ?? 1) + 1, behind: page.at(-1)?.place ?? [], version, tracking };
  const inner = Buffer.from(JSON.stringify(next)).toString('base64');
  return `<cookie pagenumber="${next.page}" pagingcookie="${inner}" istracking="False" />`;
}

function readCookie(token: string | null): Cookie | null {
  if (token === null) return null;
  const [, inner] = /pagingcookie="([^"]+)"/.exec(token) ?? [];
  if (inner === undefined) throw malformed('Malformed XML in the paging cookie.');
  return JSON.parse(Buffer.from(inner, 'base64').toString()) as Cookie;
}

function readDeltaToken(token: string | null, { oldest, generation }: Tracking): number | null {
  if (token === null) return null;
  const [, version, issuedAt, ofGeneration] = /^(\d+)!(\d+)!(\d+)$/.exec(token) ?? [];
  if (version === undefined) throw malformed('The delta token is not valid.');
  if (Number(issuedAt) < oldest || Number(ofGeneration) !== generation) {
    throw refusal(400, CODES.expiredVersion, 'The version stamp expired: a full sync is due.');
  }
  return Number(version);
}
