import {
  type Columns,
  createTables,
  type DynamicsData,
  type DynamicsSeed,
  ENTITIES,
  type EntitySet,
} from './dynamics-data.js';
import { CODES, malformed, refusal, refuse, tooMany, unauthorized } from './dynamics-errors.js';
import { listRows, type Tracking } from './dynamics-listing.js';
import { readShape, show } from './dynamics-rows.js';
import {
  type Now,
  readJson,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from './vendor-server.js';

export interface DynamicsOptions extends DynamicsSeed {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly now?: Now;
  /** Requests above this number within 300 s are rejected. When absent, none are, for a clock that stands still. */
  readonly requestsPerFiveMinutes?: number;
  /** Returns the reason why an update is invalid, or null. */
  readonly validate?: (id: string, columns: Columns) => string | null;
}

export interface Dynamics extends VendorServer {
  readonly data: DynamicsData;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly tokenUrl: string;
  expireTokens(): void;
  /** Acts as if the days for which changes are kept had passed. */
  expireDeltaLinks(): void;
}

const WINDOW_MS = 300_000;
const TOKEN_SECONDS = 3599;
const DELTA_LIFETIME_MS = 30 * 24 * 60 * 60_000;
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ROW = new RegExp(`^(\\w+)\\((${ID})\\)$`, 'i');

/** Imitates the token endpoint and the Web API of Dynamics 365 (Dataverse), as their references describe them. */
export async function createDynamics(options: DynamicsOptions = {}): Promise<Dynamics> {
  const now = options.now ?? Date.now;
  const data = createTables(options, now);
  const tokens = new Map<string, number>();
  const calls: number[] = [];
  let issued = 0;
  const kept: Tracking['kept'] = { key: '', items: [] };
  let generation = 1;

  function answer(request: VendorRequest, url: string): VendorReply {
    if (request.path === '/tenant/oauth2/v2.0/token') return issueToken(request, url);
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (now() >= (tokens.get(token) ?? 0)) throw unauthorized(url);
    const left = countCall();
    const reply = route(request, url);
    const limits = { 'x-ms-ratelimit-burst-remaining-xrm-requests': String(left), 'odata-version': '4.0' };
    return { ...reply, headers: { ...limits, ...reply.headers } };
  }

  function issueToken(request: VendorRequest, url: string): VendorReply {
    const form = new URLSearchParams(request.body);
    const isKnown = form.get('client_id') === server.clientId && form.get('client_secret') === server.clientSecret;
    if (!isKnown) return oauthError(401, 'invalid_client', 7000215);
    if (form.get('grant_type') !== 'client_credentials') return oauthError(400, 'unsupported_grant_type', 70003);
    if (form.get('scope') !== `${url}/.default`) return oauthError(400, 'invalid_scope', 70011);
    issued += 1;
    const access_token = `eyJ0eXAiOiJKV1QifQ.imitation.${issued}`;
    tokens.set(access_token, now() + TOKEN_SECONDS * 1000);
    const lifetime = { expires_in: TOKEN_SECONDS, ext_expires_in: TOKEN_SECONDS };
    return { status: 200, body: { token_type: 'Bearer', ...lifetime, access_token } };
  }

  /** Returns the number of calls left; a rejection says in how many seconds the next one is allowed. */
  function countCall(): number {
    const most = options.requestsPerFiveMinutes ?? 6000;
    while (calls[0] !== undefined && calls[0] <= now() - WINDOW_MS) calls.shift();
    if (options.requestsPerFiveMinutes !== undefined && calls.length >= most) {
      throw tooMany(Math.ceil(((calls[0] ?? now()) + WINDOW_MS - now()) / 1000));
    }
    calls.push(now());
    return Math.max(0, most - calls.length);
  }

  function route(request: VendorRequest, url: string): VendorReply {
    const [, rest = ''] = /^\/api\/data\/v9\.\d\/?(.*)$/.exec(request.path) ?? [];
    if (rest === 'WhoAmI' || rest === 'WhoAmI()') {
      const id = '00000000-0000-0000-0000-00000000000a';
      return { status: 200, body: { BusinessUnitId: id, UserId: id, OrganizationId: id } };
    }
    const [, ofRow, id] = ROW.exec(rest) ?? [];
    const [, ofCount] = /^(\w+)\/\$count$/.exec(rest) ?? [];
    const set = readSet(ofRow ?? ofCount ?? rest);
    if (ofCount !== undefined) return { status: 200, body: String(Math.min(data.rows(set).length, 5000)) };
    if (id !== undefined) return answerOne(data, request, url, set, id.toLowerCase(), options.validate);
    if (request.method === 'POST') {
      const row = data.create(set, readColumns(data, set, request));
      return { status: 204, headers: { 'odata-entityid': `${url}${request.path}(${row.id})` } };
    }
    return listRows(data, request, url, set, { now: now(), oldest: now() - DELTA_LIFETIME_MS, generation, kept });
  }

  const started = await startVendor({ answer, refuse });
  const server: Dynamics = Object.assign(started, {
    data,
    clientId: options.clientId ?? 'imitated-client',
    clientSecret: options.clientSecret ?? 'imitated-secret',
    tokenUrl: `${started.url}/tenant/oauth2/v2.0/token`,
    expireTokens: () => tokens.clear(),
    expireDeltaLinks: () => {
      generation += 1;
    },
  });
  return server;
}

function oauthError(status: number, error: string, code: number): VendorReply {
  return { status, body: { error, error_description: `AADSTS${code}: ${error}`, error_codes: [code] } };
}

function readSet(name: string): EntitySet {
  if (name in ENTITIES) return name as EntitySet;
  throw refusal(404, CODES.malformed, `Resource not found for the segment '${name}'.`);
}

function answerOne(
  data: DynamicsData,
  request: VendorRequest,
  url: string,
  set: EntitySet,
  id: string,
  validate: NonNullable<DynamicsOptions['validate']> = () => null,
): VendorReply {
  const row = data.find(set, id);
  const expected = request.headers['if-match'];
  const isUpsert = request.method === 'PATCH' && expected === undefined;
  if (row === undefined && !isUpsert) {
    throw refusal(404, CODES.absent, `Entity '${ENTITIES[set].name}' With Id = ${id} Does Not Exist`);
  }
  if (request.method === 'GET' && row !== undefined) {
    const annotations = /include-annotations="?([^"]*)"?/.exec(String(request.headers.prefer ?? ''))?.[1] ?? '';
    const shape = readShape(data, set, request.query, annotations);
    const context = { '@odata.context': `${url}/api/data/v9.2/$metadata#${set}/$entity` };
    return { status: 200, body: { ...context, ...show(data, shape, row) } };
  }
  if (row !== undefined && expected !== undefined && expected !== '*' && expected !== `W/"${row.version}"`) {
    throw refusal(412, CODES.changed, 'The row changed since: its version is another one than If-Match names.');
  }
  if (request.method === 'DELETE') {
    data.remove(set, id);
    return { status: 204 };
  }
  if (request.method !== 'PATCH') throw refusal(405, CODES.malformed, 'The method is not allowed here.');
  const columns = readColumns(data, set, request);
  const problem = validate(id, columns);
  if (problem !== null) throw refusal(400, CODES.invalid, problem);
  if (row === undefined) data.create(set, { ...columns, [ENTITIES[set].key]: id });
  else data.update(set, id, columns);
  return { status: 204, headers: { 'odata-entityid': `${url}${request.path}` } };
}

/** A lookup is set through its navigation: "ownerid@odata.bind": "/systemusers(…)". */
function readColumns(data: DynamicsData, set: EntitySet, request: VendorRequest): Columns {
  const body = readJson(request, malformed('The body is not a JSON object.').reply);
  const columns = Object.entries(body).map(([name, value]) => {
    const [, navigation] = /^(\w+)@odata\.bind$/.exec(name) ?? [];
    const [, target = null] = new RegExp(`\\((${ID})\\)$`, 'i').exec(String(value)) ?? [];
    if (navigation !== undefined) return [`_${navigation}_value`, target] as const;
    if (!data.isColumn(set, name)) throw malformed(`Invalid property '${name}' was found in entity '${set}'.`);
    return [name, value] as const;
  });
  return Object.fromEntries(columns) as Columns;
}
