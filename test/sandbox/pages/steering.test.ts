import { request } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { guardPage } from '../../../src/sandbox/pages/guard-page.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { ACCOUNT, findUser } from '../open-sandbox.js';
import { EVIL, listPages, openPages } from './open-pages.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('faults and clock', () => {
  test('sets and moves the clock, for the service too', async () => {
    const { sandbox, submit, load } = await openPages({ fixture: ACCOUNT });
    await submit('/controls', 'set', { now: '2030-01-01T00:00:00Z' });
    await submit('/controls', 'advance', { advance_ms: '86400000' });
    expect((await load('/controls')).text).toContain('<time>2030-01-02 00:0');
    const answer = await fetch(`${sandbox.url}/api/v1/countries`, { headers: { authorization: 'Bearer admin-key' } });
    expect(answer.headers.get('date')).toMatch(/^Wed, 02 Jan 2030/);
    await answer.text();
    const { status, text } = await submit('/controls', 'set', { now: 'tomorrow' });
    expect([status, text.includes('now is not an ISO 8601 time')]).toEqual([400, true]);
  });

  test('sets a fault by form or button, shows it while it waits, and clears it', async () => {
    const { sandbox, submit, load, send } = await openPages({ fixture: ACCOUNT });
    await submit('/controls', 'add', {
      kind: 'status',
      method: 'GET',
      path: '/api/v1/countries',
      status: '503',
      retry_after: '7',
      times: '2',
    });
    expect(sandbox.faults.list()).toEqual([
      {
        kind: 'status',
        method: 'GET',
        path: '/api/v1/countries',
        status: 503,
        retry_after: 7,
        times: 2,
        skip: 0,
        fields: [],
      },
    ]);
    const answer = await send('GET', '/api/v1/countries');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await load('/controls')).text).toContain('<code>GET /api/v1/countries</code>');
    await submit('/controls', 'clear');
    expect(sandbox.faults.list()).toEqual([]);
    await submit('/controls', 'preset', { preset: '1' });
    await submit('/controls', 'add', { kind: 'drop_field', fields: 'user.telephone, user.name' });
    expect(sandbox.faults.list()).toMatchObject([
      { status: 429, times: 3 },
      { fields: ['user.telephone', 'user.name'] },
    ]);
  });

  test.each([
    ['a path that is not a regular expression', { path: '^(' }],
    ['an invalid status', { status: '42' }],
    ['a number of times that is not a number', { times: 'often' }],
  ])('rejects %s', async (_, typed) => {
    const { sandbox, submit } = await openPages({ fixture: ACCOUNT });
    const { status, text } = await submit('/controls', 'add', typed);
    expect([status, text.includes(`value="${Object.values(typed)[0]}"`)]).toEqual([400, true]);
    expect(sandbox.faults.list()).toEqual([]);
  });
});

describe('files', () => {
  sweep('downloads documents of CVs, projects and references, outside the download limit', async () => {
    const pages = await openPages();
    const places = new Map(await listPages(pages));
    const idOf = (name: string): string => places.get(name)?.split('/')[2] ?? '';
    const { text } = await pages.load(places.get('proposal') ?? '');
    const reference = /\/documents\/references\/([0-9a-f]{24})/.exec(text)?.[1] ?? '';
    for (const [kind, id] of [
      ['cvs', idOf('cv')],
      ['cvs', idOf('tailored cv')],
      ['projects', idOf('project')],
      ['references', reference],
    ]) {
      const answer = await fetch(`${pages.sandbox.url}/documents/${kind}/${id}/no/docx`);
      expect([kind, answer.status, answer.headers.get('content-disposition')]).toEqual([
        kind,
        200,
        expect.stringMatching(/\.docx/),
      ]);
      await answer.arrayBuffer();
    }
    expect((await pages.load(`/documents/cvs/${idOf('cv')}/xx/docx`)).status).toBe(400);
    expect((await pages.load('/documents/users/x/en/pdf')).status).toBe(404);
  });

  test('shows a picture from here, with its own type', async () => {
    const users = [{ email: 'a@example.com', name: 'A', country: 'no', office: 'Oslo', image: PIXEL }];
    const { send, load } = await openPages({ fixture: { ...ACCOUNT, users } });
    const { id } = (await send('GET', '/api/v1/users/find?email=a@example.com')).body;
    const address = /<img class="portrait" src="([^"]+)"/.exec((await load(`/users/${id}`)).text)?.[1] ?? '';
    const { status, headers } = await load(address);
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      'image/png',
      'nosniff',
    ]);
  });
});

describe('access to the pages', () => {
  const BODY = new URLSearchParams({ do: 'clear' });

  test.each([
    [403, { origin: 'http://evil.test' }],
    [403, { origin: 'null' }],
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [403, { 'sec-fetch-site': 'none' }],
    [303, { 'sec-fetch-site': 'same-origin' }],
  ])('answers a post with %i for %j', async (wanted, headers) => {
    const { post, sandbox } = await openPages({ fixture: ACCOUNT });
    sandbox.faults.add({ kind: 'delay' });
    const sent: Record<string, string> = headers;
    expect((await post('/controls', BODY, { origin: sandbox.url, ...sent })).status).toBe(wanted);
    expect(sandbox.faults.list()).toHaveLength(wanted === 303 ? 0 : 1);
  });

  test('rejects a post without an origin', async () => {
    const { sandbox } = await openPages({ fixture: ACCOUNT });
    expect(await ask(sandbox.url, '/controls', { method: 'POST', body: 'do=clear' })).toMatchObject({ status: 403 });
  });

  test.each([
    [403, 'evil.test'],
    [403, '127.0.0.1.nip.test:80'],
    [200, 'localhost:8080'],
    [200, '127.0.0.1'],
    [200, '[::1]:8080'],
    [200, 'sandbox:8080'],
    [200, 'acme.localhost'],
  ])('answers %i under the name %s', async (status, host) => {
    const { sandbox } = await openPages({ fixture: ACCOUNT });
    expect(await ask(sandbox.url, '/', { host })).toMatchObject({ status });
  });

  test.each([
    [true, '127.0.0.1', undefined],
    [true, '::ffff:127.0.0.1', undefined],
    [true, '::1', undefined],
    [false, '10.0.0.5', undefined],
    [false, '10.0.0.5', 'any:wrong'],
    [false, '10.0.0.5', 'control'],
    [true, '10.0.0.5', 'any:control'],
    [true, '::ffff:10.0.0.5', ':control'],
  ])('says %s for %s with the password %s', (mayUse, remoteAddress, given) => {
    const headers = given === undefined ? {} : { authorization: `Basic ${Buffer.from(given).toString('base64')}` };
    const request = { method: 'GET', headers: { host: 'sandbox:8080', ...headers }, socket: { remoteAddress } };
    const guard = (): void => guardPage(request as unknown as FastifyRequest, 'control');
    if (mayUse) expect(guard).not.toThrow();
    else expect(guard).toThrow(expect.objectContaining({ status: 401 }));
  });

  test('forbids frames and reads by other sites', async () => {
    const { load } = await openPages({ fixture: ACCOUNT });
    const { headers } = await load('/');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect((await load('/live', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

interface Asked {
  readonly method?: string;
  readonly host?: string;
  readonly body?: string;
}

/** Sends headers that `fetch` does not allow. */
function ask(
  url: string,
  path: string,
  { method = 'GET', host, body }: Asked,
): Promise<{ readonly status: number | undefined }> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The events of a stream as they arrive. */
async function watch(url: string, path = '/live') {
  const stop = new AbortController();
  closeAfterTest({ close: () => stop.abort() });
  const answer = await fetch(url + path, { signal: stop.signal });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  return {
    answer,
    stop: () => stop.abort(),
    /** Returns all text so far once it matches. */
    async until(form: RegExp): Promise<string> {
      while (!form.test(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended: ${text}`);
        text += Buffer.from(value).toString('utf8');
      }
      return text;
    },
    async ended(): Promise<boolean> {
      for (;;) {
        try {
          if ((await reader.read()).done) return true;
        } catch {
          return true;
        }
      }
    },
  };
}

describe('watching', () => {
  test('streams each call with its key, status, duration and subject', async () => {
    const { sandbox, send, as } = await openPages();
    const user = await findUser(send, 'E1');
    const { answer, until } = await watch(sandbox.url);
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await send('PUT', `/api/v1/users/${user.id}?use_legacy_codes=false`, { user: { telephone: '1' } });
    await send('GET', `/api/v1/users/${user.id}`, undefined, as('evil-key'));
    await send('GET', '/api/v1/countries', undefined, as('unknown'));
    const text = await until(/"status":401/);
    const calls = [...text.matchAll(/event: calls\ndata: (.*)\n/g)].flatMap(([, data = '']) => JSON.parse(data).calls);
    expect(calls).toMatchObject([
      {
        ...{ method: 'PUT', path: `/api/v1/users/${user.id}?use_legacy_codes=false`, status: 200, by: 'Admin' },
        about: { name: 'Anna Åsen', address: `/users/${user.id}` },
      },
      { method: 'GET', status: 200, by: EVIL, about: { name: 'Anna Åsen' } },
      { path: '/api/v1/countries', status: 401, by: '', about: null },
    ]);
    expect(calls[0].ms).toBeTypeOf('number');
  });

  sweep('updates counts after any change', async () => {
    const { sandbox, submit, send } = await openPages({ fixture: ACCOUNT });
    const { until } = await watch(sandbox.url);
    await until(/"users":4,"active":3/);
    await submit('/proposals', 'add', { name: 'Bid' });
    await until(/"proposals":1/);
    const { id } = await findUser(send, 'E1');
    await submit(`/users/${id}`, 'deactivate');
    await until(/"users":4,"active":2/);
  });

  sweep('continues after the last event that a page has seen', async () => {
    const { sandbox, send } = await openPages({ fixture: ACCOUNT });
    for (let i = 0; i < 3; i++) await send('GET', `/api/v1/countries?n=${i}`);
    const { until } = await watch(sandbox.url, '/live?after=1');
    const text = await until(/event: calls/);
    expect(text).toContain('id: 3\n');
    expect(text).not.toContain('n=0');
    expect(text).toMatch(/n=1.*n=2/);
  });

  sweep('sends the newest of many calls, and counts the others', async () => {
    const { sandbox, send } = await openPages({ fixture: ACCOUNT });
    for (let i = 0; i < 120; i++) await send('GET', `/api/v1/countries?n=${i}`);
    const { until } = await watch(sandbox.url, '/live?after=0');
    const [, data = ''] = /event: calls\ndata: (.*)\n/.exec(await until(/event: calls\ndata: .*\n/)) ?? [];
    const { missed, calls } = JSON.parse(data);
    expect([missed, calls.length, calls.at(-1).path]).toEqual([70, 50, '/api/v1/countries?n=119']);
  });

  sweep('limits the number of watchers, and accepts another when one leaves', async () => {
    const { sandbox, load } = await openPages({ fixture: ACCOUNT });
    const watchers = await Promise.all(Array.from({ length: 24 }, () => watch(sandbox.url)));
    expect((await load('/live')).status).toBe(503);
    watchers[0]?.stop();
    await expect.poll(async () => (await watch(sandbox.url)).answer.status).toBe(200);
  });

  sweep('stops a watched sandbox immediately', async () => {
    const sandbox = await createSandbox({ fixture: ACCOUNT });
    const watchers = await Promise.all([watch(sandbox.url), watch(sandbox.url)]);
    await sandbox.close();
    expect(await Promise.all(watchers.map(({ ended }) => ended()))).toEqual([true, true]);
  });

  sweep('logs a call without an answer, with its key', async () => {
    const { sandbox, load } = await openPages({ fixture: ACCOUNT });
    sandbox.faults.add({ kind: 'reset_after', path: '/api/v1/countries' });
    const headers = { authorization: 'Bearer no-key' };
    await expect(fetch(`${sandbox.url}/api/v1/countries`, { headers })).rejects.toThrow();
    expect(sandbox.calls()).toMatchObject([{ status: 0, by: 'Norway' }]);
    const { text } = await load('/calls');
    expect(text).toContain('no answer');
    expect(text).toContain('<bdi>Norway</bdi>');
  });
});

test('finds calls by path, key and outcome, and forgets them', async () => {
  const { sandbox, send, as, load, submit } = await openPages({ fixture: ACCOUNT });
  for (let i = 0; i < 60; i++) await send('GET', `/api/v1/countries?n=${i}`);
  await send('POST', '/api/v1/users', { user: {} }, as('reader-key'));
  const rows = async (query: string) =>
    ((await load(`/calls${query}`)).text.match(/<span class="call">/g) ?? []).length;
  expect([await rows(''), await rows('?from=50'), await rows('?outcome=failed')]).toEqual([50, 11, 1]);
  expect([await rows('?q=n%3D59'), await rows('?q=Reader'), await rows('?method=writes')]).toEqual([1, 1, 1]);
  await submit('/calls', 'clear');
  expect(sandbox.calls()).toEqual([]);
});
