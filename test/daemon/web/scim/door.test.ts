import { describe, expect, it } from 'vitest';
import { ENTERPRISE, openDesk, openReceiver, TOKENS, USER } from './desk.js';

describe('authentication', () => {
  it('accepts any of the tokens, and nothing else', async () => {
    const { call } = await openDesk();
    const statusOf = async (authorization: string) =>
      (await call('GET', '/Users', undefined, { authorization })).status;
    expect(await Promise.all(TOKENS.map((token) => statusOf(`Bearer ${token}`)))).toEqual([200, 200]);
    expect(await statusOf(`bearer ${TOKENS[0]}`)).toBe(200);
    for (const wrong of ['', 'Bearer', 'Bearer ', 'Bearer other', `Basic ${TOKENS[0]}`, `Bearer ${TOKENS[0]}x`])
      expect(await statusOf(wrong)).toBe(401);
  });

  it("accepts a bare token, because Okta's Header Auth app sends the field as typed", async () => {
    const { call } = await openDesk();
    const answerTo = (authorization: string) => call('GET', '/Users', undefined, { authorization });
    expect(await Promise.all(TOKENS.map(async (token) => (await answerTo(token)).status))).toEqual([200, 200]);
    for (const wrong of [`${TOKENS[0]}x`, `${TOKENS[0]} ${TOKENS[0]}`, `Token ${TOKENS[0]}`]) {
      expect((await answerTo(wrong)).status).toBe(401);
    }
    expect((await answerTo('other')).headers.get('www-authenticate')).toContain('invalid_token');
    expect((await answerTo('Bearer')).headers.get('www-authenticate')).not.toContain('invalid_token');
  });

  it('requires the token everywhere, even on unknown paths', async () => {
    const { call, url } = await openDesk();
    for (const path of ['/Users', '/ServiceProviderConfig', '/Schemas', '/nothing', '']) {
      const { status, headers, json } = await call('GET', path, undefined, { authorization: '' });
      expect([status, json.status]).toEqual([401, '401']);
      expect(headers.get('www-authenticate')).toContain('Bearer');
    }
    const elsewhere = await fetch(`${url.replace('/idp', '/other')}/Users`, {
      headers: { authorization: `Bearer ${TOKENS[0]}` },
    });
    expect(elsewhere.status).toBe(401);
  });

  it('answers 404 on other versions, even with the right token', async () => {
    const { url, addUser } = await openDesk();
    await addUser('jane');
    for (const version of ['v1', 'v3', 'v22']) {
      const { status } = await fetch(`${url.replace('/v2/', `/${version}/`)}/Users`, {
        headers: { authorization: `Bearer ${TOKENS[0]}` },
      });
      expect(status).toBe(404);
    }
  });

  it('answers 503 with a retry time while the state is closed', async () => {
    const { call } = await openDesk({ open: false });
    const { status, headers } = await call('GET', '/Users');
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
  });

  it('asks to retry while the configurations are loading, and denies access only afterwards', async () => {
    let isStarting = true;
    const clock = { now: () => 0, sleep: async () => undefined };
    const parts = { find: () => null, proxies: () => [], clock, onRequest: () => undefined };
    const url = await openReceiver({ ...parts, isStarting: () => isStarting });
    const push = async () => {
      const headers = { authorization: `Bearer ${TOKENS[0]}`, 'content-type': 'application/scim+json' };
      const { status, headers: answered } = await fetch(`${url}/scim/v2/acme/idp/Users`, {
        ...{ method: 'POST', headers, body: '{"userName":"jane"}' },
      });
      return [status, answered.get('retry-after')];
    };
    expect(await push()).toEqual([503, '30']);
    isStarting = false;
    expect(await push()).toEqual([401, null]);
  });

  it('reports results without names', async () => {
    const { call, addUser, events } = await openDesk();
    await addUser('jane@example.com');
    await addUser('jane@example.com');
    await call('GET', '/Users');
    await call('POST', '/.search', {});
    await call('POST', '/Users', {}, { authorization: 'Bearer wrong' });
    expect(events.map(({ result, status }) => [result, status])).toEqual([
      ['taken', 201],
      ['refused', 409],
      ['read', 200],
      ['read', 200],
      ['denied', 401],
    ]);
    expect(JSON.stringify(events)).not.toContain('jane');
  });
});

describe('descriptions of the service', () => {
  it('lists the supported features in ServiceProviderConfig', async () => {
    const { json, headers } = await (await openDesk()).call('GET', '/ServiceProviderConfig');
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json/);
    expect(json).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 1_000, maxPayloadSize: 4 * 1024 * 1024 },
      filter: { supported: true, maxResults: 500 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
  });

  it('returns ResourceTypes and Schemas as lists and one by one', async () => {
    const { call, url } = await openDesk();
    for (const list of ['ResourceTypes', 'Schemas']) {
      const { json } = await call('GET', `/${list}`);
      expect(json.Resources.length).toBe(json.totalResults);
      for (const one of json.Resources) {
        expect(one.meta.location).toBe(`${url}/${list}/${one.id}`);
        expect((await call('GET', `/${list}/${one.id}`)).json).toEqual(one);
      }
      expect((await call('GET', `/${list}/none`)).status).toBe(404);
      expect((await call('GET', `/${list}?filter=id pr`)).status).toBe(403);
    }
    const user = (await call('GET', `/Schemas/${USER}`)).json.attributes as { name: string; uniqueness: string }[];
    expect(user.find(({ name }) => name === 'userName')).toMatchObject({ uniqueness: 'server', required: true });
    // Schemas list a common attribute only if a client may set it.
    for (const schema of (await call('GET', '/Schemas')).json.Resources) {
      const names = (schema.attributes as { name: string }[]).map(({ name }) => name);
      const common = ['schemas', 'id', 'meta', 'externalId'].filter((name) => names.includes(name));
      expect([schema.id, common]).toEqual([schema.id, schema.id === ENTERPRISE ? [] : ['externalId']]);
    }
    expect(user[0]).toMatchObject({ name: 'externalId', caseExact: true, mutability: 'readWrite', type: 'string' });
  });
});

describe('invalid requests', () => {
  it.each([
    ['GET', '/Nothing', 404],
    ['GET', '', 404],
    ['GET', '/Users/1/2', 404],
    ['GET', '/Users/%E0%A4%A', 400],
    ['PUT', '/Users', 405],
    ['POST', '/Users/4711', 405],
    ['DELETE', '/Schemas', 405],
    ['GET', '/.search', 405],
    ['GET', '/Bulk', 405],
    ['POST', '/Bulk/1', 404],
    ['GET', '/Me', 501],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { call } = await openDesk();
    const answer = await call(method, path);
    expect([answer.status, answer.headers.has('allow')]).toEqual([status, status === 405]);
  });

  it('answers 415 for other types, 400 for invalid JSON and 413 for large bodies', async () => {
    const { call } = await openDesk();
    const post = (body: string, type: string) => call('POST', '/Users', body, { 'content-type': type });
    expect((await post('{"userName":"a"}', 'application/json; charset=utf-8')).status).toBe(201);
    expect((await post('userName=b', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post('{"userName":', 'application/scim+json')).json.scimType).toBe('invalidSyntax');
    expect((await post('[]', 'application/scim+json')).json.scimType).toBe('invalidSyntax');
    const long = JSON.stringify({ userName: 'c', title: 'x'.repeat(5 * 1024 * 1024) });
    expect((await post(long, 'application/scim+json')).status).toBe(413);
    expect((await call('DELETE', '/Users/none', undefined, { 'content-type': 'application/json' })).status).toBe(404);
  });
});
