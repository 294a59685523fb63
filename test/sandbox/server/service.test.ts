import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildFixtureJsonSchema, type FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { RateWindow } from '../../../src/sandbox/server/rate-window.js';
import { ACCOUNT, findUser, openSandbox } from '../open-sandbox.js';
import { sandboxCommand } from '../sandbox-command.js';

const SEARCH = '/api/v2/users/search';

describe('Authentication', () => {
  test.each([
    ['none', 401, undefined],
    ['unknown key', 401, 'Bearer nope'],
    ['no scheme', 401, 'admin-key'],
    ['disabled key', 403, 'Bearer off-key'],
    ['Bearer', 200, 'Bearer admin-key'],
    ['Token', 200, 'Token token="admin-key"'],
  ])('2: %s is %i', async (_name, status, authorization) => {
    const { sandbox } = await openSandbox();
    const response = await fetch(
      sandbox.url + SEARCH,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/./);
    await response.text();
  });

  test('2: a read-only administrator may read everything and write nothing', async () => {
    const { send, as } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    expect((await send('GET', `/api/v1/users/${id}`, undefined, as('reader-key'))).status).toBe(200);
    expect((await send('PUT', `/api/v1/users/${id}`, { user: { name: 'X' } }, as('reader-key'))).status).toBe(403);
    expect((await send('DELETE', `/api/v1/users/${id}`, undefined, as('reader-key'))).status).toBe(403);
    expect((await send('GET', `/api/v1/users/${id}`)).body.name).toBe('Anna Åsen');
  });
});

describe('Conventions', () => {
  test('3: every response has its own x-request-id, which is also in the log, and a Date header', async () => {
    const { sandbox, send } = await openSandbox();
    const first = await send('GET', `${SEARCH}?size=1`);
    const second = await send('GET', '/api/v9/nothing');
    expect(second.status).toBe(404);
    expect(first.headers.get('date')).toMatch(/GMT$/);
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'));
    expect(sandbox.calls()).toMatchObject([
      { method: 'GET', path: SEARCH, query: 'size=1', status: 200, requestId: first.headers.get('x-request-id') },
      { method: 'GET', path: '/api/v9/nothing', status: 404, requestId: second.headers.get('x-request-id') },
    ]);
    sandbox.resetCalls();
    expect(sandbox.calls()).toEqual([]);
  });

  test('tolerates doubled and trailing slashes', async () => {
    const { send } = await openSandbox();
    expect((await send('GET', '//api/v2//users/search/')).body).toHaveLength(3);
  });

  test('Errors: an undecodable id is 404 with an x-request-id, like any malformed one', async () => {
    const { send } = await openSandbox();
    const reply = await send('GET', '/api/v1/users/%E0%A4%A');
    expect([reply.status, reply.headers.get('x-request-id')]).toEqual([404, expect.stringMatching(/./)]);
  });

  test('answers 400 for a body that is not JSON', async () => {
    const { send } = await openSandbox();
    const reply = await send('POST', '/api/v1/users', '{"user":', { 'content-type': 'application/json' });
    expect([reply.status, reply.body.errors]).toEqual([400, [expect.any(String)]]);
  });
});

describe('Limits', () => {
  test("answers 429 beyond the account's rate, with Retry-After in full seconds", async () => {
    const { send } = await openSandbox({ fixture: ACCOUNT, rate: { requests: 2, per_seconds: 60 } });
    expect((await send('GET', SEARCH)).status).toBe(200);
    expect((await send('GET', SEARCH)).status).toBe(200);
    const refused = await send('GET', SEARCH);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^(59|60)$/);
    expect(refused.headers.get('x-request-id')).toMatch(/./);
  });

  test('slides the window, so its edge never allows twice the rate', () => {
    const window = new RateWindow(2, 1);
    expect([window.take(0), window.take(900), window.take(950)]).toEqual([undefined, undefined, 1]);
    expect([window.take(1000), window.take(1001), window.take(1899)]).toEqual([undefined, 1, 1]);
    expect(window.take(1900)).toBeUndefined();
  });
});

describe('control API', () => {
  test('needs the control key, and is neither logged nor limited', async () => {
    const { sandbox, send } = await openSandbox({ fixture: ACCOUNT, rate: { requests: 1, per_seconds: 60 } });
    const control = { 'x-control-key': sandbox.controlKey };
    expect((await send('GET', '/__sandbox/calls')).status).toBe(401);
    await send('GET', SEARCH);
    const { body } = await send('GET', '/__sandbox/calls', undefined, control);
    expect(body.counts).toEqual({ 'GET /api/v2/users/search': 1 });
    expect(body.calls).toHaveLength(1);
    expect((await send('DELETE', '/__sandbox/calls', undefined, control)).status).toBe(204);
    expect(sandbox.calls()).toEqual([]);
    expect((await send('GET', '/__sandbox/state', undefined, control)).body).toEqual(
      JSON.parse(JSON.stringify(sandbox.state())),
    );
  });

  test('sets the clock, and timestamps follow it', async () => {
    const { sandbox, send } = await openSandbox();
    const control = { 'x-control-key': sandbox.controlKey };
    const set = await send('POST', '/__sandbox/clock', { now: '2030-05-05T05:05:05Z' }, control);
    expect(set.body.now).toMatch(/^2030-05-05T05:05:0[56]/);
    const { id } = await findUser(send, 'E1');
    const put = await send('PUT', `/api/v1/users/${id}`, { user: { name: 'X' } });
    expect(put.body.profile_updated_at).toMatch(/^2030-05-05T05:05/);
    expect(put.headers.get('date')).toContain('05 May 2030');
    expect((await send('POST', '/__sandbox/clock', { now: 'soon' }, control)).status).toBe(400);
  });

  test('adds and clears faults over HTTP, and answers 400 for an invalid rule', async () => {
    const { sandbox, send } = await openSandbox();
    const control = { 'x-control-key': sandbox.controlKey };
    const rule = { path: SEARCH, kind: 'status', status: 503, retry_after: 7, times: 2 };
    expect((await send('POST', '/__sandbox/faults', [rule], control)).status).toBe(200);
    const refused = await send('GET', SEARCH);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '7']);
    await send('DELETE', '/__sandbox/faults', undefined, control);
    expect((await send('GET', SEARCH)).status).toBe(200);
    expect((await send('POST', '/__sandbox/faults', { kind: 'melt' }, control)).status).toBe(400);
  });
});

describe('faults', () => {
  const rename = async (kind: 'reset_before' | 'reset_after' | 'truncate') => {
    const { sandbox, send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    sandbox.faults.add({ method: 'PUT', path: '/api/v1/users/', kind });
    sandbox.resetCalls();
    await expect(send('PUT', `/api/v1/users/${id}`, { user: { name: 'New' } })).rejects.toThrow();
    const [call] = sandbox.calls();
    // The rule is used up, so the next request is answered.
    return { name: (await send('GET', `/api/v1/users/${id}`)).body.name, status: call?.status };
  };

  test('reset_before does no work, reset_after commits it, truncate commits it and sends half', async () => {
    expect(await rename('reset_before')).toEqual({ name: 'Anna Åsen', status: 0 });
    expect(await rename('reset_after')).toEqual({ name: 'New', status: 0 });
    expect(await rename('truncate')).toEqual({ name: 'New', status: 200 });
  });

  test('html answers an error page, status without retry_after sends no Retry-After', async () => {
    const { sandbox, send } = await openSandbox();
    sandbox.faults.add({ kind: 'html' }, { path: '^/api/v\\d/users/search', kind: 'status', status: 429, skip: 1 });
    const page = await send('GET', SEARCH);
    expect([page.status, page.text.startsWith('<!DOCTYPE html>')]).toEqual([502, true]);
    expect((await send('GET', SEARCH)).status).toBe(200);
    const refused = await send('GET', SEARCH);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
  });

  test('hang never answers, delay answers late', async () => {
    const { sandbox, send } = await openSandbox();
    sandbox.faults.add({ kind: 'hang' }, { kind: 'delay', ms: 60 });
    const signal = AbortSignal.timeout(100);
    await expect(fetch(sandbox.url + SEARCH, { signal })).rejects.toThrow(/timeout/);
    const started = performance.now();
    expect((await send('GET', SEARCH)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(55);
  });
});

describe('starting', () => {
  test('--state keeps the account over a restart, and wins over the fixture', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    try {
      const stateFile = join(folder, 'account.db');
      const first = await createSandbox({ fixture: ACCOUNT, stateFile });
      const auth = { authorization: 'Bearer admin-key' };
      const found = await fetch(`${first.url}/api/v1/users/find?external_unique_id=E1`, { headers: auth });
      const user = (await found.json()) as { readonly id: string };
      await fetch(`${first.url}/api/v1/users/${user.id}`, {
        method: 'PUT',
        headers: { ...auth, 'content-type': 'application/json' },
        body: JSON.stringify({ user: { name: 'Kept' } }),
      });
      const kept = first.state();
      await first.close();
      const { send, sandbox } = await openSandbox({ fixture: { users: [] }, stateFile });
      expect(sandbox.state()).toEqual(kept);
      expect(sandbox.keys).toMatchObject({ Admin: 'admin-key' });
      expect((await send('GET', `/api/v1/users/${user.id}`)).body).toMatchObject({
        name: 'Kept',
        external_unique_id: 'E1',
      });
      await sandbox.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('without keys, creates an administrator key and whitelists example.com', async () => {
    const { sandbox, send } = await openSandbox({
      fixture: { countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }] },
    });
    expect(Object.keys(sandbox.keys)).toEqual(['Administrator']);
    const [country] = (await send('GET', '/api/v1/countries')).body;
    const user = { country_id: country._id, office_id: country.offices[0]._id, email: 'a@example.com' };
    expect((await send('POST', '/api/v1/users', { user })).status).toBe(200);
  });

  test.each([
    ['a misspelled key', { userz: [] }],
    ['an unknown office', { users: [{ email: 'a@example.com', country: 'no', office: 'Nowhere' }] }],
    [
      'an unknown role',
      {
        ...ACCOUNT,
        customers: [],
        users: [{ email: 'a@example.com', country: 'no', office: 'Oslo', roles: ['boss'] }],
      },
    ],
  ])('rejects a fixture with %s', async (_name, fixture) => {
    await expect(createSandbox({ fixture: fixture as FixtureInput })).rejects.toMatchObject({
      code: 'SYNC_CONFIG_INVALID',
    });
  });

  test('gives the fixture a JSON Schema with optional keys only', () => {
    const schema = buildFixtureJsonSchema();
    expect(schema.required).toBeUndefined();
    expect(schema.properties).toHaveProperty('tag_categories');
  });

  test('config/sandbox-fixture.schema.json contains that schema (`npm run schema` writes it)', async () => {
    const file = new URL('../../../config/sandbox-fixture.schema.json', import.meta.url);
    const text = `${JSON.stringify(buildFixtureJsonSchema(), null, 2)}\n`;
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('the command accepts its flags and rejects others', async () => {
    const command = sandboxCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    expect(command.options.map((option) => option.long)).toEqual([
      '--port',
      '--host',
      '--fixture',
      '--state',
      '--clock',
      '--rate',
      '--import-dir',
      '--control-key',
    ]);
    await expect(command.parseAsync(['--rate', 'fast'], { from: 'user' })).rejects.toThrow(/requests\/seconds/);
    await expect(command.parseAsync(['--port', '70000'], { from: 'user' })).rejects.toThrow(/0 to 65535/);
  });
});
