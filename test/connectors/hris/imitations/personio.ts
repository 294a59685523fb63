import {
  type Json,
  type Now,
  Refusal,
  readJson,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

/** Attribute → value, as HR sees it: an office by its name. */
export type Employee = Readonly<Record<string, unknown>> & { readonly id: number };

export interface PersonioOptions {
  readonly now?: Now;
  readonly employees?: readonly Employee[];
  /** The lifetime of a token. */
  readonly tokenLifeMs?: number;
  /** Larger limits are silently reduced to this. */
  readonly mostPerPage?: number;
  /** Calls per minute; further calls get 429. */
  readonly perMinute?: number;
}

export interface Personio extends VendorServer {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly staff: Map<number, Employee>;
  /** Attributes that the credentials may not read: they are omitted. */
  readonly hidden: Set<string>;
  /** Offices, departments and companies that exist. */
  readonly names: Set<string>;
  /** Called before each request is answered. */
  onRequest: ((address: string) => void) | null;
  put(employee: Employee): void;
  /** Expires every token issued so far. */
  endTokens(): void;
}

/** The most rows per page, and the rows without a limit (pagination guide, 2025). */
const MOST = 100;
const USUAL = 50;
const DAY_MS = 86_400_000;
/** Attributes whose value is a nested record. */
const RECORDS: Readonly<Record<string, string>> = {
  office: 'Office',
  department: 'Department',
  subcompany: 'Subcompany',
  team: 'Team',
};
const UPDATABLE = new Set([
  ...['first_name', 'last_name', 'gender', 'position', 'subcompany', 'department', 'office', 'hire_date'],
  ...['weekly_hours', 'custom_attributes'],
]);

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, body: { success: false, error: { code: status, message } } });
}

/** Imitates employees of Personio, as the public reference of the first version describes them. */
export async function createPersonio(options: PersonioOptions = {}): Promise<Personio> {
  const now = options.now ?? Date.now;
  const staff = new Map<number, Employee>();
  const hidden = new Set<string>();
  const names = new Set<string>(['Oslo', 'Berlin', 'Sales', 'Delivery']);
  const tokens = new Map<string, number>();
  const calls: number[] = [];
  const [clientId, clientSecret] = ['papi-client', 'papi-secret'];

  function put(employee: Employee): void {
    staff.set(employee.id, { ...employee, last_modified_at: stamp(now()) });
  }

  function answer(request: VendorRequest): VendorReply {
    personio.onRequest?.(`${request.path}?${request.query}`);
    if (request.path === '/v1/auth') return logIn(request);
    authenticate(request);
    while (calls[0] !== undefined && calls[0] <= now() - 60_000) calls.shift();
    if (calls.length >= (options.perMinute ?? Number.POSITIVE_INFINITY)) throw refuse(429, 'Too many requests');
    calls.push(now());
    const [, id] = /^\/v1\/company\/employees(?:\/(\d+))?$/.exec(request.path) ?? [null];
    if (id === null) throw refuse(404, 'The route was not found');
    if (id === undefined && request.method === 'GET') return list(request.query);
    const employee = staff.get(Number(id));
    if (employee === undefined) throw refuse(404, 'The employee was not found');
    if (request.method === 'GET') return { status: 200, body: { success: true, data: show(employee, null) } };
    if (request.method === 'PATCH') return update(employee, request);
    throw refuse(405, 'The method is not allowed');
  }

  function logIn(request: VendorRequest): VendorReply {
    const isJson = request.headers['content-type']?.startsWith('application/json') === true;
    if (request.method !== 'POST' || !isJson) throw refuse(415, 'Send client_id and client_secret as JSON');
    const { client_id, client_secret } = readJson(request, refuse(400, 'No JSON').reply);
    if (client_id !== clientId || client_secret !== clientSecret) throw refuse(403, 'Wrong credentials');
    const token = `papi-${tokens.size}`;
    tokens.set(token, now() + (options.tokenLifeMs ?? DAY_MS));
    return { status: 200, body: { success: true, data: { token } } };
  }

  function authenticate({ headers }: VendorRequest): void {
    const end = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
    if (end === undefined || end <= now()) throw refuse(401, 'The token is not valid');
  }

  function list(query: URLSearchParams): VendorReply {
    const limit = readNumber(query.get('limit')) ?? USUAL;
    const offset = readNumber(query.get('offset')) ?? 0;
    if (limit < 1) throw refuse(400, 'The limit must be at least 1');
    const since = query.get('updated_since');
    if (since !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(since))
      throw refuse(400, 'updated_since is no time');
    const all = [...staff.values()]
      .filter((one) => since === null || Date.parse(String(one.last_modified_at)) >= Date.parse(`${since}Z`))
      .sort((a, b) => a.id - b.id);
    // A larger limit is silently reduced.
    const size = Math.min(limit, options.mostPerPage ?? MOST);
    const asked = query.getAll('attributes[]');
    const data = all.slice(offset, offset + size).map((one) => show(one, asked.length === 0 ? null : new Set(asked)));
    const total_pages = Math.ceil(all.length / size);
    const metadata = { total_elements: all.length, current_page: Math.floor(offset / size), total_pages };
    return { status: 200, body: { success: true, metadata, offset, limit: size, data } };
  }

  function show(employee: Employee, asked: ReadonlySet<string> | null): Json {
    const attributes: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(employee)) {
      if (hidden.has(name) || asked?.has(name) === false) continue;
      attributes[name] = { label: name, value: showValue(name, value), type: 'standard', universal_id: name };
    }
    return { type: 'Employee', attributes };
  }

  function update(employee: Employee, request: VendorRequest): VendorReply {
    const { employee: given } = readJson(request, refuse(400, 'No JSON').reply);
    if (typeof given !== 'object' || given === null) throw refuse(400, 'The given data was invalid.');
    const { custom_attributes: custom = {}, ...own } = given as Record<string, unknown>;
    const unknown = Object.keys(own).filter((name) => !UPDATABLE.has(name));
    if (unknown.length > 0) throw refuse(422, `The given data was invalid: ${unknown.join(', ')}`);
    const ignored = Object.keys(own).filter((name) => name in RECORDS && !names.has(String(own[name])));
    for (const name of ignored) delete own[name];
    put({ ...employee, ...own, ...(custom as object), id: employee.id });
    const meta = ignored.length === 0 ? {} : { meta: { errors: ignored.map((name) => `${name} does not exist`) } };
    return { status: 200, body: { success: true, data: { id: employee.id, message: 'success' }, ...meta } };
  }

  const server = await startVendor({ answer, refuse: (status) => refuse(status, 'Something went wrong').reply });
  const personio: Personio = Object.assign(server, {
    ...{ clientId, clientSecret, staff, hidden, names, put, onRequest: null },
    endTokens: () => tokens.clear(),
  });
  for (const employee of options.employees ?? []) put(employee);
  return personio;
}

function showValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const type = RECORDS[name];
  if (type !== undefined) return { type, attributes: { id: 1, name: value } };
  if (name === 'supervisor') return { type: 'Employee', attributes: { id: { label: 'ID', value, type: 'integer' } } };
  if (name === 'holiday_calendar')
    return { type: 'HolidayCalendar', attributes: { id: 2, name: 'Days', country: value } };
  return value;
}

/** The vendor writes times with its own offset at the end. */
function stamp(ms: number): string {
  return `${new Date(ms + 3_600_000).toISOString().slice(0, 19)}+01:00`;
}

function readNumber(text: string | null): number | null {
  if (text === null) return null;
  if (!/^\d+$/.test(text)) throw refuse(400, 'The given data was invalid.');
  return Number(text);
}
