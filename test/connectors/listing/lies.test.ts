import { describe, expect, it } from 'vitest';
import { openFetchSockets } from '../../../src/base/http/fetch-sockets.js';
import type { ConnectorContext, KnownRow, KnownRows } from '../../../src/connectors/connector.js';
import { systemOf } from '../../../src/connectors/crm/systems.js';
import { VENDOR_NAMES, VENDORS, type VendorName } from '../../../src/connectors/crm/vendors/vendors.js';
import { createPace } from '../../../src/connectors/http/pace.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import type { ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import type { Preset } from '../../../src/connectors/listed/preset.js';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { createRandom, type Random } from '../../../src/sandbox/company/random.js';
import { oneIn, tries } from '../../depth.js';
import { column, listedConfig, NOW, readAll, scimConfig } from '../fixtures.js';

/** The content of one page, before it is written in the form of its kind. */
interface Said {
  rows: readonly string[];
  total: number;
  hasNext: boolean;
  status?: number;
}

interface Asked {
  readonly all: readonly string[];
  readonly from: number;
  /** The most rows that the server sends. */
  readonly size: number;
}

/** Turns an honest page into a lie. */
type Lie = (said: Said, asked: Asked) => Said;

const LIES = {
  'counts only the rows of the page': (said) => ({ ...said, total: said.rows.length }),
  'stops after a full page': (said, { all, from, size }) =>
    from === 0 ? { ...said, hasNext: false } : { rows: [], total: all.length, hasNext: from + size < all.length },
  'stops after a full page, and counts that page': (said, { from }) =>
    from === 0 ? { rows: said.rows, total: said.rows.length, hasNext: false } : { rows: [], total: 0, hasNext: false },
  'stops after a short page': (said, { from }) => {
    const rows = from === 0 ? said.rows.slice(0, -1) : [];
    return { ...said, rows, hasNext: false };
  },
  'leaves a row out': (said, { from }) => (from === 0 ? { ...said, rows: said.rows.slice(1) } : said),
  'answers the first page each time': (said, { all, size }) => ({
    ...said,
    rows: all.slice(0, size),
    hasNext: all.length > size,
  }),
  'answers the first page each time, and counts it': (_, { all, size }) => {
    const rows = all.slice(0, size);
    return { rows, total: rows.length, hasNext: all.length > size };
  },
  'sends an empty page and continues': (said, { from, size }) => (from === size ? { ...said, rows: [] } : said),
  'rejects the pages after the first': (said, { from }) => (from === 0 ? said : { ...said, status: 400 }),
  'fails after the first page': (said, { from }) => (from === 0 ? said : { ...said, status: 503 }),
} as const satisfies Readonly<Record<string, Lie>>;
type LieName = keyof typeof LIES;

/** The form of a kind of listing. */
interface Kind {
  readonly hasTotal: boolean;
  readonly next: 'own' | 'cursor' | 'token' | 'link' | 'header' | 'none';
  readonly isScim: boolean;
  /** Requests have the form of this vendor’s preset. */
  readonly vendor?: VendorName;
}

/** A vendor’s form of the end of a page and of a row. */
const OF_VENDORS: Readonly<
  Record<
    VendorName,
    { write(next: string | null): object; row(id: string): object; readonly id: string; readonly name: string }
  >
> = {
  hubspot: {
    write: (next) => (next === null ? {} : { paging: { next: { after: next } } }),
    row: (id) => ({ id, properties: { name: id } }),
    id: '/id',
    name: '/properties/name',
  },
  salesforce: {
    write: (next) => (next === null ? { done: true } : { done: false, nextRecordsUrl: `?from=${next}` }),
    row: (id) => ({ Id: id, Name: id, IsDeleted: false }),
    id: '/Id',
    name: '/Name',
  },
  dynamics: {
    write: (next) => (next === null ? {} : { '@odata.nextLink': `?from=${next}` }),
    row: (id) => ({ accountid: id, name: id }),
    id: '/accountid',
    name: '/name',
  },
};

/** The rows requested per page, never more than a server sends. */
const ASKED = 30;

const own = (rest: Partial<Kind> = {}): Kind => ({ hasTotal: true, next: 'own', isScim: false, ...rest });
const SEEN_BY_COUNT: readonly LieName[] = [
  'answers the first page each time, and counts it',
  'stops after a full page, and counts that page',
];
/** Without a count, nothing contradicts a page that looks like the last one, or like a complete one. */
const UNSEEN_WITHOUT_COUNT: readonly LieName[] = ['stops after a short page', 'leaves a row out'];
const UNSEEN_OF_OWN: readonly LieName[] = [
  ...UNSEEN_WITHOUT_COUNT,
  'stops after a full page',
  'stops after a full page, and counts that page',
  'sends an empty page and continues',
  'rejects the pages after the first',
];
/** A single response looks complete if it is truncated at a number that is neither in the query nor a usual limit. */
const UNSEEN_AT_ONCE = Object.keys(LIES) as readonly LieName[];

/** Each kind with the lies that cannot be noticed in it. All other lies turn nobody into a leaver. */
const KINDS: readonly (readonly [string, Kind, readonly LieName[]])[] = [
  ['SCIM by index', own({ isScim: true }), SEEN_BY_COUNT],
  ['SCIM by index, without totalResults', own({ isScim: true, hasTotal: false }), UNSEEN_OF_OWN],
  ['SCIM by cursor', own({ isScim: true, next: 'cursor' }), ['stops after a full page, and counts that page']],
  [
    'SCIM by cursor, without totalResults',
    own({ isScim: true, next: 'cursor', hasTotal: false }),
    UNSEEN_WITHOUT_COUNT,
  ],
  ['offset with a total', own(), SEEN_BY_COUNT],
  ['offset', own({ hasTotal: false }), UNSEEN_OF_OWN],
  ...(['token', 'link', 'header'] as const).flatMap((next): (readonly [string, Kind, readonly LieName[]])[] => [
    [`${next} with a total`, own({ next }), ['stops after a full page, and counts that page']],
    [next, own({ next, hasTotal: false }), UNSEEN_WITHOUT_COUNT],
  ]),
  ...VENDOR_NAMES.map((vendor): (typeof KINDS)[number] => {
    const { total }: Preset['listing'] = VENDORS[vendor].preset.listing;
    const hasTotal = total !== null;
    const unseen = hasTotal ? (['stops after a full page, and counts that page'] as const) : UNSEEN_WITHOUT_COUNT;
    return [`the preset ${vendor}`, own({ next: 'link', hasTotal, vendor }), unseen];
  }),
  ['a single response with a total', own({ next: 'none' }), [...SEEN_BY_COUNT, 'counts only the rows of the page']],
  ['a single response', own({ next: 'none', hasTotal: false }), UNSEEN_AT_ONCE],
];

function writeVendor(vendor: VendorName, { rows, total, hasNext, status = 200 }: Said, place: number): Response {
  const { listing }: Preset = VENDORS[vendor].preset;
  const { write: mark, row } = OF_VENDORS[vendor];
  const count = listing.total === null ? {} : { [listing.total.slice(1)]: total };
  const body = { ...count, [listing.rows.slice(1)]: rows.map(row), ...mark(hasNext ? String(place) : null) };
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function write(kind: Kind, said: Said, place: number): Response {
  const { next, hasTotal, isScim, vendor } = kind;
  const { rows, total, hasNext, status = 200 } = said;
  if (vendor !== undefined) return writeVendor(vendor, said, place);
  const count = hasTotal ? { [isScim ? 'totalResults' : 'total']: total } : {};
  const list = isScim
    ? { Resources: rows.map((id) => ({ id, userName: id })) }
    : { results: rows.map((id) => ({ id, name: id })) };
  const url = hasNext ? `?from=${place}` : null;
  const marks: Readonly<Record<Kind['next'], object>> = {
    own: {},
    none: {},
    header: {},
    cursor: hasNext ? { nextCursor: String(place) } : {},
    token: { next: hasNext ? String(place) : null },
    link: { next: url },
  };
  const link = next === 'header' ? { link: url === null ? '' : `<${url}>; rel="next"` } : {};
  const headers = { 'content-type': 'application/json', ...link };
  return new Response(JSON.stringify({ ...count, ...list, ...marks[next] }), { status, headers });
}

function placeIn(url: URL, { next, isScim, vendor }: Kind): number {
  const { searchParams: query } = url;
  if (vendor === 'hubspot') return Number(query.get('after'));
  if (isScim) return next === 'cursor' ? Number(query.get('cursor')) : Number(query.get('startIndex')) - 1;
  return Number(query.get(next === 'own' ? 'skip' : next === 'token' ? 'cursor' : 'from'));
}

const NEXT: Readonly<Record<Kind['next'], ListedStreamConfig['next']>> = {
  own: { kind: 'offset', parameter: 'skip', limit: 'take', size: ASKED },
  cursor: { kind: 'none' },
  token: { kind: 'token', at: '/next', parameter: 'cursor' },
  link: { kind: 'link', at: '/next' },
  header: { kind: 'header', name: 'link' },
  none: { kind: 'none' },
};

/** Opens a source of a kind, with a server that can be filled and can lie. */
function open(kind: Kind, size: number) {
  const server: { all: readonly string[]; lie: Lie } = { all: [], lie: (said) => said };
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(String(input));
    if (url.pathname.endsWith('/ServiceProviderConfig') || /Users\/./.test(url.pathname))
      return new Response('{}', { status: 403 });
    // The recycle bin is empty.
    if (url.searchParams.get('archived') === 'true') return write(kind, { rows: [], total: 0, hasNext: false }, 0);
    const from = placeIn(url, kind);
    const isWhole = kind.next === 'none' && server.lie === HONEST;
    const most = isWhole ? server.all.length : size;
    const rows = server.all.slice(from, from + most);
    const honest: Said = { rows, total: server.all.length, hasNext: from + most < server.all.length };
    const said = server.lie(honest, { all: server.all, from, size });
    return write(kind, said, from + most);
  };
  server.lie = HONEST;
  const context = { ...CONTEXT, openSockets: openFetchSockets(fetch), knownRows: rememberRows };
  const { isScim, next, hasTotal, vendor } = kind;
  const baseUrl = 'http://source.example';
  const paging = next === 'cursor' ? 'cursor' : 'index';
  const listed =
    vendor === undefined
      ? listedConfig(baseUrl, { next: NEXT[next], total: hasTotal ? '/total' : null })
      : describeVendor(vendor, baseUrl);
  const connector = isScim
    ? createScimConnector('idp', scimConfig(baseUrl, { paging, pageSize: ASKED }), context)
    : createListedReader('crm.people', listed, systemOf(listed), context);
  return { server, connector };
}

function describeVendor(vendor: VendorName, baseUrl: string): ListedStreamConfig {
  const { listing, streams, version }: Preset = VENDORS[vendor].preset;
  const { id, name } = OF_VENDORS[vendor];
  const shape = listedConfig(baseUrl, {
    dialect: vendor,
    version: version?.usual ?? null,
    path: streams.companies?.object ?? '',
    ...listing,
  });
  return { ...shape, columns: { id: column('string', { from: id }), name: column('string', { from: name }) } };
}

const CLOCK = { now: () => NOW, sleep: async () => {} };
const CONTEXT = {
  clock: CLOCK,
  pace: createPace(CLOCK),
  downloads: '/nowhere',
  deliveries: {} as ConnectorContext['deliveries'],
  onUnsettled: null,
  limitTransfers: <T>(work: () => Promise<T>) => work(),
  filledColumns: () => ({ columns: () => null, each: () => [], note: () => undefined }),
  timezone: 'Europe/Oslo',
};

/** Keeps rows like the mirror; a database per attempt would take most of the time. */
function rememberRows(): KnownRows {
  const rows = new Map<string, KnownRow & { seen: number }>();
  const marks = new Map<string, string>();
  return {
    keep(batch, seen) {
      for (const row of batch) rows.set(row.id, { ...row, seen });
    },
    bury: () => undefined,
    find: (id) => rows.get(id)?.body ?? null,
    each: () => rows.values(),
    gone: () => [],
    unseen: (seen, limit) => [...rows.values()].filter((row) => row.seen !== seen).slice(0, limit),
    forgetUnseen(seen) {
      for (const row of rows.values()) if (row.seen !== seen) rows.delete(row.id);
    },
    setAside: () => undefined,
    forget: () => undefined,
    shown: (seen) => [...rows.values()].find((row) => row.seen === seen)?.id ?? null,
    count: () => rows.size,
    mark: (name) => marks.get(name) ?? null,
    setMark: (name, value) => void marks.set(name, value),
  };
}

const HONEST: Lie = (said) => said;

/** Counts the people who would be taken as gone although they are there. */
async function countLost(kind: Kind, lie: LieName, random: Random): Promise<{ lost: number; unproven: boolean }> {
  const size = 3 + random.below(15);
  // There is more than one page, and the last one is never full: full pages prove nothing without a count.
  const people = size * (1 + random.below(3)) + 1 + random.below(size - 1);
  const { server, connector } = open(kind, size);
  server.all = Array.from({ length: people }, (_, at) => `p${at}`);
  expect((await readAll(connector)).evidence.complete).toBe(true);
  server.lie = LIES[lie];
  let [lost, unproven] = [0, false];
  // One person is created again, so that another read of the same number shows other rows.
  for (const again of ['p0', 'p1', 'p2']) {
    const read = await readAll(connector).catch(() => null);
    const came = new Set(read?.records.map(({ key }) => key));
    if (read?.evidence.complete === true) lost = Math.max(lost, server.all.filter((id) => !came.has(id)).length);
    server.all = [...server.all.filter((id) => id !== again), again];
    unproven ||= (await connector.probe().catch(() => null))?.unproven !== undefined;
  }
  return { lost, unproven };
}

const TRIES = tries(6);

describe.each(KINDS)('%s', (_, kind, unseen) => {
  const lies = Object.keys(LIES) as LieName[];
  it.each(
    oneIn(
      1 / 2,
      lies.filter((lie) => !unseen.includes(lie)),
    ),
  )('loses nobody if the server %s', async (lie) => {
    for (let seed = 0; seed < TRIES; seed++)
      expect(await countLost(kind, lie, createRandom(seed))).toMatchObject({ lost: 0 });
  });

  it.each(unseen)('cannot notice that the server %s', async (lie) => {
    const found = [];
    for (let seed = 0; seed < TRIES; seed++) found.push(await countLost(kind, lie, createRandom(seed)));
    expect(Math.max(...found.map(({ lost }) => lost))).toBeGreaterThan(0);
    if (!kind.hasTotal || kind.next !== 'own') expect(found.every(({ unproven }) => unproven)).toBe(true);
  });
});
