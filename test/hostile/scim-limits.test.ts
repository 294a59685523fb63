import { setMaxListeners } from 'node:events';
import { describe, expect, it, test } from 'vitest';
import { FairGate } from '../../src/daemon/web/scim/fair-gate.js';
import { ENTERPRISE, GROUP, openDesk, TOKENS, USER } from '../daemon/web/scim/desk.js';
import { oneIn, sweep } from '../depth.js';
import { MIB } from './scim-daemon.js';

const KIB = 1024;
const HR = 'urn:acme:params:hr:1.0:User';

describe('the limits of an attribute and a resource', () => {
  it('are exactly 64 KiB and 256 KiB', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('jane', { title: 'x'.repeat(64 * KIB) });
    expect(id).toBeDefined();
    const refused = [
      [{ title: 'x'.repeat(64 * KIB + 1) }, 'title'],
      [{ title: 'æ'.repeat(33 * KIB) }, 'title'],
      [
        { emails: Array.from({ length: 1_500 }, (_, n) => ({ value: `a${n}@a-rather-long-name.example.com` })) },
        'emails',
      ],
      [{ [ENTERPRISE]: { department: 'x'.repeat(65 * KIB) } }, `${ENTERPRISE}:department`],
      [{ userName: 'x'.repeat(65 * KIB) }, 'userName'],
    ] as const;
    for (const [more, path] of refused) {
      const posted = await call('POST', '/Users', { userName: 'berit', ...more });
      expect([path, posted.status, posted.json.scimType]).toEqual([path, 400, 'invalidValue']);
      expect(posted.json.detail.startsWith(`${path} `)).toBe(true);
      expect((await call('PUT', `/Users/${id}`, { userName: 'jane', ...more })).status).toBe(400);
      for (const [key, value] of Object.entries(more))
        expect((await patch(`/Users/${id}`, { op: 'replace', value: { [key]: value } })).status).toBe(400);
    }
    const large = (n: number) => ({ formatted: 'x'.repeat(60 * KIB), type: `t${n}` });
    const whole = { nickName: 'n'.repeat(60 * KIB), displayName: 'd'.repeat(60 * KIB), addresses: [large(1)] };
    expect((await patch(`/Users/${id}`, { op: 'replace', value: whole })).status).toBe(200);
    const over = await patch(`/Users/${id}`, { op: 'replace', path: 'locale', value: 'l'.repeat(20 * KIB) });
    expect([over.status, over.json.scimType]).toEqual([400, 'invalidValue']);
    expect((await call('GET', '/Users')).json.totalResults).toBe(1);
  });

  sweep('allow a thousand names, so that others do not wait while more are processed', async () => {
    const { call } = await openDesk();
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]));
    for (const body of [
      { userName: 'jane', ...names },
      { userName: 'jane', [ENTERPRISE]: names },
      { userName: 'jane', name: names },
      { userName: 'jane', emails: [names] },
    ]) {
      expect((await call('POST', '/Users', body)).status).toBe(413);
    }
    expect((await call('POST', '/Users', { userName: 'jane', unknown: 1 })).status).toBe(201);
  });

  sweep('let larger resources from earlier versions be changed and deleted as usual', async () => {
    const { call, patch, store } = await openDesk();
    const attributes = { userName: 'old', active: true, title: 'x'.repeat(MIB), nickName: 'a\u0001b' };
    const row = { id: 'old', nameKey: 'old', externalId: null, display: 'old', created: '2026-01-01T00:00:00.000Z' };
    store.insert('idp', 'User', { ...row, attributes });
    expect((await patch('/Users/old', { op: 'replace', path: 'active', value: false })).json.active).toBe(false);
    expect((await call('PUT', '/Users/old', { ...attributes, active: true })).json.active).toBe(true);
    expect((await patch('/Users/old', { op: 'replace', path: 'title', value: 'y'.repeat(MIB) })).status).toBe(400);
    expect((await patch('/Users/old', { op: 'remove', path: 'title' })).status).toBe(200);
    expect((await call('DELETE', '/Users/old')).status).toBe(204);
  });

  it('exclude control characters and half characters, which the error names by path', async () => {
    const { call, addUser, addGroup, patch } = await openDesk();
    const { id } = await addUser('jane');
    const group = await addGroup('Team');
    const rows: readonly (readonly [object, string])[] = [
      [{ title: 'a\u0000b' }, 'title'],
      [{ title: '\u001b[31mred' }, 'title'],
      [{ displayName: 'a\u007f' }, 'displayName'],
      [{ displayName: 'a\u009b31m' }, 'displayName'],
      [{ displayName: 'half \ud800' }, 'displayName'],
      [{ name: { givenName: 'half \udc00' } }, 'name.givenName'],
      [{ externalId: 'two\nlines' }, 'externalId'],
      [{ emails: [{ value: 'a@b.no\r\nBcc: x' }] }, 'emails.value'],
      [{ [ENTERPRISE]: { department: '\b' } }, `${ENTERPRISE}:department`],
      [{ [ENTERPRISE]: { manager: { value: 'a\tb' } } }, `${ENTERPRISE}:manager.value`],
      [{ [HR]: { badge: ['\u0007'] } }, `${HR}:badge`],
    ];
    for (const [more, path] of rows) {
      for (const [method, address] of [
        ['POST', '/Users'],
        ['PUT', `/Users/${id}`],
      ] as const) {
        const { status, json } = await call(method, address, { userName: 'u', ...more });
        expect([path, status, json.scimType, json.detail]).toEqual([
          path,
          400,
          'invalidValue',
          expect.stringContaining(`${path} `),
        ]);
      }
      expect((await patch(`/Users/${id}`, { op: 'add', value: more })).status).toBe(400);
    }
    expect(
      (await patch(`/Users/${id}`, { op: 'add', path: 'emails[type eq "\\u0001"].value', value: 'a@b' })).status,
    ).toBe(400);
    for (const userName of ['a\nb', 'a\ud83d', '\u0085'])
      expect((await call('POST', '/Users', { userName })).json.scimType).toBe('invalidValue');
    for (const displayName of ['a\nb', 'a\u0000'])
      expect((await call('PUT', `/Groups/${group.id}`, { schemas: [GROUP], displayName })).status).toBe(400);
    const odd = await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: 'a\u0000b' }] });
    expect([odd.status, odd.json.scimType]).toEqual([400, 'invalidValue']);
    // Ordinary texts of all kinds are accepted.
    const fine = {
      addresses: [{ type: 'work', formatted: 'Storgata 1\r\n0155 Oslo\tNorge' }],
      displayName: 'Ærlig Ünü 😀 ‮',
      title: 'Lead\nConsultant',
    };
    expect((await patch(`/Users/${id}`, { op: 'add', value: fine })).json).toMatchObject(fine);
  });
});

describe('requests that make no sense get an error of SCIM', () => {
  const long = `"${'x'.repeat(100)}"`;
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const operations = (n: number) =>
    JSON.stringify({ Operations: Array.from({ length: n }, () => ({ op: 'add', path: 'title', value: 'x' })) });
  const rows: readonly (readonly [string, string, string | undefined, number, string | null])[] = [
    ['GET', '/Users/%zz', undefined, 400, null],
    ['GET', '/%zz', undefined, 400, null],
    ['POST', '/Users/%E0%A4%A', '{}', 400, null],
    ['GET', '/Users?filter=%zz', undefined, 400, 'invalidFilter'],
    ['GET', '/Nothing', undefined, 404, null],
    ['GET', '//Users//1//2', undefined, 404, null],
    ['PROPFIND', '/Users', undefined, 405, null],
    ['POST', '/Users', '{', 400, 'invalidSyntax'],
    ['POST', '/Users', '', 400, 'invalidSyntax'],
    ['POST', '/Users', '\ufeff\u0000', 400, 'invalidSyntax'],
    ['POST', '/Users', `{"userName":"deep","x":${deep}}`, 400, 'invalidValue'],
    ['POST', '/Users', '['.repeat(100_000), 400, 'invalidValue'],
    ['POST', '/Users', '{"userName":"a","userName":"b"}', 400, 'invalidSyntax'],
    ['POST', '/Users', '{"userName":"a","active":true,"ACTIVE":false}', 400, 'invalidSyntax'],
    ['POST', '/Users', '{"userName":"a","name":{"\\u0067ivenName":"x","givenName":"y"}}', 400, 'invalidSyntax'],
    ['POST', '/Users', '{"userName":"a","__proto__":{"active":false}}', 400, 'invalidSyntax'],
    ['POST', '/Users', `{"userName":"a","x":[${'0,'.repeat(300_000)}0]}`, 413, null],
    ['PATCH', '/Users/ID', operations(1_001), 413, null],
    [
      'PATCH',
      '/Users/ID',
      JSON.stringify({
        Operations: [{ op: 'add', value: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`k${n}`, 1])) }],
      }),
      413,
      null,
    ],
    [
      'PATCH',
      '/Users/ID',
      JSON.stringify({
        Operations: [{ op: 'remove', path: 'emails', value: Array.from({ length: 2_001 }, () => ({ type: 'x' })) }],
      }),
      413,
      null,
    ],
    [
      'PATCH',
      '/Users/ID',
      JSON.stringify({
        Operations: Array.from({ length: 30 }, () => ({
          op: 'remove',
          path: `emails[${Array.from({ length: 60 }, () => `value co ${long.slice(0, 40)}"`).join(' or ')}]`,
        })),
      }),
      413,
      null,
    ],
    [
      'POST',
      '/Users/.search',
      JSON.stringify({ filter: `${'('.repeat(500)}userName pr${')'.repeat(500)}` }),
      400,
      'invalidFilter',
    ],
    ['POST', '/Users/.search', JSON.stringify({ filter: `userName eq "${'x'.repeat(5_000)}"` }), 400, 'invalidFilter'],
    ['POST', '/Users/.search', JSON.stringify({ filter: `${'not '.repeat(500)}(userName pr)` }), 400, 'invalidFilter'],
    [
      'POST',
      '/Users/.search',
      JSON.stringify({ attributes: Array.from({ length: 201 }, (_, n) => `a${n}`) }),
      400,
      'invalidValue',
    ],
  ];

  it.each(oneIn(1, rows))('%s %s %.60s: %i', async (method, path, body, status, scimType) => {
    const { call, addUser, url, events } = await openDesk();
    const { id } = await addUser('jane', { active: true });
    const answer = await call(method, path.replace('ID', id), body);
    expect([answer.status, answer.json.scimType ?? null, answer.json.status]).toEqual([
      status,
      scimType,
      String(status),
    ]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    expect(answer.json.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    // No resource changed, and nothing gets in without a token.
    const all = (await call('GET', '/Users')).json;
    expect(all.Resources.map(({ userName, active }) => [userName, active])).toEqual([['jane', true]]);
    const stranger = await fetch(url + path, { method, headers: { authorization: 'Bearer x' } });
    expect([400, 401]).toContain(stranger.status);
    expect(events.every(({ result }) => result !== 'failed')).toBe(true);
    expect(({} as { active?: boolean }).active).toBeUndefined();
  });

  it('rejects bodies of another type or size before it reads them', async () => {
    const { call, url } = await openDesk();
    expect((await call('POST', '/Users', 'x', { 'content-type': 'text/plain' })).json.status).toBe('415');
    expect((await call('POST', '/Users', 'x'.repeat(5 * MIB))).json.status).toBe('413');
    const chunks = new ReadableStream({
      pull(stream) {
        stream.enqueue(new Uint8Array(256 * KIB).fill(32));
      },
    });
    const headers = { authorization: `Bearer ${TOKENS[0]}`, 'content-type': 'application/json' };
    const endless = await fetch(`${url}/Users`, {
      method: 'POST',
      body: chunks,
      headers,
      duplex: 'half',
    } as RequestInit);
    expect([endless.status, ((await endless.json()) as { status: string }).status]).toEqual([413, '413']);
    for (const path of ['/scim', '/scim/v1/Users', '/scim/v2', '/scim/%zz']) {
      const answer = await fetch(new URL(path, url));
      expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/);
      expect([400, 401, 404]).toContain(answer.status);
    }
  });
});

test('keeps one tenant from taking the slots of another', async () => {
  const gate = new FairGate({ capacity: 4, share: 3, longestQueue: 50, patienceMs: 30_000 });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const inside: string[] = [];
  const enter = async (who: string): Promise<void> => {
    const leave = await gate.enter(who, 1, never);
    inside.push(who);
    await new Promise((resolve) => setTimeout(resolve, 5));
    leave();
  };
  const flood = Array.from({ length: 40 }, () => enter('acme'));
  const others = [enter('umbrella'), enter('globex')];
  await Promise.all([...flood, ...others]);
  // Immediately next to the first three, and the next one admitted.
  expect(inside.slice(0, 5).toSorted()).toEqual(['acme', 'acme', 'acme', 'globex', 'umbrella']);
  const hasty = new FairGate({ capacity: 4, share: 3, longestQueue: 50, patienceMs: 20 });
  const leave = await hasty.enter('acme', 3, never);
  await expect(hasty.enter('acme', 1, never)).rejects.toMatchObject({ status: 503 });
  leave();
  (await hasty.enter('acme', 3, never))();
});

sweep('fills a page of 500 with ordinary people', async () => {
  const { call, store } = await openDesk();
  store.transaction(() => {
    for (let n = 0; n < 600; n++) {
      const attributes = { schemas: [USER], userName: `u${n}`, title: 'x'.repeat(3_000) };
      const row = { id: `id-${n}`, nameKey: `u${n}`, externalId: null, display: `u${n}`, attributes };
      store.insert('idp', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
    }
  });
  expect((await call('GET', '/Users?count=500')).json.itemsPerPage).toBe(500);
});
