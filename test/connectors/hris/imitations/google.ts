import { createVerify, generateKeyPairSync } from 'node:crypto';
import {
  type Now,
  Refusal,
  readJson,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

/** Properties of a user, under Google’s names. */
export type GoogleUser = Readonly<Record<string, unknown>>;
type StoredUser = Record<string, unknown> & { id: string };

export interface GoogleOptions {
  readonly now?: Now;
  readonly users?: readonly GoogleUser[];
}

export interface Google extends VendorServer {
  readonly email: string;
  readonly admin: string;
  /** The JSON key file of the service account. */
  readonly keyFile: string;
  /** Scopes that an administrator has delegated to the service account. */
  scopes: Set<string>;
  /** The organisational unit whose users the administrator can see. */
  unit: string;
  /** Properties that the administrator may not see. */
  readonly hidden: Set<string>;
  /** Makes the token of the next page point to the page itself. */
  isStuck: boolean;
  find(id: string): GoogleUser | undefined;
  create(user: GoogleUser): string;
  update(id: string, properties: GoogleUser): void;
  remove(id: string): void;
  restore(id: string): void;
  expireTokens(): void;
  expirePageTokens(): void;
}

const LIST = '/admin/directory/v1/users';
const SCOPE = 'https://www.googleapis.com/auth/admin.directory.user';
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const MOST = 500;
const KEPT_MS = 20 * 86_400_000;
/** Created only once, because a key takes a second. */
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PROPERTIES = new Set(
  'id primaryEmail name isAdmin isDelegatedAdmin suspended archived creationTime deletionTime organizations locations relations externalIds phones addresses customSchemas orgUnitPath etag kind'.split(
    ' ',
  ),
);

function refuse(code: number, reason: string, message: string): VendorReply {
  return { status: code, body: { error: { code, message, errors: [{ domain: 'global', reason, message }] } } };
}

export const throttled = (reason: string): VendorReply => refuse(403, reason, 'Quota exceeded for quota metric.');

/** Imitates the token endpoint of Google and the users of the Directory API, as their references describe them. */
export async function createGoogle(options: GoogleOptions = {}): Promise<Google> {
  const { now = Date.now } = options;
  const users = new Map<string, StoredUser>();
  const deleted = new Map<string, StoredUser & { deletionTime: string }>();
  const tokens = new Map<string, { readonly endsAt: number; readonly scope: string }>();
  const pages = new Map<string, { readonly after: string; readonly query: string }>();
  let made = 0;
  const google = {
    email: 'sync@acme.iam.gserviceaccount.com',
    admin: 'admin@acme.example',
    keyFile: JSON.stringify({
      type: 'service_account',
      client_email: 'sync@acme.iam.gserviceaccount.com',
      private_key: KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    }),
    scopes: new Set([`${SCOPE}.readonly`]),
    unit: '/',
    hidden: new Set<string>(),
    isStuck: false,
    find: (id: string) => users.get(id),
    create(user: GoogleUser): string {
      const id = String(user.id ?? 100_000_000_000 + ++made);
      const creationTime = new Date(now()).toISOString();
      users.set(id, {
        kind: 'admin#directory#user',
        suspended: false,
        archived: false,
        orgUnitPath: '/',
        creationTime,
        ...user,
        id,
      });
      return id;
    },
    update(id: string, properties: GoogleUser): void {
      const before = users.get(id);
      if (before !== undefined) users.set(id, { ...before, ...properties, id });
    },
    remove(id: string): void {
      const user = users.get(id);
      if (user === undefined) return;
      users.delete(id);
      deleted.set(id, { ...user, deletionTime: new Date(now()).toISOString() });
    },
    restore(id: string): void {
      const { deletionTime, ...user } = deleted.get(id) ?? { id: '', deletionTime: '' };
      if (deletionTime === '') return;
      deleted.delete(id);
      users.set(id, user);
    },
    expireTokens: () => tokens.clear(),
    expirePageTokens: () => pages.clear(),
  };
  for (const user of options.users ?? []) google.create(user);
  const isSeen = ({ orgUnitPath }: StoredUser): boolean => String(orgUnitPath).startsWith(google.unit);

  function answer(request: VendorRequest): VendorReply {
    const { method, path, query } = request;
    if (method === 'POST' && path === '/token') return issue(request);
    authorize(request);
    if (method === 'GET' && path === LIST) return list(query);
    const id = path.startsWith(`${LIST}/`) ? path.slice(LIST.length + 1) : '';
    const user = users.get(id) ?? [...users.values()].find(({ primaryEmail }) => primaryEmail === id);
    if (user === undefined) return refuse(404, 'notFound', 'Resource Not Found: userKey');
    if (!isSeen(user)) return refuse(403, 'forbidden', 'Not Authorized to access this resource/api');
    if (method === 'GET') return { status: 200, body: show(user, query.get('fields')?.split(',') ?? null) };
    if (method === 'PATCH') return change(user, request);
    return refuse(405, 'httpMethodNotAllowed', 'Method Not Allowed');
  }

  function issue({ body, headers }: VendorRequest): VendorReply {
    const form = new URLSearchParams(body);
    const deny = (status: number, error: string, text: string): VendorReply => ({
      status,
      body: { error, error_description: text },
    });
    if (headers['content-type'] !== 'application/x-www-form-urlencoded')
      return deny(400, 'invalid_request', 'Bad Request');
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return deny(400, 'unsupported_grant_type', 'Invalid grant_type');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(KEYS.publicKey, Buffer.from(signature, 'base64url'));
    if (!isSigned) return deny(400, 'invalid_grant', 'Invalid JWT Signature.');
    const { iss, sub, scope, aud, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const seconds = Math.floor(now() / 1_000);
    const isOfNow = Number(exp) > seconds && Number(iat) <= seconds + 10 && Number(exp) - Number(iat) <= 3_600;
    if (aud !== AUDIENCE || iss !== google.email) return deny(400, 'invalid_grant', 'Invalid grant: account not found');
    if (!isOfNow) return deny(400, 'invalid_grant', 'Invalid JWT: Token must be a short-lived token (60 minutes)');
    if (sub !== google.admin) return deny(400, 'invalid_grant', 'Invalid email or User ID');
    if (!google.scopes.has(String(scope))) {
      return deny(401, 'unauthorized_client', 'Client is unauthorized to retrieve access tokens using this method.');
    }
    const token = `ya29.google.${tokens.size}.${now()}`;
    tokens.set(token, { endsAt: now() + 3_599_000, scope: String(scope) });
    return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } };
  }

  function authorize({ method, headers }: VendorRequest): void {
    const token = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
    if (token === undefined || token.endsAt <= now())
      throw new Refusal(refuse(401, 'authError', 'Invalid Credentials'));
    if (!google.scopes.has(token.scope))
      throw new Refusal(refuse(403, 'forbidden', 'Not Authorized to access this resource/api'));
    if (method === 'GET' || token.scope === SCOPE) return;
    throw new Refusal(refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.'));
  }

  /** Omits empty properties. */
  function show(user: StoredUser, names: readonly string[] | null): object {
    for (const name of names ?? []) {
      if (!PROPERTIES.has(name)) throw new Refusal(refuse(400, 'invalidParameter', `Invalid field selection ${name}`));
    }
    const entries = Object.entries(user).filter(
      ([name, value]) =>
        value !== null && value !== undefined && !google.hidden.has(name) && (names?.includes(name) ?? true),
    );
    return Object.fromEntries(entries);
  }

  function list(query: URLSearchParams): VendorReply {
    const asked = checkList(query);
    const isDeleted = query.get('showDeleted') === 'true';
    const all = isDeleted
      ? [...deleted.values()].filter((user) => Date.parse(user.deletionTime) + KEPT_MS > now())
      : [...users.values()];
    const token = query.get('pageToken');
    const page = token === null ? { after: '', query: asked } : pages.get(token);
    if (page === undefined || page.query !== asked) return refuse(400, 'invalid', 'Invalid Input: pageToken');
    const matches = readQuery(query.get('query'));
    const rest = all
      .filter((user) => user.id > page.after && isSeen(user) && matches(user))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const shown = rest.slice(0, Number(query.get('maxResults') ?? 100));
    const fields = /^nextPageToken,users\(([\w,]+)\)$/.exec(query.get('fields') ?? '')?.[1]?.split(',') ?? null;
    if (query.has('fields') && fields === null) return refuse(400, 'invalidParameter', 'Invalid field selection');
    const next = `p${pages.size}`;
    if (rest.length > shown.length)
      pages.set(next, { after: google.isStuck ? page.after : (shown.at(-1)?.id ?? ''), query: asked });
    return {
      status: 200,
      body: {
        ...(fields === null ? { kind: 'admin#directory#users' } : {}),
        ...(shown.length === 0 ? {} : { users: shown.map((user) => show(user, fields)) }),
        ...(rest.length > shown.length ? { nextPageToken: next } : {}),
      },
    };
  }

  function change(user: StoredUser, request: VendorRequest): VendorReply {
    const body = readJson(request, refuse(400, 'parseError', 'Parse Error'));
    for (const [name, value] of Object.entries(body)) {
      if (!PROPERTIES.has(name) || name === 'id') return refuse(400, 'invalid', `Invalid Input: ${name}`);
      const isMerged = typeof value === 'object' && !Array.isArray(value);
      google.update(user.id, { [name]: isMerged ? merge(users.get(user.id)?.[name], value) : value });
    }
    return { status: 200, body: show(users.get(user.id) ?? user, null) };
  }

  const refuseStatus = (status: number): VendorReply =>
    refuse(status, status === 429 ? 'rateLimitExceeded' : 'backendError', 'Please try again');
  return Object.assign(google, await startVendor({ answer, refuse: refuseStatus }));
}

function merge(into: unknown, value: unknown): unknown {
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(value)) return value;
  const before = isObject(into) ? into : {};
  return {
    ...before,
    ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, merge(before[name], one)])),
  };
}

const KNOWN = [
  'customer',
  'domain',
  'maxResults',
  'orderBy',
  'pageToken',
  'projection',
  'query',
  'showDeleted',
  'fields',
];

/** @returns the query without its page, because a page token belongs to one query */
function checkList(query: URLSearchParams): string {
  const invalid = (name: string): Refusal => new Refusal(refuse(400, 'invalid', `Invalid Input: ${name}`));
  for (const name of query.keys()) if (!KNOWN.includes(name)) throw invalid(name);
  if (!query.has('customer') && !query.has('domain')) throw new Refusal(refuse(400, 'badRequest', 'Bad Request'));
  const most = Number(query.get('maxResults') ?? 100);
  if (!Number.isInteger(most) || most < 1 || most > MOST) throw invalid('maxResults');
  if (!['basic', 'custom', 'full', null].includes(query.get('projection'))) throw invalid('projection');
  return [...query]
    .filter(([name]) => name !== 'pageToken')
    .map(String)
    .sort()
    .join('&');
}

function readQuery(query: string | null): (user: StoredUser) => boolean {
  if (query === null) return () => true;
  const [, name = '', value] = /^(orgUnitPath|isSuspended)='?([^']*)'?$/.exec(query) ?? [];
  if (value === undefined) throw new Refusal(refuse(400, 'invalid', 'Invalid Input: query'));
  return (user) => String(user[name === 'isSuspended' ? 'suspended' : name]) === value;
}
