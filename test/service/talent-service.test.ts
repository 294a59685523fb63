import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/service/call.js';
import { ENDPOINTS } from '../../src/service/endpoints.js';
import { createServiceLimiter, createTalentService, type TalentService } from '../../src/service/talent-service.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

const BASE = 'https://acme.example.com';

interface Sent {
  readonly line: string;
  readonly body: unknown;
}
type Reply = {
  readonly status?: number;
  readonly body?: unknown;
  readonly error?: Error;
  readonly headers?: Record<string, string>;
};

interface Desk {
  readonly service: TalentService;
  readonly clock: VirtualClock;
  readonly sent: Sent[];
  readonly records: CallRecord[];
}

/** A service whose answers are a script, the last one for all that follow. */
function createDesk(...replies: readonly Reply[]): Desk {
  const sent: Sent[] = [];
  const records: CallRecord[] = [];
  const clock = createVirtualClock();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? {};
    sent.push({
      line: `${init?.method} ${String(url).slice(BASE.length)}`,
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    });
    if (reply.error !== undefined) throw reply.error;
    const status = reply.status ?? 200;
    const text = status === 204 ? null : JSON.stringify(reply.body ?? {});
    return new Response(text, { status, headers: { 'x-request-id': `r-${sent.length}`, ...reply.headers } });
  };
  const service = createTalentService({
    baseUrl: BASE,
    apiKey: 'key',
    rateLimit: { requestsPerSecond: null, perMinute: null, concurrency: 4 },
    timeoutMs: 1_000,
    clock,
    fetch,
    onCall: (record) => records.push(record),
    random: () => 0.5,
  });
  return { service, clock, sent, records };
}

const reset = (): Reply => ({
  error: Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  }),
});

async function collect<T>(pages: AsyncGenerator<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const user = { id: 'u1', email: 'a@example.com', roles: ['consultant'] };
const project = { id: 'p1', project_name: { en: 'P' } };
const PROJECT = '/api/v2/company/cv/customers/c1/projects/p1';
const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';

interface CallCase {
  readonly name: string;
  readonly make: (service: TalentService) => Promise<unknown>;
  readonly line: string;
  readonly body?: unknown;
  readonly reply?: Reply;
}

const none: Reply = { status: 204 };
const cases: readonly CallCase[] = [
  {
    name: 'getUser',
    make: (s) => s.reader.users.get('u/1'),
    line: 'GET /api/v1/users/u%2F1?use_legacy_codes=false',
    reply: { body: user },
  },
  {
    name: 'findUser',
    make: (s) => s.reader.users.find({ email: 'a+b@example.com' }),
    line: 'GET /api/v1/users/find?email=a%2Bb%40example.com&use_legacy_codes=false',
    reply: { body: user },
  },
  {
    name: 'searchUsers',
    make: (s) => collect(s.reader.users.search()),
    line: 'GET /api/v2/users/search?from=0&size=500&deactivated=true&use_legacy_codes=false',
    reply: { body: [user] },
  },
  {
    name: 'readUserChanges',
    make: (s) => s.reader.users.readChangesPage({ since: '2026-11-20T10:00:00+00:00', afterId: 'u1', limit: 5 }),
    line: 'GET /api/v1/users/changes?profile_updated_since=2026-11-20T10%3A00%3A00%2B00%3A00&after_id=u1&limit=5&use_legacy_codes=false',
    reply: { body: [] },
  },
  {
    name: 'createUser',
    make: (s) => s.writer.users.create({ email: 'a@example.com', country_id: 'n', office_id: 'o' }),
    line: 'POST /api/v1/users?use_legacy_codes=false',
    body: { user: { email: 'a@example.com', country_id: 'n', office_id: 'o' } },
    reply: { body: user },
  },
  {
    name: 'updateUser',
    make: (s) => s.writer.users.update('u1', { deactivated: true, upn: null }),
    line: 'PUT /api/v1/users/u1?use_legacy_codes=false',
    body: { user: { deactivated: true, upn: null } },
    reply: { body: user },
  },
  { name: 'deleteUser', make: (s) => s.writer.users.delete('u1'), line: 'DELETE /api/v1/users/u1', reply: none },
  {
    name: 'listCountries',
    make: (s) => s.reader.countries.list(),
    line: 'GET /api/v1/countries?use_legacy_codes=false',
    reply: { body: [] },
  },
  {
    name: 'createCountry',
    make: (s) => s.writer.countries.create({ code: 'no', native_language_code: 'no' }),
    line: 'POST /api/v1/countries?use_legacy_codes=false',
    body: { country: { code: 'no', native_language_code: 'no' } },
    reply: { body: { _id: 'n', code: 'no' } },
  },
  {
    name: 'updateCountry',
    make: (s) => s.writer.countries.update('n', { native_language_code: 'sv' }),
    line: 'PUT /api/v1/countries/n?use_legacy_codes=false',
    body: { country: { native_language_code: 'sv' } },
    reply: { body: { _id: 'n', code: 'no' } },
  },
  {
    name: 'createOffice',
    make: (s) => s.writer.countries.createOffice('n', { name: 'Oslo' }),
    line: 'POST /api/v1/countries/n/offices',
    body: { name: 'Oslo' },
    reply: { body: { _id: 'o', name: 'Oslo' } },
  },
  {
    name: 'updateOffice',
    make: (s) => s.writer.countries.updateOffice('n', 'o', { name: 'Oslo S' }),
    line: 'PUT /api/v1/countries/n/offices/o',
    body: { name: 'Oslo S' },
    reply: none,
  },
  {
    name: 'deleteOffice',
    make: (s) => s.writer.countries.deleteOffice('n', 'o'),
    line: 'DELETE /api/v1/countries/n/offices/o',
    reply: none,
  },
  {
    name: 'listTagCategories',
    make: (s) => s.reader.tags.listCategories(),
    line: `GET ${CATEGORY}?use_legacy_codes=false`,
    reply: { body: [] },
  },
  {
    name: 'createTagCategory',
    make: (s) => s.writer.tags.createCategory({ values: { en: 'Unit' }, external_unique_id: 'unit' }),
    line: `POST ${CATEGORY}?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Unit' }, external_unique_id: 'unit' } },
    reply: { body: { id: 'k' } },
  },
  {
    name: 'updateTagCategory',
    make: (s) => s.writer.tags.updateCategory('k', { can_be_used_for_cvs: true }),
    line: `PUT ${CATEGORY}/k?use_legacy_codes=false`,
    body: { masterdata: { can_be_used_for_cvs: true } },
    reply: { body: { id: 'k' } },
  },
  {
    name: 'deleteTagCategory',
    make: (s) => s.writer.tags.deleteCategory('k'),
    line: `DELETE ${CATEGORY}/k`,
    reply: none,
  },
  {
    name: 'listTags',
    make: (s) => s.reader.tags.list('k'),
    line: `GET ${TAG}?category_ids=k&offset=0&limit=100&use_legacy_codes=false`,
    reply: { body: [] },
  },
  {
    name: 'createTag',
    make: (s) => s.writer.tags.create('k', { values: { en: 'Cloud' } }),
    line: `POST ${TAG}?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Cloud' }, category_ids: ['k'] } },
    reply: { body: { id: 't' } },
  },
  {
    name: 'updateTag',
    make: (s) => s.writer.tags.update('k', 't', { values: { en: 'Clouds' } }),
    line: `PUT ${TAG}/t?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Clouds' }, custom_tag_category_id: 'k' } },
    reply: { body: { id: 't' } },
  },
  {
    name: 'deleteTag',
    make: (s) => s.writer.tags.delete('k', 't'),
    line: `DELETE ${TAG}/t?category_ids=k`,
    reply: none,
  },
  {
    name: 'deleteTags',
    make: (s) => s.writer.tags.deleteMany('k', ['t1', 't2']),
    line: `DELETE ${CATEGORY}/k/bulk_delete?tag_ids%5B%5D=t1&tag_ids%5B%5D=t2`,
    reply: none,
  },
  {
    name: 'findCustomer',
    make: (s) => s.reader.customers.find('X 1'),
    line: 'GET /api/v2/company/cv/customers/find?external_unique_id=X%201&use_legacy_codes=false',
    reply: { body: { id: 'c1' } },
  },
  {
    name: 'listCustomers',
    make: (s) => collect(s.reader.customers.list()),
    line: 'GET /api/v2/company/cv/customers?size=100&offset=0&use_legacy_codes=false',
    reply: { body: { company_customers: [] } },
  },
  {
    name: 'createCustomer',
    make: (s) => s.writer.customers.create({ customer_name: { en: 'Acme' } }),
    line: 'POST /api/v2/company/cv/customers?use_legacy_codes=false',
    body: { company_customer: { customer_name: { en: 'Acme' } } },
    reply: { body: { id: 'c1' } },
  },
  {
    name: 'updateCustomer',
    make: (s) => s.writer.customers.update('c1', { customer_url: null }),
    line: 'PUT /api/v2/company/cv/customers/c1?use_legacy_codes=false',
    body: { company_customer: { customer_url: null } },
    reply: { body: { company_customer: { id: 'c1' } } },
  },
  {
    name: 'deleteCustomer',
    make: (s) => s.writer.customers.delete('c1'),
    line: 'DELETE /api/v2/company/cv/customers/c1',
    reply: none,
  },
  {
    name: 'getProject',
    make: (s) => s.reader.projects.get('c1', 'p1'),
    line: `GET ${PROJECT}?include_custom_fields=true&use_legacy_codes=false`,
    reply: { body: project },
  },
  {
    name: 'findProject',
    make: (s) => s.reader.projects.find('X'),
    line: 'GET /api/v2/company/cv/projects/find?external_unique_id=X&use_legacy_codes=false',
    reply: { body: project },
  },
  {
    name: 'listProjects',
    make: (s) => s.reader.projects.list('c1'),
    line: 'GET /api/v2/company/cv/projects?company_customer_id=c1&include_custom_fields=true&use_legacy_codes=false',
    reply: { body: { projects: [project] } },
  },
  {
    name: 'createProject',
    make: (s) => s.writer.projects.create('c1', { project_name: { en: 'P' }, office_ids: ['o'] }),
    line: 'POST /api/v2/company/cv/customers/c1/projects?use_legacy_codes=false',
    body: { company_project: { project_name: { en: 'P' }, office_ids: ['o'] } },
    reply: { body: project },
  },
  {
    name: 'updateProject',
    make: (s) => s.writer.projects.update('c1', 'p1', { extent: '5' }),
    line: `PUT ${PROJECT}?use_legacy_codes=false`,
    body: { company_project: { extent: '5' } },
    reply: { body: project },
  },
  { name: 'deleteProject', make: (s) => s.writer.projects.delete('c1', 'p1'), line: `DELETE ${PROJECT}`, reply: none },
  {
    name: 'addProjectOwners',
    make: (s) => s.writer.projects.addOwners('c1', 'p1', ['u1']),
    line: `POST ${PROJECT}/project_owners?use_legacy_codes=false`,
    body: { user_ids: ['u1'] },
    reply: { body: project },
  },
  {
    name: 'syncProjectOwners',
    make: (s) => s.writer.projects.syncOwners('c1', 'p1', { emails: ['a@example.com'], replace: true }),
    line: `PUT ${PROJECT}/project_owners/sync_by_email?use_legacy_codes=false`,
    body: { emails: ['a@example.com'], replace: true },
    reply: { body: project },
  },
  {
    name: 'removeProjectOwner',
    make: (s) => s.writer.projects.removeOwner('c1', 'p1', 'u1'),
    line: `DELETE ${PROJECT}/project_owners/u1`,
    reply: none,
  },
];

describe('calls', () => {
  for (const { name, make, line, body, reply } of cases) {
    it(`${name} sends ${line.split('?')[0]}`, async () => {
      const { service, sent } = createDesk(reply ?? {});
      await make(service);
      expect(sent).toEqual([{ line, body }]);
    });
  }

  it('are all in the table, and all of the table is here', () => {
    expect(cases.map((one) => one.name).toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
  });

  it('never send an empty or dotted identifier: it would name another endpoint', async () => {
    for (const id of ['', '.', '..']) {
      const { service, sent } = createDesk();
      await expect(service.writer.users.delete(id)).rejects.toMatchObject({ code: 'SYNC_INTERNAL' });
      expect(sent).toEqual([]);
    }
  });
});

describe('reads', () => {
  it('give null for a record the service does not know', async () => {
    const { service } = createDesk({ status: 404 });
    await expect(service.reader.users.get('u1')).resolves.toBeNull();
    await expect(service.reader.users.find({ upn: 'x' })).resolves.toBeNull();
    await expect(service.reader.customers.find('x')).resolves.toBeNull();
    await expect(service.reader.projects.get('c1', 'p1')).resolves.toBeNull();
    await expect(service.reader.projects.find('x')).resolves.toBeNull();
    await expect(service.reader.projects.list('c1')).resolves.toEqual([]);
  });

  it('name all projects that share an external id', async () => {
    const { service } = createDesk({ status: 409, body: { duplicate_project_ids: ['p1', 'p2'] } });
    await expect(service.reader.projects.find('x')).resolves.toEqual({ kind: 'several', projectIds: ['p1', 'p2'] });
  });

  it('page through users until a page is short, each user once', async () => {
    const { service, sent } = createDesk(
      { body: [{ id: 'u1' }, { id: 'u2' }] },
      { body: [{ id: 'u2' }, { id: 'u3' }] },
      { body: [] },
    );
    const pages = await collect(service.reader.users.search({ size: 2 }));
    expect(pages.map((page) => [page.rows, page.users.map((one) => one.id)])).toEqual([
      [2, ['u1', 'u2']],
      [2, ['u3']],
      [0, []],
    ]);
    expect(sent.map((one) => /from=\d+/.exec(one.line)?.[0])).toEqual(['from=0', 'from=2', 'from=4']);
  });

  it('take customers plain or wrapped, and end where a server does not page', async () => {
    const rows = [{ id: 'c1' }, { _id: 'c2' }];
    for (const body of [rows, { customers: rows }, { company_customers: rows }]) {
      const { service, sent } = createDesk({ body });
      const pages = await collect(service.reader.customers.list({ size: 2 }));
      expect(pages.flat().map((one) => one.id)).toEqual(['c1', 'c2']);
      expect(sent).toHaveLength(2);
    }
  });

  it('say where an answer has an unexpected shape', async () => {
    const { service } = createDesk({ body: [{ id: 'u1' }, { email: 'x' }] });
    await expect(collect(service.reader.users.search())).rejects.toMatchObject({
      code: 'SYNC_SERVICE_ANSWER',
      message: expect.stringContaining('/1/id'),
      place: `GET ${BASE}/api/v2/users/search`,
      requestId: 'r-1',
    });
  });
});

describe('writes', () => {
  it('tell request id, status and attempts', async () => {
    const { service, clock } = createDesk({ status: 503 }, reset(), { body: user });
    const result = await clock.run(service.writer.users.update('u1', { name: 'A' }));
    expect(result).toMatchObject({ value: { id: 'u1' }, requestId: 'r-3', status: 200, attempts: 3 });
  });

  it('do not repeat a create whose answer was lost', async () => {
    const { service, sent } = createDesk(reset());
    const create = service.writer.customers.create({ customer_name: { en: 'A' } });
    await expect(create).rejects.toMatchObject({
      code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
      outcome: 'unknown',
      status: null,
    });
    expect(sent).toHaveLength(1);
  });

  it('do not know what became of a create whose answer has no id', async () => {
    const { service } = createDesk({ body: { hello: 1 } });
    const create = service.writer.customers.create({ customer_name: { en: 'A' } });
    await expect(create).rejects.toMatchObject({
      code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
      outcome: 'unknown',
      requestId: 'r-1',
    });
  });

  it('take a record that is gone when a delete is repeated for its success', async () => {
    const { service, clock } = createDesk(reset(), { status: 404 });
    await expect(clock.run(service.writer.users.delete('u1'))).resolves.toMatchObject({
      value: null,
      status: 404,
      attempts: 2,
    });
    const { service: other } = createDesk({ status: 404 });
    await expect(other.writer.users.delete('u1')).rejects.toMatchObject({ code: 'SYNC_SERVICE_REFUSED', status: 404 });
  });

  it('are not sent once stopped', async () => {
    const { service, sent } = createDesk({ body: user });
    const update = service.writer.users.update('u1', {}, AbortSignal.abort());
    await expect(update).rejects.toMatchObject({ fault: 'stopped', outcome: 'not_sent' });
    expect(sent).toEqual([]);
  });
});

describe('counters', () => {
  it('count every sending by template, reads and writes apart, and tell each to onCall', async () => {
    const { service, clock, records } = createDesk({ status: 429, headers: { 'retry-after': '3' } }, { body: user });
    await clock.run(service.writer.users.update('u1', {}));
    await service.reader.users.get('u1');
    expect(service.calls).toEqual({
      reads: { total: 1, byTemplate: { 'GET /api/v1/users/{user_id}': 1 } },
      writes: { total: 2, byTemplate: { 'PUT /api/v1/users/{user_id}': 2 } },
    });
    expect(records).toMatchObject([
      {
        method: 'PUT',
        template: 'PUT /api/v1/users/{user_id}',
        kind: 'write',
        status: 429,
        requestId: 'r-1',
        attempt: 1,
      },
      { status: 200, requestId: 'r-2', attempt: 2 },
      { method: 'GET', kind: 'read', status: 200, requestId: 'r-3', attempt: 1 },
    ]);
    expect(service.limiter.limited).toBe(1);
  });
});

describe('a limiter given to several services', () => {
  it('keeps the rate found in one for the next, while each counts its own calls', async () => {
    const clock = createVirtualClock();
    const rateLimit = { requestsPerSecond: null, perMinute: null, concurrency: 4 };
    const limiter = createServiceLimiter(rateLimit, clock);
    let calls = 0;
    const fetch: typeof globalThis.fetch = async () => {
      calls += 1;
      return calls === 1
        ? new Response('', { status: 429, headers: { 'retry-after': '9' } })
        : new Response('[]', { status: 200 });
    };
    const options = { baseUrl: BASE, apiKey: 'key', rateLimit, limiter, timeoutMs: 1_000, clock, fetch };
    const first = createTalentService(options);
    const startMs = clock.now();
    await clock.run(first.reader.countries.list());
    await first.close();
    expect(clock.now() - startMs).toBe(9_000);

    const second = createTalentService(options);
    expect(second.limiter).toMatchObject({ limited: 1, requestsPerSecond: expect.any(Number) });
    expect(second.limiter).toEqual(limiter.stats());
    await clock.run(second.reader.countries.list());
    await second.close();
    expect(first.calls.reads.total).toBe(2);
    expect(second.calls.reads.total).toBe(1);
  });

  it('paces calls of services that share it as if they were one', async () => {
    const clock = createVirtualClock();
    const rateLimit = { requestsPerSecond: 1, perMinute: null, concurrency: 4 };
    const limiter = createServiceLimiter(rateLimit, clock);
    const sentMs: number[] = [];
    const fetch: typeof globalThis.fetch = async () => {
      sentMs.push(clock.now());
      return new Response('[]', { status: 200 });
    };
    const options = { baseUrl: BASE, apiKey: 'key', rateLimit, limiter, timeoutMs: 1_000, clock, fetch };
    const services = [createTalentService(options), createTalentService(options)];
    await clock.run(Promise.all(services.map((one) => one.reader.countries.list())));
    expect((sentMs[1] ?? 0) - (sentMs[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
    await Promise.all(services.map((one) => one.close()));
  });
});
