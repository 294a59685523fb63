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
} from '../../crm/imitations/vendor-server.js';

/** Field id → value, as Bob stores it. */
export type Employee = Readonly<Record<string, string | null>> & { readonly 'root.id': string };

export interface HibobOptions {
  readonly now?: Now;
  readonly employees?: readonly Employee[];
  /** The form of fields: by path, by path in an object, or in an object per category. */
  readonly shape?: 'path' | 'value' | 'nested';
  /** A field without a value is null or missing. */
  readonly empty?: 'null' | 'left out';
}

export interface Hibob extends VendorServer {
  readonly user: string;
  readonly token: string;
  readonly staff: Map<string, Employee>;
  /** Fields that the service user may not see. */
  readonly hidden: Set<string>;
  /** People outside its access rights. */
  readonly unseen: Set<string>;
}

const MOST_FIELDS = 400;
/** Items of lists, whose ids Bob stores. */
export const WORDS: Readonly<Record<string, string>> = {
  '251': 'Sales',
  '301': 'Adviser',
  '401': 'Oslo',
  employed: 'Employed',
  hired: 'Hired',
  terminated: 'Terminated',
  'parental leave': 'Parental leave',
};
const WRITABLE = /^(firstName|surname|displayName|work\.workPhone|work\.workMobile|.*custom\.field_\d+)$/;
const INACTIVE = new Set(['hired', 'terminated']);

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, body: { key: 'error', error: message, message } });
}

/** Imitates people of Bob, as the public contract describes them: the search, one person, and its update. */
export async function createHibob(options: HibobOptions = {}): Promise<Hibob> {
  const { shape = 'path', empty = 'null' } = options;
  const staff = new Map<string, Employee>();
  const hidden = new Set<string>();
  const unseen = new Set<string>();
  const [user, token] = ['SERVICE-1', 'bob-token'];

  function answer(request: VendorRequest): VendorReply {
    const login = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    if (login !== `${user}:${token}`) throw refuse(401, 'Unauthorized');
    if (request.path === '/v1/people/search' && request.method === 'POST') return search(request);
    const [, id] = /^\/v1\/people\/(\d+)$/.exec(request.path) ?? [null];
    const employee = staff.get(id ?? '');
    if (id !== null && request.method === 'GET') throw refuse(404, 'This endpoint was removed');
    if (employee === undefined) throw refuse(404, 'The employee does not exist');
    if (unseen.has(employee['root.id'])) throw refuse(403, 'No permission to access this employee');
    if (request.method === 'PUT') return update(employee, request);
    const { fields } = readBody(request);
    return { status: 200, body: show(employee, readStrings(fields), false) };
  }

  function search(request: VendorRequest): VendorReply {
    const { fields, humanReadable, showInactive = false, filters } = readBody(request);
    const names = readStrings(fields);
    if (names.length > MOST_FIELDS) throw refuse(400, 'At most 400 fields');
    if (readList(filters).length > 1) throw refuse(400, 'At most one filter');
    if (humanReadable !== undefined && humanReadable !== 'APPEND' && humanReadable !== 'REPLACE')
      throw refuse(400, 'humanReadable is not valid');
    const employees = [...staff.values()]
      .filter((one) => !unseen.has(one['root.id']))
      .filter((one) => showInactive === true || !INACTIVE.has(one['internal.lifecycleStatus'] ?? ''))
      .map((one) => show(one, names, humanReadable === 'APPEND'));
    return { status: 200, body: { employees } };
  }

  function readBody(request: VendorRequest): Json {
    return readJson(request, refuse(400, 'The body is not JSON').reply);
  }

  function show(employee: Employee, names: readonly string[], readable: boolean): Json {
    const fields = names.filter((name) => name in employee && !hidden.has(name));
    const entries = fields
      .filter((name) => empty === 'null' || employee[name] !== null)
      .map((name) => [name, employee[name] ?? null] as const);
    const words = entries.flatMap(([name, value]) => (value === null ? [] : [[name, WORDS[value] ?? value] as const]));
    return { ...lay(entries), ...(readable ? { humanReadable: lay(words) } : {}) };
  }

  function lay(entries: readonly (readonly [string, string | null])[]): Json {
    if (shape === 'nested') return nest(entries);
    const wrap = (value: string | null): unknown => (shape === 'value' ? { value } : value);
    return Object.fromEntries(entries.map(([name, value]) => [`/${name.replaceAll('.', '/')}`, wrap(value)]));
  }

  function update(employee: Employee, request: VendorRequest): VendorReply {
    const given = flatten(readBody(request), '');
    const unknown = Object.keys(given).filter((name) => !WRITABLE.test(name));
    if (unknown.length > 0) throw refuse(400, `These fields cannot be set: ${unknown.join(', ')}`);
    if (given['work.workPhone'] === 'invalid') throw refuse(400, 'The number is not valid');
    const named = Object.entries(given).map(([name, value]) => [name.includes('.') ? name : `root.${name}`, value]);
    const next: Employee = { ...employee, ...Object.fromEntries(named), 'root.id': employee['root.id'] };
    if (named.every(([name, value]) => employee[String(name)] === value)) return { status: 304 };
    staff.set(employee['root.id'], next);
    return { status: 200 };
  }

  const server = await startVendor({ answer, refuse: (status) => refuse(status, 'Something went wrong').reply });
  for (const employee of options.employees ?? []) staff.set(employee['root.id'], employee);
  return Object.assign(server, { user, token, staff, hidden, unseen });
}

function nest(entries: readonly (readonly [string, string | null])[]): Json {
  const root: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const steps = name.replace(/^root\./, '').split('.');
    let into = root;
    for (const step of steps.slice(0, -1)) {
      into[step] ??= {};
      into = into[step] as Record<string, unknown>;
    }
    into[steps.at(-1) ?? ''] = value;
  }
  return root;
}

function flatten(value: Json, prefix: string): Record<string, string | null> {
  const entries = Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null
      ? Object.entries(flatten(inner as Json, `${prefix}${name}.`))
      : [[`${prefix}${name}`, inner as string | null] as const],
  );
  return Object.fromEntries(entries);
}
