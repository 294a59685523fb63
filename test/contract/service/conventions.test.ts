import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findProject, findUser, openService } from './open-service.js';

const SEARCH = '/api/v2/users/search';
const CUSTOMERS = '/api/v2/company/cv/customers';
const IMPORT = '/api/v1/users/import/csv/default';

describe('Conventions', () => {
  test('3: every response has its own x-request-id, also for errors', async () => {
    const { send } = await openService();
    const replies = [
      await send('GET', SEARCH),
      await send('GET', SEARCH, undefined, { key: null }),
      await send('GET', '/api/v1/users/nope'),
      await send('GET', '/nowhere'),
      await send('POST', '/api/v1/users', undefined, { raw: { text: '{', type: 'application/json' } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 404, 404, 400]);
    const ids = replies.map(({ headers }) => headers.get('x-request-id') ?? '');
    expect(ids.every((id) => id !== '')).toBe(true);
    expect(new Set(ids).size).toBe(5);
  });

  test('4: legacy codes are int, no, se, dk, cn; ISO codes en, no, sv, da, zh', async () => {
    const { send } = await openService();
    const legacy = { int: 'E', no: 'N', se: 'S', dk: 'D', cn: 'C' };
    const iso = { en: 'E', no: 'N', sv: 'S', da: 'D', zh: 'C' };
    const made = await send('POST', CUSTOMERS, {
      company_customer: { customer_name: legacy, external_unique_id: 'L' },
    });
    expect(made.body.customer_name).toEqual(legacy);
    const find = `${CUSTOMERS}/find?external_unique_id=L`;
    expect((await send('GET', `${find}&use_legacy_codes=false`)).body.customer_name).toEqual(iso);
    expect((await send('GET', `${find}&use_legacy_codes=true`)).body.customer_name).toEqual(legacy);
    expect((await send('GET', `${find}&use_legacy_codes=FALSE`)).body.customer_name).toEqual(legacy);
    const mixed = { company_customer: { customer_name: { ...legacy, ...iso } } };
    expect((await send('POST', `${CUSTOMERS}?use_legacy_codes=false`, mixed)).body.customer_name).toEqual(iso);
    expect((await send('POST', CUSTOMERS, mixed)).body.customer_name).toEqual(legacy);
  });

  test('4: at least one language is required', async () => {
    const { send } = await openService();
    expect((await send('POST', CUSTOMERS, { company_customer: { customer_name: {} } })).status).toBe(422);
  });

  test('5: timestamps are ISO 8601, identifiers strings', async () => {
    const service = await openService();
    const { body } = await service.send('GET', `/api/v1/users/${(await findUser(service, 'E1')).id}`);
    for (const field of ['created_at', 'updated_at', 'profile_updated_at']) {
      expect(new Date(body[field]).toISOString().slice(0, 19)).toBe(body[field].slice(0, 19));
    }
    expect(typeof body.id).toBe('string');
  });
});

/** Languages write a yes or a no in their own way: Python and C# `True`, PHP `1`. Each row counts as `true`, `false` or neither. */
const FLAGS = [
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['1', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['0', false],
  ['', undefined],
  ['yes', undefined],
] as const;

describe('booleans of queries', () => {
  sweep('every parameter reads them alike', async () => {
    const service = await openService();
    const count = async (path: string) => (await service.send('GET', path)).body.length;
    const [anna, dam] = [await findUser(service, 'E1'), await findProject(service, 'P1')];
    const { body: bid } = await service.send('POST', '/api/v2/offers', { offer: { name: 'Old' } });
    await service.send('PUT', `/api/v1/offers/${bid._id}`, { offer: { archived: true } });
    const raw = { text: 'email,name,country_code,office_name\n', type: 'text/csv' };
    for (const [word, isOn] of FLAGS) {
      const { body: metadata } = await service.send('GET', `${anna.cv}/metadata?detailed=${word}`);
      const { body: project } = await service.send('GET', `${dam.path}?include_project_sections=${word}`);
      const { status, body: task } = await service.send('POST', `${IMPORT}?dry_run=${word}`, undefined, { raw });
      expect({
        word,
        found: await count(`${SEARCH}?deactivated=${word}`),
        named: await count(`${SEARCH}?name=gone&deactivated=${word}`),
        offers: await count(`/api/v1/all_offers?include_archived=${word}`),
        isDetailed: 'owner_updated' in metadata,
        hasSections: 'project_challenges' in project,
        upload: [status, task.dry_run],
      }).toEqual({
        word,
        found: isOn ? 5 : 4,
        named: isOn ? 1 : 0,
        offers: isOn ? 1 : 0,
        isDetailed: isOn === true,
        hasSections: isOn !== false,
        upload: isOn === undefined ? [400, undefined] : [200, isOn],
      });
    }
  });

  test('Conventions 4 and Custom fields 7 name exact strings', async () => {
    const service = await openService();
    const { path } = await findProject(service, 'P1');
    for (const [word] of FLAGS) {
      const { body } = await service.send('GET', `${path}?include_custom_fields=${word}&use_legacy_codes=${word}`);
      expect([word, 'custom_fields' in body, Object.keys(body.project_name)[0]]).toEqual([
        word,
        word === 'true',
        word === 'false' ? 'en' : 'int',
      ]);
    }
  });
});

describe('Authentication', () => {
  test.each([
    ['no header', 401, undefined],
    ['an unknown key', 401, 'Bearer nope'],
    ['another scheme', 401, 'Basic admin'],
    ['a bare key', 401, 'admin'],
    ['a disabled key', 403, 'Bearer off'],
    ['Bearer', 200, 'Bearer admin'],
    ['beyond the spec: Token, quoted', 200, 'Token token="admin"'],
    ['beyond the spec: Token, not quoted', 200, 'Token token=admin'],
  ])('1, 2: %s is %i', async (_name, status, authorization) => {
    const { send } = await openService();
    const headers = authorization === undefined ? {} : { authorization };
    expect((await send('GET', SEARCH, undefined, { key: null, headers })).status).toBe(status);
  });
});

describe('Limits', () => {
  test('limits requests per account over all keys; 429 has Retry-After in full seconds', async () => {
    const { send } = await openService({ rate: { requests: 2, per_seconds: 60 } });
    expect((await send('GET', SEARCH)).status).toBe(200);
    expect((await send('GET', SEARCH, undefined, { key: 'reader' })).status).toBe(200);
    const refused = await send('GET', SEARCH);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });
});

describe('beyond the spec: addresses', () => {
  test('ignores doubled and trailing slashes', async () => {
    const { send } = await openService();
    for (const path of [`/${SEARCH}`, SEARCH.replaceAll('/', '//'), `${SEARCH}/`, `${SEARCH}/?size=1`]) {
      expect([path, (await send('GET', path)).status]).toEqual([path, 200]);
    }
    expect((await send('POST', '/api/v2/offers', { offer: { name: 'X' } })).status).toBe(200);
    expect((await send('POST', '/api/v2/offers/', { offer: { name: 'X' } })).status).toBe(200);
  });
});

describe('Versioning', () => {
  test('1: each endpoint has its own fixed version', async () => {
    const { send } = await openService();
    expect((await send('GET', '/api/v2/users/search')).status).toBe(200);
    for (const path of ['/api/v3/users/search', '/api/v2/countries', '/api/v1/company/cv/customers']) {
      expect([path, (await send('GET', path)).status]).toEqual([path, 404]);
    }
  });

  test("4: each save raises a record's version", async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const before = (await service.send('GET', cv)).body.version;
    await service.send('PUT', cv, { cv: { landline: '1' } });
    await service.send('POST', `${cv}/blogs`, { blog: {} });
    expect((await service.send('GET', cv)).body.version).toBe(before + 2);
  });
});
