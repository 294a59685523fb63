import {
  type Now,
  Refusal,
  readJson,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

/** Properties of a user, under Graph’s names; `manager` is an id. */
export type EntraUser = Readonly<Record<string, unknown>>;
type StoredUser = Record<string, unknown> & { id: string };

export interface EntraOptions {
  readonly now?: Now;
  readonly users?: readonly EntraUser[];
  readonly deltaPage?: number;
  /** Changes contain only the changed properties, as the overview of delta queries allows. */
  readonly isMinimal?: boolean;
}

export interface Entra extends VendorServer {
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Permissions that an administrator has granted. */
  permissions: Set<string>;
  /** Properties that the app may not see. */
  readonly hidden: Set<string>;
  /** Ids missing from lists although the users exist. */
  readonly unlisted: Set<string>;
  /** Makes the next link of a list point to the page itself. */
  isStuck: boolean;
  find(id: string): EntraUser | undefined;
  create(user: EntraUser): string;
  update(id: string, properties: EntraUser): void;
  /** Moves a user to the deleted items, which can be restored; or deletes permanently. */
  remove(id: string, isForGood?: boolean): void;
  restore(id: string): void;
  expireTokens(): void;
  expireDeltaLinks(): void;
}

const BASIC =
  'businessPhones displayName givenName id jobTitle mail mobilePhone officeLocation preferredLanguage surname userPrincipalName';
const USUAL = BASIC.split(' ');
const SELECTABLE = new Set([
  ...USUAL,
  ...'accountEnabled companyName country createdDateTime department employeeHireDate employeeId employeeType onPremisesExtensionAttributes onPremisesSyncEnabled state usageLocation userType'.split(
    ' ',
  ),
]);
const SINGLE_ONLY = new Set(['aboutMe', 'birthday', 'hireDate', 'preferredName', 'skills', 'mailboxSettings']);
const READ_ONLY = new Set(['id', 'createdDateTime', 'onPremisesSyncEnabled']);
const MOST = 999;
const LIST = '/v1.0/users';
const DAY_MS = 86_400_000;
const TOKEN_SECONDS = 3_599;

interface Change {
  readonly id: string;
  readonly names: ReadonlySet<string>;
  readonly managers: readonly object[] | null;
}

function refuse(status: number, code: string, message: string, headers?: Record<string, string>): VendorReply {
  const innerError = { date: '2026-01-01T00:00:00', 'request-id': 'r', 'client-request-id': 'c' };
  return { status, body: { error: { code, message, innerError } }, ...(headers === undefined ? {} : { headers }) };
}

const badQuery = (message: string): Refusal => new Refusal(refuse(400, 'Request_UnsupportedQuery', message));

/** Imitates the token endpoint of Entra ID and the users of Microsoft Graph v1.0, as their references describe them. */
export async function createEntra(options: EntraOptions = {}): Promise<Entra> {
  const { now = Date.now, deltaPage = 200, isMinimal = false } = options;
  const users = new Map<string, StoredUser>();
  const bin = new Map<string, StoredUser>();
  const log: Change[] = [];
  const tokens = new Map<string, number>();
  const deltas = new Map<string, { readonly from: number; readonly at: number; readonly names: readonly string[] }>();
  let made = 0;

  const names = (user: EntraUser): ReadonlySet<string> => new Set(Object.keys(user));
  const entra = {
    tenant: '72f988bf-0000-0000-0000-000000000001',
    clientId: '11111111-1111-1111-1111-111111111111',
    clientSecret: 'entra-secret-of-the-app',
    permissions: new Set(['User.Read.All']),
    hidden: new Set<string>(),
    unlisted: new Set<string>(),
    isStuck: false,
    find: (id: string) => users.get(id),
    create(user: EntraUser): string {
      const id = String(user.id ?? `00000000-0000-0000-0000-${String(++made).padStart(12, '0')}`);
      const createdDateTime = new Date(now()).toISOString();
      users.set(id, { accountEnabled: true, userType: 'Member', createdDateTime, ...user, id });
      log.push({ id, names: names(users.get(id) ?? {}), managers: managersOf(user.manager) });
      return id;
    },
    update(id: string, properties: EntraUser): void {
      const before = users.get(id);
      if (before === undefined) return;
      users.set(id, { ...before, ...properties, id });
      const managers = 'manager' in properties ? managersOf(properties.manager, before.manager) : null;
      log.push({ id, names: names(properties), managers });
    },
    remove(id: string, isForGood = false): void {
      const user = users.get(id) ?? bin.get(id);
      if (user === undefined) return;
      users.delete(id);
      if (isForGood) bin.delete(id);
      else bin.set(id, user);
      log.push({ id, names: new Set(), managers: null });
    },
    restore(id: string): void {
      const user = bin.get(id);
      if (user === undefined) return;
      bin.delete(id);
      users.set(id, user);
      log.push({ id, names: names(user), managers: managersOf(user.manager) });
    },
    expireTokens: () => tokens.clear(),
    expireDeltaLinks: () => deltas.clear(),
  };
  for (const user of options.users ?? []) entra.create(user);
  log.length = 0;

  function answer(request: VendorRequest, url: string): VendorReply {
    const { method, path } = request;
    if (method === 'POST' && path === `/${entra.tenant}/oauth2/v2.0/token`) return issue(request, url);
    if (/\/oauth2\//.test(path))
      return { status: 400, body: { error: 'invalid_request', error_description: 'AADSTS90002: Tenant not found.' } };
    authorize(request);
    if (method === 'GET' && path === LIST) return list(request, url);
    if (method === 'GET' && path === `${LIST}/delta`) return track(request, url);
    const id = path.startsWith(`${LIST}/`) ? path.slice(LIST.length + 1) : null;
    if (id === null) return refuse(400, 'BadRequest', `Resource not found for the segment '${path}'.`);
    const user = users.get(id);
    const missing = `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`;
    if (user === undefined) return refuse(404, 'Request_ResourceNotFound', missing);
    if (method === 'GET') return { status: 200, body: show(user, readSelect(request.query), false) };
    if (method === 'PATCH') return change(user, request);
    return refuse(405, 'Request_BadRequest', 'Specified HTTP method is not allowed for the request target.');
  }

  function issue({ body, headers }: VendorRequest, url: string): VendorReply {
    const form = new URLSearchParams(body);
    const deny = (status: number, error: string, text: string): VendorReply => ({
      status,
      body: { error, error_description: text, error_codes: [7_000_215], timestamp: '2026-01-01 00:00:00Z' },
    });
    if (headers['content-type'] !== 'application/x-www-form-urlencoded')
      return deny(400, 'invalid_request', 'AADSTS900144');
    if (form.get('grant_type') !== 'client_credentials') return deny(400, 'unsupported_grant_type', 'AADSTS70003');
    if (form.get('scope') !== `${url}/.default`) return deny(400, 'invalid_scope', 'AADSTS1002012: use /.default');
    if (form.get('client_id') !== entra.clientId) return deny(400, 'unauthorized_client', 'AADSTS700016: not found');
    if (form.get('client_secret') !== entra.clientSecret)
      return deny(401, 'invalid_client', 'AADSTS7000215: wrong secret');
    const token = `eyJ0.entra.${tokens.size}.${now()}`;
    tokens.set(token, now() + TOKEN_SECONDS * 1_000);
    return {
      status: 200,
      body: { token_type: 'Bearer', expires_in: TOKEN_SECONDS, ext_expires_in: TOKEN_SECONDS, access_token: token },
    };
  }

  function authorize({ method, headers }: VendorRequest): void {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || (tokens.get(token) ?? 0) <= now()) {
      throw new Refusal(refuse(401, 'InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.'));
    }
    const needed = method === 'GET' ? ['User.Read.All', 'User.ReadWrite.All'] : ['User.ReadWrite.All'];
    if (needed.some((one) => entra.permissions.has(one))) return;
    throw new Refusal(refuse(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.'));
  }

  function readSelect(query: URLSearchParams): readonly string[] {
    const selected = query.get('$select')?.split(',') ?? USUAL;
    for (const name of selected) {
      if (SINGLE_ONLY.has(name))
        throw new Refusal(refuse(501, 'NotImplemented', 'This operation target is not yet supported.'));
      if (SELECTABLE.has(name) || name === 'manager' || /^extension_\w+$/.test(name)) continue;
      throw new Refusal(
        refuse(400, 'BadRequest', `Could not find a property named '${name}' on type 'microsoft.graph.user'.`),
      );
    }
    return selected;
  }

  function checkQuery(query: URLSearchParams, known: readonly string[]): void {
    for (const name of query.keys()) {
      if (!known.includes(name)) throw badQuery(`The query parameter '${name}' is not supported.`);
    }
  }

  /** A list shows empty properties as null; changes omit those that were never set. */
  function show(user: StoredUser, selected: readonly string[], isSparse: boolean): Record<string, unknown> {
    const shown: Record<string, unknown> = {};
    for (const name of ['id', ...selected]) {
      if (name === 'manager') continue;
      const value = entra.hidden.has(name) ? undefined : user[name];
      if (value !== undefined || !isSparse) shown[name] = value ?? (name === 'businessPhones' ? [] : null);
    }
    return shown;
  }

  function list({ query }: VendorRequest, url: string): VendorReply {
    checkQuery(query, ['$select', '$expand', '$filter', '$top', '$skiptoken']);
    const selected = readSelect(query);
    if (selected.includes('manager')) throw badQuery('Navigation properties cannot be selected.');
    const expand = query.get('$expand');
    if (expand !== null && !/^manager(\(\$select=[\w,]+\))?$/.test(expand))
      throw badQuery(`Could not expand '${expand}'.`);
    const top = Number(query.get('$top') ?? 100);
    if (!Number.isInteger(top) || top < 1 || top > MOST) {
      throw badQuery(`Invalid page size specified: '${top}'. Must be between 1 and 999 inclusive.`);
    }
    const matches = readFilter(query.get('$filter'));
    // Continues after the last id shown, so new or deleted users shift nobody.
    const after = readSkip(query.get('$skiptoken'));
    const all = [...users.values()]
      .filter((user) => user.id > after && matches(user) && !entra.unlisted.has(user.id))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = all.slice(0, top);
    const value = page.map((user) => ({
      ...show(user, selected, false),
      ...(expand !== null && users.has(String(user.manager))
        ? { manager: { '@odata.type': '#microsoft.graph.user', id: user.manager } }
        : {}),
    }));
    const next = new URLSearchParams(query);
    next.set('$skiptoken', entra.isStuck ? writeSkip(after) : writeSkip(page.at(-1)?.id ?? ''));
    const link = all.length > top ? { '@odata.nextLink': `${url}${LIST}?${next}` } : {};
    return { status: 200, body: { '@odata.context': `${url}/v1.0/$metadata#users`, ...link, value } };
  }

  function track({ query }: VendorRequest, url: string): VendorReply {
    checkQuery(query, ['$select', '$deltatoken', '$skiptoken']);
    const token = query.get('$deltatoken') ?? query.get('$skiptoken');
    const selected = readSelect(query);
    if (token === 'latest')
      return { status: 200, body: { '@odata.deltaLink': link(log.length, selected, '$deltatoken'), value: [] } };
    const state = deltas.get(token ?? '');
    if (state === undefined) {
      throw new Refusal(
        refuse(410, 'syncStateNotFound', 'The sync state generation is not found.', {
          location: `${url}${LIST}/delta?$deltatoken=`,
        }),
      );
    }
    if (state.at + 7 * DAY_MS < now())
      throw new Refusal(
        refuse(400, 'syncStateNotFound', 'The delta token is expired and data must be synchronized again.'),
      );
    const page = log.slice(state.from, state.from + deltaPage);
    const to = state.from + page.length;
    const more =
      to < log.length
        ? { '@odata.nextLink': link(to, state.names, '$skiptoken') }
        : { '@odata.deltaLink': link(to, state.names, '$deltatoken') };
    return { status: 200, body: { ...more, value: page.map((change) => showChange(change, state.names)) } };

    function link(from: number, names: readonly string[], kind: string): string {
      const id = `t${deltas.size}-${from}`;
      deltas.set(id, { from, at: now(), names });
      return `${url}${LIST}/delta?${kind}=${id}`;
    }
  }

  function showChange({ id, names: changed, managers }: Change, selected: readonly string[]): object {
    const user = users.get(id);
    if (user === undefined) return { id, '@removed': { reason: bin.has(id) ? 'changed' : 'deleted' } };
    const shown = isMinimal ? selected.filter((name) => changed.has(name)) : selected;
    // Properties that were set and are now empty appear as null.
    const emptied = Object.fromEntries(
      [...changed].filter((name) => shown.includes(name) && user[name] === null).map((name) => [name, null]),
    );
    const links = managers !== null && selected.includes('manager') ? { 'manager@delta': managers } : {};
    return { ...show(user, shown, true), ...emptied, ...links };
  }

  function change(user: StoredUser, request: VendorRequest): VendorReply {
    const body = readJson(request, refuse(400, 'Request_BadRequest', 'Unable to read JSON request payload.'));
    for (const [name, value] of Object.entries(body)) {
      if (!SELECTABLE.has(name) || READ_ONLY.has(name))
        return refuse(400, 'Request_BadRequest', `Property '${name}' is read-only and cannot be set.`);
      const isList = name === 'businessPhones';
      if (isList !== Array.isArray(value))
        return refuse(400, 'Request_BadRequest', `Invalid value specified for property '${name}' of resource 'User'.`);
      if (Array.isArray(value) && value.length > 1)
        return refuse(400, 'Request_BadRequest', 'Only one number can be set for businessPhones.');
    }
    if (user.onPremisesSyncEnabled === true) {
      return refuse(
        400,
        'Request_BadRequest',
        'Unable to update the specified properties for on-premises mastered Directory Sync objects.',
      );
    }
    entra.update(user.id, body);
    return { status: 204 };
  }

  const refuseStatus = (status: number): VendorReply =>
    refuse(status, status === 429 ? 'TooManyRequests' : 'ServiceUnavailable', 'Please retry later.', {
      'retry-after': '7',
    });
  return Object.assign(entra, await startVendor({ answer, refuse: refuseStatus }));
}

function managersOf(manager: unknown, before?: unknown): readonly object[] | null {
  const type = { '@odata.type': '#microsoft.graph.user' };
  const gone = typeof before === 'string' ? [{ ...type, id: before, '@removed': { reason: 'deleted' } }] : [];
  const here = typeof manager === 'string' ? [{ ...type, id: manager }] : [];
  return [...here, ...gone].length === 0 ? null : [...here, ...gone];
}

const writeSkip = (id: string): string => Buffer.from(`after:${id}`).toString('base64url');

function readSkip(token: string | null): string {
  if (token === null) return '';
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith('after:'))
    throw new Refusal(refuse(400, 'Directory_ExpiredPageToken', 'The specified page token value has expired.'));
  return text.slice('after:'.length);
}

function readFilter(filter: string | null): (user: StoredUser) => boolean {
  if (filter === null) return () => true;
  const parts = filter.split(' or ').map((part) => /^(\w+) eq '([^']*)'$/.exec(part));
  if (parts.some((part) => part === null || !SELECTABLE.has(part[1] ?? '')))
    throw badQuery('Unsupported or invalid query filter clause.');
  return (user) => parts.some((part) => String(user[part?.[1] ?? '']) === part?.[2]);
}
