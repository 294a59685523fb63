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
  it('is created with 201, an absolute location, an entity tag, and values by the schema', async () => {
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

  it('accepts attributes of the extension in any spelling and place', async () => {
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
  ])('keeps its key %s, but nothing else, if a PUT omits it', async (key, had, keeps) => {
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

  it('is rejected with 409 if posted again, even in another case', async () => {
    const { call, addUser } = await openDesk();
    await addUser('jane@example.com');
    const again = await call('POST', '/Users', { schemas: [USER], userName: 'JANE@example.com' });
    expect([again.status, again.json.scimType, again.json.status]).toEqual([409, 'uniqueness', '409']);
    expect((await call('GET', '/Users')).json.totalResults).toBe(1);
  });

  it('is rejected with 400 without a name or at the wrong address', async () => {
    const { call } = await openDesk();
    for (const body of [{ schemas: [USER] }, { schemas: [USER], userName: ' ' }, { schemas: [USER], userName: {} }]) {
      expect(await call('POST', '/Users', body)).toMatchObject({ status: 400, json: { scimType: 'invalidValue' } });
    }
    const lost = await call('POST', '/Groups', { schemas: [USER], userName: 'x', displayName: 'x' });
    expect([lost.status, lost.json.scimType]).toEqual([400, 'invalidValue']);
  });

  it('is replaced by PUT with the same id, and not reactivated if active is missing', async () => {
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

  it('is not reactivated by a PATCH that removes `active`', async () => {
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

  it('cannot get the name of another', async () => {
    const { call, addUser, patch } = await openDesk();
    await addUser('anna');
    const { id } = await addUser('berit');
    expect((await call('PUT', `/Users/${id}`, { userName: 'ANNA' })).status).toBe(409);
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'Anna' })).status).toBe(409);
    expect((await call('PUT', `/Users/${id}`, { userName: 'BERIT' })).status).toBe(200);
  });

  it('is deleted with 204; later requests get 404', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('jane');
    expect((await call('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await call('GET', `/Users/${id}`)).json).toMatchObject({ status: '404' });
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })).status).toBe(404);
    expect((await call('POST', '/Users', { userName: 'jane' })).status).toBe(201);
  });

  it('stays visible while inactive', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('jane');
    await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect((await call('GET', `/Users/${id}`)).json.active).toBe(false);
    expect((await call('GET', '/Users?filter=userName eq "jane"')).json.Resources[0]?.active).toBe(false);
  });
});

describe('entity tags', () => {
  it('reject an old version with 412, and answer a known one with 304', async () => {
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

  it('keep the version if nothing changes', async () => {
    const { addUser, patch } = await openDesk();
    const user = await addUser('jane', { active: true });
    const same = await patch(`/Users/${user.id}`, { op: 'replace', value: { active: true } });
    expect(same.json).toEqual(user);
  });
});

describe('with the key id, a user who is deleted and pushed again', () => {
  it.each([
    ['with the same names is the same person', 'id', 'e1', true],
    ['with another externalId is another person', 'id', 'e2', false],
    ['without an externalId is another person', 'id', undefined, false],
    ['has a new id if id is not the key', 'externalId', 'e1', false],
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
  it('are never stored, returned or searched, however they arrive', async () => {
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
