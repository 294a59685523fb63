import {
  type Now,
  Refusal,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

type Value = string | boolean | number | null;

/** A list shows only these if a request selects them. */
const SELECTABLE: readonly string[] = [
  ...['id', 'title', 'active', 'companyId', 'officeId', 'managerEmployeeId', 'departmentId', 'costCenterId'],
  ...['employmentId', 'employmentTypeId', 'employmentCountry', 'compensationId', 'userId', 'userName', 'division'],
  ...['organization', 'employeeNumber', 'workEmail', 'workPhone', 'workPhoneSanitized', 'hireDate', 'endDate'],
  ...['hasOccupationalPension', 'privateEmail', 'firstName', 'lastName', 'ssn', 'privatePhone'],
  ...['privatePhoneSanitized', 'birthDate', 'age', 'nationality', 'gender', 'pronoun', 'created', 'updated'],
];
/** Relation → the employee field that names the resource. */
const RELATIONS: Readonly<Record<string, string>> = {
  office: 'officeId',
  department: 'departmentId',
  employment: 'employmentId',
  employmentType: 'employmentTypeId',
  costCenter: 'costCenterId',
  managerEmployee: 'managerEmployeeId',
};
const UPDATABLE: readonly string[] = [
  ...['title', 'officeId', 'managerEmployeeId', 'departmentId', 'costCenterId', 'userName', 'division', 'organization'],
  ...['employeeNumber', 'tax', 'workEmail', 'workPhone', 'hasOccupationalPension', 'privateEmail', 'firstName'],
  ...['lastName', 'ssn', 'privatePhone', 'birthDate', 'avatarUrl', 'nationality', 'gender', 'pronoun', 'bankAccount'],
  ...['homeAddress', 'custom', 'active'],
];
const OPERATORS: Readonly<Record<string, (own: string, other: string) => boolean>> = {
  $eq: (own, other) => own === other,
  $neq: (own, other) => own !== other,
  $gt: (own, other) => own > other,
  $gte: (own, other) => own >= other,
  $lt: (own, other) => own < other,
  $lte: (own, other) => own <= other,
};

export type Employee = Readonly<Record<string, unknown>> & { readonly id: string };
export interface Resource {
  readonly id: string;
  readonly name?: string;
  readonly [field: string]: Value | undefined;
}

export interface SimployerOptions {
  readonly now?: Now;
  readonly token?: string;
  /** Longer pages are silently reduced to this. */
  readonly longestPage?: number;
}

export interface Simployer extends VendorServer {
  readonly token: string;
  readonly people: Map<string, Employee>;
  readonly relations: Readonly<Record<string, Map<string, Resource>>>;
  /** People missing from lists, but available by id. */
  readonly hidden: Set<string>;
  hire(fields: Readonly<Record<string, unknown>> & { readonly id: string }): void;
  edit(id: string, fields: Readonly<Record<string, unknown>>): void;
  /** Takes the role of owner from the person who created the token. */
  revoke(): void;
}

/** Imitates the public interface of Simployer One (AlexisHR), version 1, as its specification describes it. */
export async function createSimployer(options: SimployerOptions = {}): Promise<Simployer> {
  const now = options.now ?? Date.now;
  const token = options.token ?? 'imitated-token';
  const people = new Map<string, Employee>();
  const hidden = new Set<string>();
  const relations = Object.fromEntries(Object.keys(RELATIONS).map((name) => [name, new Map<string, Resource>()]));
  let isRevoked = false;
  const stamp = (): string => new Date(now()).toISOString();

  function answer(request: VendorRequest): VendorReply {
    if (request.headers.authorization !== `Bearer ${token}` || isRevoked) throw refusal(401, 'Unauthorized');
    const [, id] = /^\/v1\/employee(?:\/([^/]+))?$/.exec(request.path) ?? [];
    if (!request.path.startsWith('/v1/employee')) throw refusal(404, 'Not Found');
    if (id === undefined) return request.method === 'GET' ? list(request.query) : refuse(404);
    const employee = people.get(id);
    if (employee === undefined) throw refusal(404, `Employee with id ${id} was not found`);
    if (request.method === 'PATCH') return update(employee, request);
    if (request.method !== 'GET') throw refusal(404, 'Not Found');
    checkNames(request.query, ['select', 'relations']);
    return { status: 200, body: { status: 'ok', data: show(employee, readSelect(request.query)) } };
  }

  function list(query: URLSearchParams): VendorReply {
    checkNames(query, ['select', 'relations', 'limit', 'offset']);
    const select = readSelect(query);
    const wanted = readNames(query.get('relations'), Object.keys(RELATIONS));
    const tests = [...query].flatMap(readFilter);
    const found = [...people.values()].filter((one) => !hidden.has(one.id) && tests.every((test) => test(one)));
    for (const field of readSort(query)) found.sort((a, b) => compare(String(a[field]), String(b[field])));
    const limit = Math.min(readCount(query, 'limit', 20), options.longestPage ?? 500);
    const offset = readCount(query, 'offset', 0);
    const page = found.slice(offset, offset + limit);
    const related = Object.fromEntries(
      wanted.map((name) => {
        const ids = new Set(page.map((one) => String(one[RELATIONS[name] ?? ''] ?? '')));
        const all = name === 'managerEmployee' ? people : relations[name];
        return [name, [...(all?.values() ?? [])].filter((one) => ids.has(one.id))];
      }),
    );
    const data = page.map((one) => show(one, select));
    const counts = { total: found.length, count: page.length, offset };
    return { status: 200, body: { status: 'ok', data, ...counts, relations: related } };
  }

  function update(employee: Employee, request: VendorRequest): VendorReply {
    const body = JSON.parse(request.body) as Record<string, unknown>;
    const unknown = Object.keys(body).filter((name) => !UPDATABLE.includes(name));
    if (unknown.length > 0) throw refusal(400, `property ${unknown[0]} should not exist`);
    const wrong = Object.entries(body).find(([name, value]) => name === 'workEmail' && !/@/.test(String(value)));
    if (wrong !== undefined) throw refusal(400, 'workEmail must be an email');
    edit(employee.id, body);
    return { status: 200, body: { status: 'ok', data: show(people.get(employee.id) ?? employee, null) } };
  }

  function edit(id: string, fields: Readonly<Record<string, unknown>>): void {
    const before = people.get(id);
    if (before === undefined) throw new Error(`no employee ${id}`);
    people.set(id, { ...before, ...fields, id, updated: stamp() });
  }

  const server = await startVendor({ answer, refuse });
  return Object.assign(server, {
    token,
    people,
    relations,
    hidden,
    hire(fields: Readonly<Record<string, unknown>> & { readonly id: string }) {
      const usual = { active: true, companyId: 'c1', userId: `u-${fields.id}`, employeeNumber: fields.id };
      // Lists show these to clients that select nothing.
      const secret = { ssn: '19800101-1234', bankAccount: { accountNumber: '1234' }, custom: {} };
      people.set(fields.id, { ...usual, ...secret, ...fields, created: stamp(), updated: stamp() });
    },
    edit,
    revoke: () => {
      isRevoked = true;
    },
  });
}

function show(employee: Employee, select: readonly string[] | null): Readonly<Record<string, unknown>> {
  if (select === null) return employee;
  // Omits a field without a value.
  return Object.fromEntries(select.flatMap((name) => (employee[name] == null ? [] : [[name, employee[name]]])));
}

function readSelect(query: URLSearchParams): readonly string[] | null {
  return query.has('select') ? readNames(query.get('select'), SELECTABLE) : null;
}

function readNames(text: string | null, known: readonly string[]): readonly string[] {
  const names = text === null ? [] : text.split(',');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw refusal(400, `each value must be one of ${known.join(', ')}; found ${unknown}`);
  return names;
}

function checkNames(query: URLSearchParams, known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name) && !/^(filters|sort)\[/.test(name));
  if (unknown !== undefined) throw refusal(400, `property ${unknown} should not exist`);
}

function readFilter([name, value]: readonly [string, string]): readonly ((one: Employee) => boolean)[] {
  if (!name.startsWith('filters')) return [];
  const [, field = '', operator = '$eq'] = /^filters\[(\w+)\](?:\[(\$\w+)\])?$/.exec(name) ?? [];
  const holds = OPERATORS[operator];
  if (!SELECTABLE.includes(field) || holds === undefined) throw refusal(400, `${name} is not a valid filter`);
  return [(one) => one[field] != null && holds(String(one[field]), value)];
}

function readSort(query: URLSearchParams): readonly string[] {
  return [...query].flatMap(([name, value]) => {
    const [, field] = /^sort\[(\w+)\]$/.exec(name) ?? [];
    if (field === undefined) return [];
    if (!SELECTABLE.includes(field) || !['asc', 'desc'].includes(value)) throw refusal(400, `${name} is not valid`);
    return [field];
  });
}

function readCount(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name) ?? String(usual);
  if (!/^\d+$/.test(text)) throw refusal(400, `${name} must be an integer number`);
  return Number(text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const ERRORS: Readonly<Record<number, string>> = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' };

function refusal(statusCode: number, message: string): Refusal {
  return new Refusal({ status: statusCode, body: { statusCode, message, error: ERRORS[statusCode] ?? message } });
}

function refuse(status: number): VendorReply {
  const { body } = refusal(status, `imitated ${status}`).reply;
  return { status, body, ...(status === 429 ? { headers: { 'retry-after': '3' } } : {}) };
}
