import { describe, expect, it } from 'vitest';
import { createServiceLimiter, createTalentService } from '../../src/service/talent-service.js';
import { BASE, collect, createDesk, reset } from './desk.js';
import { createVirtualClock } from './virtual-clock.js';

const user = { id: 'u1', email: 'a@example.com', roles: ['consultant'] };

describe('reads', () => {
  it('return null for an unknown record', async () => {
    const { service } = createDesk({ status: 404 });
    await expect(service.reader.users.get('u1')).resolves.toBeNull();
    await expect(service.reader.users.find({ upn: 'x' })).resolves.toBeNull();
    await expect(service.reader.customers.find('x')).resolves.toBeNull();
    await expect(service.reader.projects.get('c1', 'p1')).resolves.toBeNull();
    await expect(service.reader.projects.find('x')).resolves.toBeNull();
    await expect(service.reader.projects.list('c1')).resolves.toBeNull();
  });

  it('return all projects that share an external id', async () => {
    const { service } = createDesk({ status: 409, body: { duplicate_project_ids: ['p1', 'p2'] } });
    await expect(service.reader.projects.find('x')).resolves.toEqual({ kind: 'several', projectIds: ['p1', 'p2'] });
  });

  it('page through users until a short page, each user once', async () => {
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

  it('accept customers plain or wrapped, and end if a server does not page', async () => {
    const rows = [{ id: 'c1' }, { _id: 'c2' }];
    for (const body of [rows, { customers: rows }, { company_customers: rows }]) {
      const { service, sent } = createDesk({ body });
      const pages = await collect(service.reader.customers.list({ size: 2 }));
      expect(pages.flat().map((one) => one.id)).toEqual(['c1', 'c2']);
      expect(sent).toHaveLength(2);
    }
  });

  it('report where an answer has an unexpected shape', async () => {
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
  it('return request id, status and attempts', async () => {
    const { service, clock } = createDesk({ status: 503 }, reset(), { body: user });
    const result = await clock.run(service.writer.users.update('u1', { name: 'A' }));
    expect(result).toMatchObject({ value: { id: 'u1' }, requestId: 'r-3', status: 200, attempts: 3 });
  });

  it('do not repeat a create after a lost answer', async () => {
    const { service, sent } = createDesk(reset());
    const create = service.writer.customers.create({ customer_name: { en: 'A' } });
    await expect(create).rejects.toMatchObject({
      code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
      outcome: 'unknown',
      status: null,
    });
    expect(sent).toHaveLength(1);
  });

  it('do not repeat an update that sends an e-mail, if its answer is lost or unreadable', async () => {
    for (const reply of [reset(), { status: 500 }, { body: { hello: 1 } }]) {
      const { service, sent, clock } = createDesk(reply);
      const update = clock.run(service.writer.users.update('u1', { deactivated: false, send_email: true }));
      await expect(update).rejects.toMatchObject({ code: 'SYNC_SERVICE_UNKNOWN_OUTCOME', retry: 'look first' });
      expect(sent).toHaveLength(1);
    }
  });

  it('report an unknown outcome for a create without an id in the answer', async () => {
    const { service } = createDesk({ body: { hello: 1 } });
    const create = service.writer.customers.create({ customer_name: { en: 'A' } });
    await expect(create).rejects.toMatchObject({
      code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
      outcome: 'unknown',
      requestId: 'r-1',
    });
  });

  it('take 404 on a repeated delete as success', async () => {
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

describe('a call stopped in flight', () => {
  it('reports the stop, and an unknown outcome', async () => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const service = createTalentService({ baseUrl: BASE, apiKey: 'key', fetch });
    const controller = new AbortController();
    const update = service.writer.users.update('u1', { name: 'A' }, controller.signal);
    setTimeout(() => controller.abort(), 10);
    await expect(update).rejects.toMatchObject({
      name: 'ServiceError',
      fault: 'stopped',
      outcome: 'unknown',
      retry: 'safe',
    });
    expect(service.limiter).toMatchObject({ inFlight: 0, queued: 0 });
    await service.close();
  });
});

describe('counters', () => {
  it('count every attempt by template, separately for reads and writes, and pass each to onCall', async () => {
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

describe('a limiter shared by services', () => {
  it('passes on the rate it has found, while each service counts its own calls', async () => {
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

  it('paces their calls together', async () => {
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

describe('a service with only an address and a key', () => {
  it('uses the system clock and no rate', async () => {
    const fetch: typeof globalThis.fetch = async (url) => {
      expect(String(url)).toBe(`${BASE}/api/v1/countries?use_legacy_codes=false`);
      return new Response('[]');
    };
    const service = createTalentService({ baseUrl: `${BASE}/`, apiKey: 'key', limiter: createServiceLimiter(), fetch });
    expect(await service.reader.countries.list()).toEqual([]);
    expect(service.limiter).toMatchObject({ requestsPerSecond: null, limited: 0 });
    await service.close();
  });

  it('rejects an invalid address', () => {
    for (const baseUrl of ['acme.example.com', '', 'ftp://acme.example.com']) {
      expect(() => createTalentService({ baseUrl, apiKey: 'key' })).toThrow(
        expect.objectContaining({ code: 'SYNC_CONFIG_INVALID', place: 'baseUrl' }),
      );
    }
  });
});
