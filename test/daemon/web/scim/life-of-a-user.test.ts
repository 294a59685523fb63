import { describe, expect, it } from 'vitest';
import { ENTERPRISE, openDesk, USER } from './desk.js';

const JANE = {
  schemas: [USER, ENTERPRISE],
  userName: 'Jane@Example.com',
  externalId: 'e-1',
  name: { givenName: 'Jane', familyName: 'Doe' },
  emails: [{ type: 'work', value: 'jane@example.com', primary: 'True' }],
  active: 'True',
  password: 'hunter2-secret',
  favouriteColour: 'green',
  [ENTERPRISE]: { department: 'Sales', manager: 'm-1' },
};

describe('a user', () => {
  it('is created: 201, an absolute location, an entity tag, values as the schema has them', async () => {
    const { call, url } = await openDesk();
    const { status, headers, json } = await call('POST', '/Users', JANE);
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json/);
    expect(json).toEqual({
      schemas: [USER, ENTERPRISE],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userName: 'Jane@Example.com',
      externalId: 'e-1',
      name: { givenName: 'Jane', familyName: 'Doe' },
      emails: [{ type: 'work', value: 'jane@example.com', primary: true }],
      active: true,
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'm-1' } },
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^2026-01-01T12:/),
        lastModified: json.meta.created,
        location: `${url}/Users/${json.id}`,
        version: expect.stringMatching(/^W\/"1\.\w+"$/),
      },
    });
    expect(headers.get('location')).toBe(json.meta.location);
    expect(headers.get('etag')).toBe(json.meta.version);
    expect((await call('GET', `/Users/${json.id}`)).json).toEqual(json);
  });

  it('has what belongs to the extension wherever a client writes it', async () => {
    const { addUser, call } = await openDesk();
    const beside = { department: 'Sales', [`${ENTERPRISE.toUpperCase()}:costCenter`]: '7', manager: 'm-1' };
    const { id, ...jane } = await addUser('jane', { ...beside, [ENTERPRISE]: { division: 'North' } });
    const extension = { department: 'Sales', costCenter: '7', manager: { value: 'm-1' }, division: 'North' };
    expect(jane).toMatchObject({ schemas: [USER, ENTERPRISE], [ENTERPRISE]: extension });
    const sent = { schemas: [USER], userName: 'jane', [ENTERPRISE]: { division: 'North' }, ...beside };
    expect((await call('PUT', `/Users/${id}`, sent)).json).toEqual({ id, ...jane });
  });

  it.each<[string, object, object]>([
    ['externalId', { externalId: 'e-1' }, { externalId: 'e-1' }],
    [
      'employeeNumber',
      { [ENTERPRISE]: { employeeNumber: '7', division: 'N' } },
      { [ENTERPRISE]: { employeeNumber: '7' } },
    ],
    ['email', { emails: [{ type: 'work', value: 'j@x.test' }] }, { emails: [{ type: 'work', value: 'j@x.test' }] }],
  ])('keeps its key %s where a PUT leaves it out, and nothing else', async (key, had, keeps) => {
    const { addUser, call } = await openDesk({ key });
    const { id } = await addUser('jane', { title: 'Lead', ...had });
    const left = (await call('PUT', `/Users/${id}`, { schemas: [USER], userName: 'jane' })).json;
    expect(left).toMatchObject(keeps);
    expect(JSON.stringify(left)).not.toMatch(/Lead|division/);
    const other = {
      schemas: [USER],
      userName: 'jane',
      externalId: 'e-2',
      [ENTERPRISE]: { employeeNumber: '8' },
      emails: [{ value: 'k@x.test' }],
    };
    expect((await call('PUT', `/Users/${id}`, other)).json).toMatchObject({
      externalId: 'e-2',
      emails: [{ value: 'k@x.test' }],
    });
  });

  it('posted again after a lost answer, in another case too: 409 uniqueness', async () => {
    const { call, addUser } = await openDesk();
    await addUser('jane@example.com');
    const again = await call('POST', '/Users', { schemas: [USER], userName: 'JANE@example.com' });
    expect([again.status, again.json.scimType, again.json.status]).toEqual([409, 'uniqueness', '409']);
    expect((await call('GET', '/Users')).json.totalResults).toBe(1);
  });

  it('without a name, or sent to the wrong place: 400', async () => {
    const { call } = await openDesk();
    for (const body of [{ schemas: [USER] }, { schemas: [USER], userName: ' ' }, { schemas: [USER], userName: {} }]) {
      expect(await call('POST', '/Users', body)).toMatchObject({ status: 400, json: { scimType: 'invalidValue' } });
    }
    const lost = await call('POST', '/Groups', { schemas: [USER], userName: 'x', displayName: 'x' });
    expect([lost.status, lost.json.scimType]).toEqual([400, 'invalidValue']);
  });

  it('PUT replaces it, keeps its id, and reactivates nobody by silence', async () => {
    const { call, addUser } = await openDesk();
    const { id } = await addUser('jane', { title: 'Consultant', active: false, externalId: 'e1' });
    const put = await call('PUT', `/Users/${id}`, { schemas: [USER], id: 'other', userName: 'jane', nickName: 'J' });
    expect(put.status).toBe(200);
    expect(put.json).toMatchObject({
      id,
      userName: 'jane',
      nickName: 'J',
      active: false,
      meta: { version: expect.stringMatching(/^W\/"2\./) },
    });
    expect(put.json.title).toBeUndefined();
    expect(put.json.externalId).toBeUndefined();
    expect((await call('PUT', '/Users/nobody', { userName: 'x' })).status).toBe(404);
  });

  it('PATCH reactivates nobody by taking `active` away', async () => {
    const { addUser, patch } = await openDesk();
    const { id } = await addUser('jane', { active: false });
    for (const operation of [
      { op: 'remove', path: 'active' },
      { op: 'replace', path: 'active', value: null },
      { op: 'replace', value: { active: null } },
    ]) {
      expect(await patch(`/Users/${id}`, operation)).toMatchObject({ status: 200, json: { active: false } });
    }
  });

  it('cannot take the name of another', async () => {
    const { call, addUser, patch } = await openDesk();
    await addUser('anna');
    const { id } = await addUser('berit');
    expect((await call('PUT', `/Users/${id}`, { userName: 'ANNA' })).status).toBe(409);
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'Anna' })).status).toBe(409);
    expect((await call('PUT', `/Users/${id}`, { userName: 'BERIT' })).status).toBe(200);
  });

  it('is deleted: 204, then 404 for whatever is asked', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('jane');
    expect((await call('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await call('GET', `/Users/${id}`)).json).toMatchObject({ status: '404' });
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })).status).toBe(404);
    expect((await call('POST', '/Users', { userName: 'jane' })).status).toBe(201);
  });

  it('inactive, stays visible', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('jane');
    await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect((await call('GET', `/Users/${id}`)).json.active).toBe(false);
    expect((await call('GET', '/Users?filter=userName eq "jane"')).json.Resources[0]?.active).toBe(false);
  });
});

describe('entity tags', () => {
  it('If-Match: an old version is 412 and nothing happens; If-None-Match: the same version is 304', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id, meta } = await addUser('jane');
    const stale = { 'if-match': meta.version };
    const { version } = (await patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'Boss' })).json.meta;
    expect((await call('PUT', `/Users/${id}`, { userName: 'x' }, stale)).status).toBe(412);
    expect((await call('DELETE', `/Users/${id}`, undefined, stale)).status).toBe(412);
    const put = await call('PUT', `/Users/${id}`, { userName: 'jane' }, { 'if-match': `"7", ${version}` });
    expect(put.status).toBe(200);
    const known = { 'if-none-match': put.json.meta.version.replace('W/', '') };
    expect((await call('GET', `/Users/${id}`, undefined, known)).status).toBe(304);
    expect((await call('GET', `/Users/${id}`, undefined, { 'if-none-match': version })).status).toBe(200);
    expect((await call('DELETE', `/Users/${id}`, undefined, { 'if-match': '*' })).status).toBe(204);
  });

  it('what changes nothing keeps the version', async () => {
    const { addUser, patch } = await openDesk();
    const user = await addUser('jane', { active: true });
    const same = await patch(`/Users/${user.id}`, { op: 'replace', value: { active: true } });
    expect(same.json).toEqual(user);
  });
});

describe('with the key id, somebody who is deleted and pushed again', () => {
  it.each([
    ['of the same names is the same person', 'id', 'e1', true],
    ['of another externalId is another one', 'id', 'e2', false],
    ['without an externalId is another one', 'id', undefined, false],
    ['has a new id where that is not the key', 'externalId', 'e1', false],
  ])('%s', async (_, key, externalId, isSame) => {
    const { call, addUser, store } = await openDesk({ key });
    const first = await addUser('jane', { externalId: 'e1' });
    await call('DELETE', `/Users/${first.id}`);
    const second = await addUser('JANE', { externalId });
    expect(second.id === first.id).toBe(isSame);
    expect(second.meta.version).not.toBe(first.meta.version);
    expect(store.readGone('idp', 'id').length).toBe(key === 'id' && !isSame ? 1 : 0);
    expect((await addUser('bo', { externalId: 'e3' })).id).not.toBe(first.id);
  });
});

describe('passwords', () => {
  it('are neither stored, nor returned, nor searched, however they come', async () => {
    const { call, patch, store } = await openDesk();
    const { json } = await call('POST', '/Users', JANE);
    await call('PUT', `/Users/${json.id}`, { ...JANE, PASSWORD: 'hunter2-put' });
    await patch(`/Users/${json.id}`, { op: 'add', path: 'password', value: 'hunter2-path' });
    await patch(`/Users/${json.id}`, { op: 'add', value: { [`${USER}:password`]: 'hunter2-key', nickName: 'J' } });
    expect(JSON.stringify(store.after('idp', 'User', 0, 10))).not.toContain('hunter2');
    const answer = await call('GET', `/Users/${json.id}?attributes=password,nickName`);
    expect(answer.json).toEqual({ schemas: [USER, ENTERPRISE], id: json.id, nickName: 'J' });
    expect((await call('GET', '/Users?filter=password pr')).json.scimType).toBe('sensitive');
  });
});
