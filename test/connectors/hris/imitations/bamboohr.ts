import {
  type Now,
  Refusal,
  readJson,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

/** Fields named as in the list of employees, including custom ones. */
export type Employee = Readonly<Record<string, string | null>> & { readonly employeeId: string };

export interface BambooOptions {
  readonly now?: Now;
  readonly employees?: readonly Employee[];
}

interface Change {
  readonly id: string;
  readonly action: 'Inserted' | 'Updated' | 'Deleted';
  readonly lastChanged: string;
}

export interface Bamboohr extends VendorServer {
  readonly key: string;
  readonly staff: Map<string, Employee>;
  /** Fields that the key may not read: they are null, and the record names them. */
  readonly restricted: Set<string>;
  /** People that the key may not read. */
  readonly unseen: Set<string>;
  /** Makes each page name itself as the next one. */
  isStuck: boolean;
  put(employee: Employee): void;
  remove(id: string): void;
}

/** Rows per page: by default, and at most. */
const PAGE = { usual: 250, most: 2_500 };
const STANDARD = ['employeeId', 'firstName', 'lastName', 'preferredName', 'photoUrl', 'jobTitleName', 'status'];
/** The list shows these only when a request names them, and ignores unknown names. */
const OPTIONAL = new Set([
  ...['workEmail', 'workPhone', 'mobilePhone', 'employeeNumber', 'departmentName', 'divisionName', 'locationName'],
  ...['reportsToId', 'reportsToName', 'hireDate', 'terminationDate', 'contractEndDate', 'employmentStatusName'],
  ...['homeEmail', 'birthDate', 'payRate'],
]);
const WRITABLE = new Set(['firstName', 'lastName', 'preferredName', 'workEmail', 'workPhone', 'mobilePhone']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:?\d\d)$/;

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, headers: { 'x-bamboohr-error-message': message } });
}

/**
 * Imitates employees of BambooHR, as the public reference describes them: the list with cursors, one employee, and the
 * feed of changes.
 */
export async function createBamboohr(options: BambooOptions = {}): Promise<Bamboohr> {
  const now = options.now ?? Date.now;
  const staff = new Map<string, Employee>();
  const changes = new Map<string, Change>();
  const restricted = new Set<string>();
  const unseen = new Set<string>();
  const key = 'bamboo-key';

  function note(id: string, action: Change['action']): void {
    changes.set(id, { id, action, lastChanged: `${new Date(now()).toISOString().slice(0, 19)}+00:00` });
  }

  function put(employee: Employee): void {
    note(employee.employeeId, staff.has(employee.employeeId) ? 'Updated' : 'Inserted');
    staff.set(employee.employeeId, employee);
  }

  function answer(request: VendorRequest): VendorReply {
    const { headers, method, path, query } = request;
    const login = Buffer.from(headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    if (!login.startsWith(`${key}:`)) throw refuse(401, 'Invalid API key');
    if (headers.accept !== 'application/json') return { status: 200, body: '<?xml version="1.0"?><employees/>' };
    if (method === 'GET' && path === '/api/v1/employees') return list(query);
    if (method === 'GET' && path === '/api/v1/employees/changed') return listChanges(query);
    const [, id] = /^\/api\/v1\/employees\/(\d+)$/.exec(path) ?? [null];
    const employee = staff.get(id ?? '');
    if (employee === undefined) throw refuse(404, 'Employee not found');
    if (unseen.has(employee.employeeId)) throw refuse(403, 'Insufficient Permissions to view this employee');
    if (method === 'POST') return update(employee, request);
    if (method !== 'GET') throw refuse(405, 'Method not allowed');
    const fields = (query.get('fields') ?? '').split(',').filter((name) => name !== '' && !restricted.has(name));
    const shown = fields.flatMap((name) => (name in employee ? [[name, employee[name] ?? null]] : []));
    return { status: 200, body: { id: employee.employeeId, ...Object.fromEntries(shown) } };
  }

  function list(query: URLSearchParams): VendorReply {
    const limit = Number(query.get('page[limit]') ?? PAGE.usual);
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE.most) throw refuse(400, 'page[limit] is not valid');
    const ids = query.get('filter[ids]')?.split(',');
    const after = readCursor(query.get('page[after]'));
    const all = [...staff.values()]
      .filter(({ employeeId }) => !unseen.has(employeeId) && ids?.includes(employeeId) !== false)
      .sort((a, b) => Number(a.employeeId) - Number(b.employeeId));
    const rest = all.filter(({ employeeId }) => Number(employeeId) > after);
    const rows = rest.slice(0, limit);
    const nextCursor =
      rest.length > limit ? writeCursor(bamboohr.isStuck ? String(after) : (rows.at(-1)?.employeeId ?? '')) : null;
    const names = [...STANDARD, ...(query.get('fields') ?? '').split(',').filter((name) => OPTIONAL.has(name))];
    const data = rows.map((row) => show(row, names));
    return {
      status: 200,
      body: { data, meta: { total: all.length, page: { nextCursor, prevCursor: null } }, _links: {} },
    };
  }

  function show(employee: Employee, names: readonly string[]): Readonly<Record<string, unknown>> {
    const values = names.map((name) => [name, restricted.has(name) ? null : (employee[name] ?? null)]);
    const hidden = names.filter((name) => restricted.has(name));
    return { ...Object.fromEntries(values), ...(hidden.length === 0 ? {} : { _restrictedFields: hidden }) };
  }

  function listChanges(query: URLSearchParams): VendorReply {
    const since = query.get('since') ?? '';
    const type = query.get('type');
    if (!TIME.test(since)) throw refuse(400, 'The since parameter is not valid');
    if (type !== null && !['inserted', 'updated', 'deleted'].includes(type)) throw refuse(400, 'Invalid type');
    const found = [...changes.values()].filter(
      ({ action, lastChanged }) =>
        Date.parse(lastChanged) >= Date.parse(since) && (type === null || action.toLowerCase() === type),
    );
    const latest =
      found
        .map(({ lastChanged }) => lastChanged)
        .sort()
        .at(-1) ?? null;
    // The vendor’s language writes an empty object as a list.
    const employees = found.length === 0 ? [] : Object.fromEntries(found.map((change) => [change.id, change]));
    return { status: 200, body: { latest, employees } };
  }

  function update(employee: Employee, request: VendorRequest): VendorReply {
    const fields = readJson(request, refuse(400, 'Malformed JSON').reply);
    for (const name of Object.keys(fields)) {
      if (restricted.has(name)) throw refuse(403, `You do not have permission to change ${name}`);
      if (!WRITABLE.has(name) && !name.startsWith('custom')) throw refuse(406, `Unknown field: ${name}`);
    }
    const email = fields.workEmail;
    if (typeof email === 'string' && [...staff.values()].some((one) => one.workEmail === email))
      throw refuse(409, 'Duplicate email');
    put({ ...employee, ...(fields as Record<string, string | null>), employeeId: employee.employeeId });
    return { status: 200, body: { id: employee.employeeId } };
  }

  const server = await startVendor({ answer, refuse: (status) => refuse(status, 'Something went wrong').reply });
  const bamboohr: Bamboohr = Object.assign(server, {
    ...{ key, staff, restricted, unseen, put, isStuck: false },
    remove(id: string) {
      if (staff.delete(id)) note(id, 'Deleted');
    },
  });
  for (const employee of options.employees ?? []) put(employee);
  return bamboohr;
}

const writeCursor = (id: string): string => Buffer.from(`after:${id}`).toString('base64');

function readCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  const [, id] = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
  if (id === undefined) throw refuse(400, 'The cursor is not valid');
  return Number(id);
}
