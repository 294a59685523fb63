import { generateKeyPairSync } from 'node:crypto';
import {
  type Now,
  Refusal,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';
import { BadFilter, compileFilter } from './odata2-filter.js';
import { checkAssertion } from './saml-check.js';

type Cell = string | number | null;

const PROPERTIES: readonly string[] = [
  ...['userId', 'username', 'firstName', 'lastName', 'nickname', 'email', 'title', 'department', 'division'],
  ...['location', 'country', 'empId', 'businessPhone', 'cellPhone', 'fax', 'status', 'hireDate', 'timeZone'],
  ...['lastModifiedDateTime', 'custom01', 'custom02', 'custom15'],
];
const NAVIGATIONS: Readonly<Record<string, readonly string[]>> = {
  manager: ['userId', 'email'],
  empInfo: ['personIdExternal', 'startDate', 'endDate', 'lastModifiedDateTime'],
  'empInfo/jobInfoNav': ['startDate', 'endDate', 'jobTitle', 'emplStatus', 'lastModifiedDateTime'],
  'empInfo/jobInfoNav/emplStatusNav': ['id', 'externalCode'],
};
const OPTIONS = ['$format', '$select', '$expand', '$filter', '$inlinecount', 'paging', 'customPageSize', '$skiptoken'];
/** The picklist `employee-status`: each word and its id. */
const STATUS_IDS: Readonly<Record<string, string>> = { A: '4411', U: '4413', T: '4417' };
const TOKEN_SECONDS = 86_400;

/** Effective from its date until the next one begins. */
export interface Job {
  readonly startDate: string;
  readonly status: 'A' | 'U' | 'T';
  readonly modified: number;
}
export interface Employment {
  readonly personId: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly jobs: readonly Job[];
  readonly modified: number;
}
export interface SfUser {
  readonly fields: Readonly<Record<string, Cell>>;
  readonly manager: string | null;
  readonly employment: Employment | null;
  readonly modified: number;
}

export interface SuccessFactorsOptions {
  readonly now?: Now;
  readonly longestPage?: number;
  /** Without it, users have no `empInfo`. */
  readonly hasEmployeeCentral?: boolean;
}

export interface SuccessFactors extends VendorServer {
  readonly privateKey: string;
  readonly users: Map<string, SfUser>;
  /** People outside the target population of the API user. */
  readonly hidden: Set<string>;
  /** Properties that the API user may not see. */
  readonly unseen: Set<string>;
  readonly tokens: { issued: number };
  put(id: string, changes: Partial<SfUser>): void;
  expireSnapshots(): void;
  endTokens(): void;
  revoke(): void;
}

export const CLIENT = { apiKey: 'imitated-key', company: 'acmeT1', user: 'sync.api' } as const;

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Imitates OData version 2 of SAP SuccessFactors: users with their employments, and the token endpoint. */
export async function createSuccessFactors(options: SuccessFactorsOptions = {}): Promise<SuccessFactors> {
  const now = options.now ?? Date.now;
  const users = new Map<string, SfUser>();
  const hidden = new Set<string>();
  const unseen = new Set<string>();
  const snapshots = new Map<string, readonly string[]>();
  const tokens = { issued: 0 };
  let [token, endsAt, isRevoked] = ['', 0, false];

  function answer(request: VendorRequest, url: string): VendorReply {
    if (request.path === '/oauth/token') return issueToken(request, url);
    const given = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (given === '') throw refusal(403, 'CREDENTIALS_MISSING', '[LGN0003]Authentication credentials are required.');
    if (given !== token || endsAt <= now()) throw tokenInvalid();
    if (isRevoked) throw refusal(403, 'ODATA_ADMIN_PERM_REQUIRED', '[LGN0002]No OData access permission.');
    if (request.path === '/odata/v2/upsert' && request.method === 'POST') return upsert(request);
    if (request.path === '/odata/v2/User' && request.method === 'GET') return list(request, url);
    throw refusal(404, 'COE_ENTITY_NOT_FOUND', `[COE0007]invalid entity (or function) name: ${request.path}`);
  }

  /** Issues the same token again until it expires. */
  function issueToken(request: VendorRequest, url: string): VendorReply {
    const form = new URLSearchParams(request.body);
    const isKnown = form.get('client_id') === CLIENT.apiKey && form.get('company_id') === CLIENT.company;
    const isRight = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:saml2-bearer';
    try {
      if (!isKnown || !isRight) throw new Error('another client, company or grant');
      const recipient = `${url}/oauth/token`;
      const expected = { publicKey: String(publicKey), recipient, apiKey: CLIENT.apiKey, nowMs: now() };
      if (checkAssertion(form.get('assertion') ?? '', expected) !== CLIENT.user) throw new Error('invalid user');
    } catch (error) {
      const errorMessage = `Unable to authenticate the client (${String(error)})`;
      return { status: 401, body: { errorHttpCode: '401', errorMessage } };
    }
    if (endsAt <= now()) {
      token = `sf-token-${++tokens.issued}`;
      endsAt = now() + TOKEN_SECONDS * 1_000;
    }
    const expires_in = Math.floor((endsAt - now()) / 1_000);
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in } };
  }

  function list({ query, path }: VendorRequest, url: string): VendorReply {
    const unknown = [...query.keys()].find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) throw refusal(400, 'COE_BAD_REQUEST', `The query option ${unknown} is not known.`);
    if (query.get('$format') !== 'json') throw refusal(400, 'COE_BAD_REQUEST', 'This imitation answers JSON alone.');
    const expand = (query.get('$expand') ?? '').split(',').filter((one) => one !== '');
    const select = (query.get('$select') ?? '').split(',');
    for (const one of expand) checkNavigation(one);
    for (const one of select) checkProperty(one, expand);
    const [id, from] = readPlace(query);
    const found = snapshots.get(id) ?? [];
    const size = Math.min(Number(query.get('customPageSize') ?? 1_000), 1_000, options.longestPage ?? 1_000);
    const results = found.slice(from, from + size).flatMap((one) => {
      const user = users.get(one);
      return user === undefined ? [] : [show(user, select)];
    });
    const rest = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'));
    rest.set('$skiptoken', Buffer.from(JSON.stringify([id, from + size])).toString('base64'));
    const next = from + size < found.length ? { __next: `${url}${path}?${rest}` } : {};
    const count = query.get('$inlinecount') === 'allpages' ? { __count: String(found.length) } : {};
    return { status: 200, body: { d: { results, ...count, ...next } } };
  }

  function readPlace(query: URLSearchParams): readonly [string, number] {
    const token = query.get('$skiptoken');
    if (token !== null) {
      const [id = '', from = 0] = JSON.parse(Buffer.from(token, 'base64').toString()) as [string, number];
      if (!snapshots.has(id)) throw refusal(400, 'COE_BAD_REQUEST', 'The $skiptoken is not valid any more.');
      return [id, from];
    }
    const { matches, paths } = readFilter(query.get('$filter'));
    const isStatusAsked = paths.includes('status');
    const found = [...users].filter(([one, user]) => {
      if (hidden.has(one) || (!isStatusAsked && !['t', 'T'].includes(String(user.fields.status)))) return false;
      return matches((path) => valuesOf(user, path));
    });
    const id = `s${snapshots.size + 1}`;
    snapshots.set(
      id,
      found.map(([one]) => one),
    );
    return [id, 0];
  }

  function readFilter(text: string | null): ReturnType<typeof compileFilter> {
    if (text === null) return { matches: () => true, paths: [] };
    try {
      const filter = compileFilter(text);
      for (const path of filter.paths) checkProperty(path, Object.keys(NAVIGATIONS));
      return filter;
    } catch (error) {
      throw error instanceof BadFilter ? refusal(400, 'COE_BAD_REQUEST', error.message) : error;
    }
  }

  function checkNavigation(path: string): void {
    const isThere = NAVIGATIONS[path] !== undefined && (options.hasEmployeeCentral !== false || path === 'manager');
    if (!isThere) throw noProperty(path);
  }

  function checkProperty(path: string, expand: readonly string[]): void {
    const [, navigation, name = path] = /^(.+)\/([^/]+)$/.exec(path) ?? [];
    if (navigation !== undefined) checkNavigation(navigation);
    const known = navigation === undefined ? PROPERTIES : NAVIGATIONS[navigation];
    if (known?.includes(name) !== true) throw noProperty(path);
    if (navigation !== undefined && !expand.includes(navigation)) {
      throw refusal(400, 'COE_BAD_REQUEST', `${navigation} is selected from and is not expanded.`);
    }
  }

  function show(user: SfUser, select: readonly string[]): Readonly<Record<string, unknown>> {
    const own = select.filter((path) => !path.includes('/') && !unseen.has(path));
    const shown: Record<string, unknown> = {
      __metadata: { uri: `User('${user.fields.userId}')`, type: 'SFOData.User' },
    };
    for (const name of own)
      shown[name] = name === 'lastModifiedDateTime' ? offset(user.modified) : (user.fields[name] ?? null);
    const asked = (name: string): boolean => select.some((path) => path.startsWith(`${name}/`)) && !unseen.has(name);
    if (asked('manager')) shown.manager = user.manager === null ? null : { userId: user.manager };
    if (asked('empInfo')) shown.empInfo = user.employment === null ? null : showEmployment(user.employment);
    return shown;
  }

  /** Shows the employment as of today, because a list requests no other date. */
  function showEmployment({ personId, startDate, endDate, jobs, modified }: Employment) {
    const today = new Date(now()).toISOString().slice(0, 10);
    const job = jobs.findLast((one) => one.startDate <= today);
    const results =
      job === undefined
        ? []
        : [
            {
              startDate: day(job.startDate),
              emplStatus: STATUS_IDS[job.status],
              emplStatusNav: { id: STATUS_IDS[job.status], externalCode: job.status },
            },
          ];
    const dates = { startDate: day(startDate), endDate: endDate === null ? null : day(endDate) };
    return { personIdExternal: personId, ...dates, lastModifiedDateTime: offset(modified), jobInfoNav: { results } };
  }

  function upsert(request: VendorRequest): VendorReply {
    const records = JSON.parse(request.body) as readonly Readonly<Record<string, unknown>>[];
    const d = records.map(({ __metadata: metadata, ...fields }, index) => {
      const { uri = '' } = (metadata ?? {}) as { readonly uri?: string };
      const id = decodeURIComponent(/^User\('(.*)'\)$/.exec(uri)?.[1] ?? '').replaceAll("''", "'");
      const unknown = Object.keys(fields).find((name) => !PROPERTIES.includes(name));
      if (unknown !== undefined) throw noProperty(unknown);
      const key = `User/userId=${id}`;
      const long = Object.values(fields).find((value) => String(value).length > 100);
      if (!users.has(id)) return failed(key, index, 'Required property username is missing');
      if (long !== undefined) return failed(key, index, 'String length exceed the limit');
      put(id, { fields: { ...users.get(id)?.fields, ...(fields as SfUser['fields']) } });
      return { key, status: 'OK', editStatus: 'UPSERTED', message: null, index, httpCode: 200, inlineResults: null };
    });
    return { status: 200, body: { d } };
  }

  function put(id: string, changes: Partial<SfUser>): void {
    const before: SfUser = users.get(id) ?? { fields: {}, manager: null, employment: null, modified: 0 };
    users.set(id, { ...before, modified: now(), ...changes });
  }

  const server = await startVendor({ answer, refuse });
  return Object.assign(server, {
    ...{ privateKey: String(privateKey), users, hidden, unseen, tokens, put },
    expireSnapshots: () => snapshots.clear(),
    endTokens: () => {
      endsAt = 0;
    },
    revoke: () => {
      isRevoked = true;
    },
  });
}

function valuesOf({ fields, employment, modified }: SfUser, path: string): readonly Cell[] {
  if (path === 'lastModifiedDateTime') return [modified];
  if (!path.startsWith('empInfo/')) return [fields[path] ?? null];
  if (employment === null) return [];
  if (path === 'empInfo/lastModifiedDateTime') return [employment.modified];
  // A condition tests all segments, whichever of them is shown.
  if (path === 'empInfo/jobInfoNav/lastModifiedDateTime') return employment.jobs.map((job) => job.modified);
  if (path === 'empInfo/jobInfoNav/startDate') return employment.jobs.map((job) => Date.parse(job.startDate));
  return path === 'empInfo/startDate' ? [Date.parse(employment.startDate)] : [];
}

const day = (text: string): string => `/Date(${Date.parse(text)})/`;
const offset = (ms: number): string => `/Date(${ms}+0000)/`;

function failed(key: string, index: number, message: string) {
  return { key, status: 'ERROR', editStatus: null, message, index, httpCode: 500, inlineResults: null };
}

function noProperty(path: string): Refusal {
  return refusal(400, 'COE_PROPERTY_NOT_FOUND', `[COE0021]Invalid property names: User/${path}`);
}

function tokenInvalid(): Refusal {
  return refusal(403, 'TOKEN_INVALID', '[LGN0007]Invalid OAuth token. Please validate the value for your OAuth token.');
}

function refusal(status: number, code: string, value: string): Refusal {
  return new Refusal({ status, body: { error: { code, message: { lang: 'en-US', value } } } });
}

function refuse(status: number): VendorReply {
  const { body } = refusal(status, 'IMITATED', `imitated ${status}`).reply;
  return { status, body, ...(status === 429 ? { headers: { 'retry-after': '300' } } : {}) };
}
