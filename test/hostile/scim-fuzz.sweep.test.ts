import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENTERPRISE, GROUP, USER } from '../daemon/web/scim/desk.js';
import { tries } from '../depth.js';
import { startScim, TOKEN } from './scim-daemon.js';

const SEED = 814;

/** Texts that once broke a program somewhere. */
const hostile = fc.constantFrom<unknown>(
  '\u0000',
  '\u001b[2J',
  '\ud800',
  '‮evil',
  '__proto__',
  'constructor',
  "'; DROP TABLE pushed_resources; --",
  '=cmd|calc',
  '../../../etc/passwd',
  '{{7*7}}',
  '%00%zz',
  'bulkId:a',
  'x'.repeat(70_000),
  '"\\"',
  -0,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  [],
  {},
  null,
  [[[[[]]]]],
  { $ref: 'x', value: '' },
  { toString: 1, valueOf: null },
);
const name = fc.constantFrom(
  ...[
    'schemas',
    'id',
    'externalId',
    'userName',
    'USERNAME',
    'displayName',
    'active',
    'emails',
    'name',
    'title',
    'meta',
  ],
  ...[
    'members',
    'groups',
    'roles',
    'addresses',
    'password',
    '__proto__',
    'constructor',
    'toString',
    'Operations',
    'op',
  ],
  ...['path', 'value', 'type', 'primary', 'method', 'bulkId', 'data', 'filter', 'count', 'startIndex', 'sortBy'],
  ...[
    'attributes',
    'failOnErrors',
    ENTERPRISE,
    `${ENTERPRISE}:manager`,
    'urn:acme:hr:1.0:User',
    'emails[type eq "work"].value',
  ],
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    hostile,
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.jsonValue(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(name, tie('any'), { maxKeys: 6 }),
  ),
})).any;

const sensible = fc.constantFrom<object>(
  { schemas: [USER], userName: 'fuzz', active: 'False', emails: [{ type: 'work', value: 'f@x.no' }] },
  { schemas: [GROUP], displayName: 'fuzzers', members: [{ value: 'x' }] },
  { Operations: [{ op: 'Replace', path: 'active', value: false }] },
  {
    Operations: [
      { op: 'add', path: 'members', value: [{ value: 'victim' }] },
      { op: 'remove', path: 'members' },
    ],
  },
  { Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'bulk' } }] },
  { filter: 'emails[type eq "work"].value eq "f@x.no"', count: 5 },
);
/** A sensible body with one part replaced. */
const altered = fc.tuple(sensible, name, value).map(([body, key, other]) => ({ ...body, [key]: other }));
const text = fc.oneof(
  fc.oneof(value, altered, sensible).map((body) => JSON.stringify(body) ?? ''),
  // Bytes that are changed, truncated or doubled.
  fc
    .tuple(sensible, fc.nat(200), fc.constantFrom('', '"', '{', '\\', ',', '\u0000', '\\ud800'))
    .map(([body, at, by]) => {
      const plain = JSON.stringify(body);
      return plain.slice(0, at) + by + plain.slice(at + 1);
    }),
);
const bytes = fc.oneof(
  { weight: 4, arbitrary: text.map((one) => Buffer.from(one)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one)) },
);
const address = fc.constantFrom(
  ...[
    '/Users',
    '/Groups',
    '/Users/ID',
    '/Groups/ID',
    '/Bulk',
    '/.search',
    '/Users/.search',
    '/Users/none',
    '/Users/%zz',
  ],
  ...[
    '/Me',
    '/Schemas',
    '/%00',
    '/Users?filter=%zz',
    '/Users?attributes=__proto__&sortBy=meta',
    '/Users/ID?startIndex=x',
  ],
);
const method = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET');
const type = fc.constantFrom(
  'application/scim+json',
  'application/json',
  'application/json; charset=utf-16',
  'text/xml',
);

test('answers bodies of every kind with SCIM, without a crash, a 5xx, much memory or harm to others', async () => {
  const { ask, daemon, peak } = await startScim();
  const victim = (await ask('POST', '/Users', { userName: 'victim', active: true, title: 'CEO' })).json;
  const team = (await ask('POST', '/Groups', { displayName: 'board', members: [{ value: victim.id }] })).json;
  const target = (await ask('POST', '/Users', { userName: 'target' })).json;
  const group = (await ask('POST', '/Groups', { displayName: 'target' })).json;
  const url = `${await daemon.url()}/scim/v2/entra`;
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(method, address, bytes, type, async (verb, at, body, contentType) => {
      const path = at.replace('ID', String(at.startsWith('/Groups') ? group.id : target.id));
      const response = await fetch(url + path, {
        method: verb,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': contentType },
        ...(verb === 'GET' ? {} : { body }),
      });
      const answer = await response.text();
      seen.add(response.status);
      expect([verb, path, response.status < 500 || path === '/Me']).toEqual([verb, path, true]);
      if (answer === '') return;
      expect(response.headers.get('content-type')).toMatch(/^application\/scim\+json/);
      const json = JSON.parse(answer) as { schemas: readonly string[]; status?: string };
      expect(json.schemas.every((urn) => urn.startsWith('urn:'))).toBe(true);
      if (response.status >= 400) expect(json.status).toBe(String(response.status));
      expect(answer).not.toContain(TOKEN);
    }),
    { numRuns: tries(1_500), seed: SEED },
  );
  expect([200, 201, 204, 400, 404, 405, 413, 415].filter((status) => !seen.has(status))).toEqual([413]);
  expect((await ask('GET', `/Users/${String(victim.id)}`)).json).toMatchObject({
    userName: 'victim',
    active: true,
    title: 'CEO',
  });
  const { members } = (await ask('GET', `/Groups/${String(team.id)}`)).json;
  expect(members).toEqual([expect.objectContaining({ value: victim.id })]);
  expect((await daemon.get('/readyz')).status).toBe(200);
  expect(peak()).toBeLessThan(250);
  expect(daemon.log().filter(({ level }) => level === 'error')).toEqual([]);
});
