import {
  createObjectStore,
  type HubspotData,
  type HubspotOwner,
  type HubspotRow,
  type HubspotSeed,
  MODIFIED,
  OBJECT_TYPES,
  type ObjectType,
  SINGULAR,
} from './hubspot-data.js';
import { invalid, refusal, refuse, refuseUnmetRule, tooMany } from './hubspot-errors.js';
import { page } from './hubspot-pages.js';
import { searchRows } from './hubspot-search.js';
import {
  type Json,
  type Now,
  Refusal,
  readJson,
  readList,
  readStrings,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from './vendor-server.js';

export interface HubspotOptions extends HubspotSeed {
  /** The service key; any other is rejected. */
  readonly token?: string;
  readonly now?: Now;
  /** The time until a search sees a write. */
  readonly indexLagMs?: number;
  /**
   * Requests above these numbers, within 10 s and within 1 s, are rejected. When absent, none are, for a clock that
   * stands still.
   */
  readonly requestsPerTenSeconds?: number;
  readonly searchesPerSecond?: number;
  /** The reaction of a batch update to a missing record; the reference says only that 207 means a failure. */
  readonly missing?: 'left out' | 'named' | 'refused';
  /** Returns the code of the error in a value, `INVALID_OPTION`, or null. */
  readonly validate?: (property: string, value: string) => string | null;
  /**
   * Returns a property that a rule of the account requires in addition to those written, or null. Dated versions apply
   * it.
   */
  readonly requires?: (properties: Readonly<Record<string, string>>) => string | null;
}

export interface Hubspot extends VendorServer {
  readonly data: HubspotData;
  readonly token: string;
  indexLagMs: number;
  /** The time when the token expires, or null for never. */
  tokenExpiresAt: number | null;
}

/** Defaults and maxima of one request, as in the reference of CRM objects, owners and associations (v3, v4). */
const LIST = { standard: 10, most: 100 };
const OWNERS = { standard: 100, most: 500 };
const BATCH = 100;
const ASSOCIATIONS_BATCH = 1000;
/** The most characters in a search body, as in the search guide, and in an address, as clients have found. */
const MOST_SEARCH = 3_000;
const MOST_ADDRESS = 8_192;

/** The properties shown when the request names none; `hs_object_id` and both times are always shown. */
const STANDARD: Readonly<Record<ObjectType, readonly string[]>> = {
  companies: ['domain', 'name'],
  deals: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
  contacts: ['email', 'firstname', 'lastname'],
};

/**
 * Imitates CRM objects, search, owners and associations of HubSpot, as the public reference of the v3, v4 and dated API
 * describes them; objects are at `/crm/v3/objects/…` and `/crm/objects/2026-09/…`.
 */
export async function createHubspot(options: HubspotOptions = {}): Promise<Hubspot> {
  const now = options.now ?? Date.now;
  const token = options.token ?? 'pat-eu1-imitation';
  const data = createObjectStore(options, now);
  const calls: number[] = [];
  const searches: number[] = [];

  function answer(asked: VendorRequest, url: string): VendorReply {
    authenticate(asked);
    if (asked.path.length + asked.query.toString().length > MOST_ADDRESS) return { status: 414, body: 'URI Too Long' };
    const isDated = /^\/crm\/objects\/\d{4}-\d{2}\//.test(asked.path);
    const request = { ...asked, path: asked.path.replace(/^\/crm\/objects\/\d{4}-\d{2}\//, '/crm/v3/objects/') };
    const isSearch = /^\/crm\/v3\/objects\/[^/]+\/search$/.test(request.path);
    if (isSearch && isOver(searches, options.searchesPerSecond, 1000)) throw new Refusal(tooMany('SECONDLY'));
    if (isOver(calls, options.requestsPerTenSeconds, 10_000)) throw new Refusal(tooMany('TEN_SECONDLY_ROLLING'));
    const reply = route(request, url, isDated);
    return isSearch ? reply : { ...reply, headers: { ...limitHeaders(), ...reply.headers } };
  }

  function authenticate(request: VendorRequest): void {
    if (request.headers.authorization !== `Bearer ${token}`) throw refusal(401, 'INVALID_AUTHENTICATION');
    if (server.tokenExpiresAt === null || now() < server.tokenExpiresAt) return;
    throw refusal(401, 'EXPIRED_AUTHENTICATION', {
      context: { 'expire time': [new Date(server.tokenExpiresAt).toISOString()] },
    });
  }

  function isOver(times: number[], most: number | undefined, windowMs: number): boolean {
    while (times[0] !== undefined && times[0] <= now() - windowMs) times.shift();
    if (times.length >= (most ?? Number.POSITIVE_INFINITY)) return true;
    times.push(now());
    return false;
  }

  function limitHeaders(): Record<string, string> {
    const most = options.requestsPerTenSeconds ?? 190;
    return {
      'x-hubspot-ratelimit-daily': '650000',
      'x-hubspot-ratelimit-daily-remaining': String(650_000 - server.requests.length),
      'x-hubspot-ratelimit-interval-milliseconds': '10000',
      'x-hubspot-ratelimit-max': String(most),
      'x-hubspot-ratelimit-remaining': String(Math.max(0, most - calls.length)),
    };
  }

  function route(request: VendorRequest, url: string, isDated: boolean): VendorReply {
    const [, owner] = /^\/crm\/v3\/owners(?:\/([^/]*))?$/.exec(request.path) ?? [null];
    if (request.path.startsWith('/crm/v3/owners')) return listOwners(data, request, url, owner || null);
    const pair = /^\/crm\/v4\/associations\/(\w+)\/(\w+)\/batch\/read$/.exec(request.path);
    if (pair !== null) return readAssociations(data, request, objectType(pair[1]), objectType(pair[2]));
    const [, name, rest = ''] = /^\/crm\/v3\/objects\/([^/]+)(?:\/(.+))?$/.exec(request.path) ?? [];
    if (name === undefined) throw refusal(404, 'OBJECT_NOT_FOUND');
    const type = objectType(name);
    const asked = `${request.method} ${rest}`;
    if (asked === 'GET ') return listObjects(data, request, url, type);
    if (asked === 'POST ') return { status: 201, body: show(type, data.create(type, readBody(request)), null) };
    if (asked === 'POST search') {
      if (request.body.length > MOST_SEARCH)
        throw invalid(`The request body is longer than ${MOST_SEARCH} characters.`);
      const body = readBody(request);
      const found = searchRows(type, data.rowsAt(type, now() - server.indexLagMs), body);
      const wanted = Array.isArray(body.properties) ? readStrings(body.properties) : null;
      return { status: 200, body: { ...found, results: found.results.map((row) => show(type, row, wanted)) } };
    }
    if (asked === 'POST batch/read') return readBatch(data, request, type);
    if (asked === 'POST batch/update') return updateBatch(data, request, type, { ...options, isDated });
    return answerOne(data, request, type, rest);
  }

  const server: Hubspot = Object.assign(await startVendor({ answer, refuse }), {
    data,
    token,
    indexLagMs: options.indexLagMs ?? 0,
    tokenExpiresAt: null,
  });
  return server;
}

function listObjects(data: HubspotData, request: VendorRequest, url: string, type: ObjectType): VendorReply {
  const archived = request.query.get('archived') === 'true';
  const associated = readNames(request, 'associations')?.map(objectType) ?? [];
  const wanted = readNames(request, 'properties');
  return page(
    request,
    url,
    data.rows(type),
    (row) => row.archived === archived,
    LIST,
    (row) => ({ ...show(type, row, wanted), ...showAssociations(data, type, row, associated) }),
  );
}

function listOwners(data: HubspotData, request: VendorRequest, url: string, id: string | null): VendorReply {
  const archived = request.query.get('archived') === 'true';
  const email = request.query.get('email');
  const owners = data.owners.toSorted((a, b) => Number(a.id) - Number(b.id));
  const matches = (one: HubspotOwner) => one.archived === archived && (email === null || one.email === email);
  if (id === null) return page(request, url, owners, matches, OWNERS, (owner) => ({ type: 'PERSON', ...owner }));
  const owner = owners.find((one) => one.id === id && one.archived === archived);
  if (owner === undefined) throw refusal(404, 'OBJECT_NOT_FOUND');
  return { status: 200, body: owner };
}

function answerOne(data: HubspotData, request: VendorRequest, type: ObjectType, id: string): VendorReply {
  const row = data.find(type, id);
  const archived = request.query.get('archived') === 'true';
  if (row === undefined || row.archived !== archived) throw refusal(404, 'OBJECT_NOT_FOUND');
  if (request.method === 'GET') return { status: 200, body: show(type, row, readNames(request, 'properties')) };
  if (request.method === 'DELETE') {
    data.archive(type, id);
    return { status: 204 };
  }
  if (request.method !== 'PATCH') throw refusal(405, 'METHOD_NOT_ALLOWED');
  return { status: 200, body: show(type, data.update(type, id, readProperties(readBody(request))), null) };
}

function readBatch(data: HubspotData, request: VendorRequest, type: ObjectType): VendorReply {
  const body = readBody(request);
  const archived = request.query.get('archived') === 'true';
  const ids = readInputs(body, BATCH).map((one) => String(one.id));
  const wanted = Array.isArray(body.properties) ? readStrings(body.properties) : null;
  const found = ids.flatMap((id) => {
    const row = data.find(type, id);
    return row?.archived === archived ? [row] : [];
  });
  const answered = new Set(found.map((row) => row.id));
  return batchReply(
    found.map((row) => show(type, row, wanted)),
    ids.filter((id) => !answered.has(id)),
  );
}

/**
 * An invalid value rejects the entire call. The status is 200 when all were updated, else 207 (changelog "Simplifying
 * batch update response codes for CRM v3 APIs"). A 207 may name the failures or only omit them.
 */
function updateBatch(
  data: HubspotData,
  request: VendorRequest,
  type: ObjectType,
  { missing = 'left out', validate = () => null, requires, isDated }: HubspotOptions & { readonly isDated: boolean },
): VendorReply {
  const inputs = readInputs(readBody(request), BATCH);
  const needed = isDated ? inputs.flatMap((one) => requires?.(readProperties(one)) ?? []) : [];
  if (needed.length > 0) throw refuseUnmetRule(needed[0] ?? '');
  const problems = inputs.flatMap((one) =>
    Object.entries(readProperties(one)).flatMap(([name, value]) => {
      const error = validate(name, value);
      return error === null ? [] : [{ isValid: false, message: `${name} is not valid`, error, name }];
    }),
  );
  if (problems.length > 0) throw invalid(`Property values were not valid: ${JSON.stringify(problems.slice(0, 1))}`);
  const found = inputs.filter((one) => data.find(type, String(one.id))?.archived === false);
  const lost = inputs.filter((one) => !found.includes(one)).map((one) => String(one.id));
  if (missing === 'refused' && lost.length > 0) throw refusal(404, 'OBJECT_NOT_FOUND');
  const results = found.map((one) => {
    const properties = readProperties(one);
    const row = data.update(type, String(one.id), emptyToNull(properties));
    return show(type, row, [...STANDARD[type], ...Object.keys(properties)]);
  });
  const reply = batchReply(results.reverse(), missing === 'named' ? lost : []);
  return lost.length === 0 ? reply : { ...reply, status: 207 };
}

/** An empty text clears a property. */
function emptyToNull(properties: Readonly<Record<string, string>>): HubspotRow['properties'] {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, value === '' ? null : value]));
}

function readAssociations(data: HubspotData, request: VendorRequest, from: ObjectType, to: ObjectType): VendorReply {
  const ids = readInputs(readBody(request), ASSOCIATIONS_BATCH).map((one) => String(one.id));
  const results = ids.flatMap((id) => {
    const targets = data.find(from, id)?.associations[to] ?? [];
    const associationTypes = [{ category: 'HUBSPOT_DEFINED', typeId: 341, label: null }];
    const links = targets.map((target) => ({ toObjectId: Number(target), associationTypes }));
    return links.length === 0 ? [] : [{ from: { id }, to: links }];
  });
  return batchReply(
    results,
    ids.filter((id) => !results.some((one) => one.from.id === id)),
  );
}

/** The status is 207 if any input has no result. */
function batchReply(results: readonly object[], missing: readonly string[]): VendorReply {
  const errors = [{ status: 'error', category: 'OBJECT_NOT_FOUND', message: 'Not found', context: { ids: missing } }];
  const failed = missing.length === 0 ? {} : { numErrors: missing.length, errors };
  const times = { startedAt: '2026-01-01T00:00:00.000Z', completedAt: '2026-01-01T00:00:00.010Z' };
  return { status: missing.length === 0 ? 200 : 207, body: { status: 'COMPLETE', results, ...times, ...failed } };
}

function show(type: ObjectType, row: HubspotRow, wanted: readonly string[] | null): object {
  const names = [...(wanted ?? STANDARD[type]), 'createdate', MODIFIED[type], 'hs_object_id'];
  const all = { ...row.properties, createdate: row.createdAt, [MODIFIED[type]]: row.updatedAt, hs_object_id: row.id };
  const properties = Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all] ?? null]));
  const { id, createdAt, updatedAt, archived, archivedAt } = row;
  return { id, properties, createdAt, updatedAt, archived, ...(archivedAt === null ? {} : { archivedAt }) };
}

/** A deal’s company appears twice: with the primary label and without a label. */
function showAssociations(data: HubspotData, type: ObjectType, row: HubspotRow, to: readonly ObjectType[]): object {
  const told = to.flatMap((other) => {
    const label = `${SINGULAR[type]}_to_${SINGULAR[other]}`;
    const ids = (row.associations[other] ?? []).filter((id) => data.find(other, id)?.archived === false);
    const results = ids.flatMap((id, at) => [
      ...(at === 0 && label === 'deal_to_company' ? [{ id, type: label }] : []),
      { id, type: `${label}${label === 'deal_to_company' ? '_unlabeled' : ''}` },
    ]);
    return results.length === 0 || row.archived ? [] : [[other, { results }] as const];
  });
  return told.length === 0 ? {} : { associations: Object.fromEntries(told) };
}

function objectType(name: string | undefined): ObjectType {
  const type = OBJECT_TYPES.find((one) => one === name || SINGULAR[one] === name);
  if (type === undefined) throw invalid(`Unable to infer object type from: ${name}`);
  return type;
}

function readNames(request: VendorRequest, name: string): readonly string[] | null {
  const given = request.query.getAll(name).flatMap((one) => one.split(','));
  return given.length === 0 ? null : given.map((one) => one.trim());
}

function readBody(request: VendorRequest): Json {
  return readJson(request, invalid('Invalid input JSON').reply);
}

function readProperties(input: Json): Record<string, string> {
  const given = typeof input.properties === 'object' && input.properties !== null ? input.properties : {};
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

function readInputs(body: Json, most: number): readonly Json[] {
  const inputs = readList(body.inputs);
  if (inputs.length === 0 || inputs.length > most) throw invalid(`inputs must have between 1 and ${most} elements`);
  return inputs;
}
