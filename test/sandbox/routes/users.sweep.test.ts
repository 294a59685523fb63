import { describe, expect, test } from 'vitest';
import { ACCOUNT, findUser, openSandbox, readPlaces, readTags } from '../open-sandbox.js';

const USERS = '/api/v1/users';

describe('users: create and update', () => {
  test('Create responses: 200, not 201, with the full user object', async () => {
    const { send } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const reply = await send('POST', `${USERS}?use_legacy_codes=false`, {
      user: {
        ...oslo,
        email: 'new@example.com',
        external_unique_id: 'N1',
        name: 'New',
        title: { en: 'Dev' },
        born_year: 1980,
        twitter: '@x',
        misspelt: 1,
      },
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      email: 'new@example.com',
      title: { en: 'Dev' },
      born_year: 1980,
      role: 'consultant',
      roles: ['consultant'],
      deactivated: false,
      deactivated_at: false,
      office_name: 'Oslo',
      country_code: 'no',
      language_code: 'no',
      twitter: null,
    });
    expect(reply.body.id).toBe(reply.body.user_id);
    expect(reply.body.default_cv_id).toMatch(/./);
    expect(reply.body.profile_updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(reply.body).not.toHaveProperty('misspelt');
  });

  test.each([
    ['user wrapper missing', 400, { email: 'a@example.com' }, {}],
    ['country_id not in the account', 404, undefined, { country_id: 'nowhere' }],
    ['office_id not in the account', 404, undefined, { office_id: 'nowhere' }],
    ['duplicate email in any case', 422, undefined, { email: 'ANNA@example.com' }],
    ['duplicate email of a deactivated user', 422, undefined, { email: 'gone@example.com' }],
    ['duplicate external_unique_id of a deactivated user', 422, undefined, { external_unique_id: 'E3' }],
    ['email domain not whitelisted', 422, undefined, { email: 'a@other.test' }],
    ['a subdomain is another domain', 422, undefined, { email: 'a@mail.example.com' }],
    ['a longer domain is another domain', 422, undefined, { email: 'a@example.com.evil.test' }],
    ['a domain with the same ending is another domain', 422, undefined, { email: 'a@notexample.com' }],
    ['UPN domain not whitelisted', 422, undefined, { upn: 'a@other.test' }],
    ['blank email', 422, undefined, { email: '' }],
    ['departmentmanager without its scope', 422, undefined, { extra_roles: ['departmentmanager'] }],
    ['unknown tag', 400, undefined, { ensure_unique_custom_tag_ids_by_category: { nope: 'nope' } }],
  ])('Create responses: %s is %i', async (_name, status, whole, part) => {
    const { send, sandbox } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const before = sandbox.state().users;
    const reply = await send('POST', USERS, whole ?? { user: { ...oslo, email: 'a@example.com', ...part } });
    expect(reply.status).toBe(status);
    expect(reply.body.error).toEqual(expect.any(String));
    expect(sandbox.state().users).toEqual(before);
  });

  test('Create responses: office_id must belong to the country', async () => {
    const { send } = await openSandbox();
    const { oslo, stockholm } = await readPlaces(send);
    const user = { country_id: oslo.country_id, office_id: stockholm.office_id, email: 'a@example.com' };
    expect((await send('POST', USERS, { user })).status).toBe(404);
  });

  test('Create responses: 415 when the Content-Type is not application/json, on update too', async () => {
    const { send } = await openSandbox();
    const anna = await findUser(send, 'E1');
    expect((await send('POST', USERS, '{"user":{}}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('PUT', `${USERS}/${anna.id}`, '{"user":{}}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });

  test('Create rules: exempts external users from the whitelist until they become normal users', async () => {
    const { send } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const made = await send('POST', USERS, { user: { ...oslo, email: 'x@other.test', role: 'external' } });
    expect(made.status).toBe(200);
    expect((await send('PUT', `${USERS}/${made.body.id}`, { user: { role: 'consultant' } })).status).toBe(422);
    expect((await send('PUT', `${USERS}/${made.body.id}`, { user: { name: 'X' } })).status).toBe(200);
  });

  test('Create rules: allows countrymanager in the own country only, and other roles never', async () => {
    const { send, as } = await openSandbox();
    const { oslo, stockholm } = await readPlaces(send);
    const create = (place: object, key: string) =>
      send('POST', USERS, { user: { ...place, email: 'a@example.com' } }, as(key));
    expect((await create(stockholm, 'no-key')).status).toBe(403);
    expect((await create(oslo, 'plain-key')).status).toBe(403);
    expect((await create(oslo, 'reader-key')).status).toBe(403);
    expect((await create(oslo, 'no-key')).status).toBe(200);
  });

  test('Update rules: changes only sent fields, and replaces a multilingual field completely', async () => {
    const { send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const path = `${USERS}/${id}?use_legacy_codes=false`;
    await send('PUT', path, { user: { title: { en: 'Dev', no: 'Utvikler' }, telephone: '1' } });
    const reply = await send('PUT', path, { user: { title: { sv: 'Utvecklare' } } });
    expect(reply.body).toMatchObject({ telephone: '1', name: 'Anna Åsen', external_unique_id: 'E1' });
    expect(reply.body.title).toEqual({ sv: 'Utvecklare' });
  });

  test('Conventions 4: legacy codes unless use_legacy_codes is exactly false; invalid keys dropped silently', async () => {
    const { send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const legacy = await send('PUT', `${USERS}/${id}?use_legacy_codes=False`, {
      user: { title: { int: 'Dev', se: 'Utvecklare', no: 'Utvikler', en: 'dropped', sv: 'dropped', xx: 'dropped' } },
    });
    expect(legacy.status).toBe(200);
    expect(legacy.body.title).toEqual({ int: 'Dev', se: 'Utvecklare', no: 'Utvikler' });
    const iso = await send('GET', `${USERS}/${id}?use_legacy_codes=false`);
    expect(iso.body.title).toEqual({ en: 'Dev', sv: 'Utvecklare', no: 'Utvikler' });
    const mixed = await send('PUT', `${USERS}/${id}?use_legacy_codes=false`, {
      user: { title: { int: 'dropped', se: 'dropped', dk: 'dropped', cn: 'dropped', zh: 'Z', en: 'E' } },
    });
    expect(mixed.body.title).toEqual({ zh: 'Z', en: 'E' });
  });

  test('Update rules: an office needs its country, and another country needs an administrator', async () => {
    const { send, as } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const { bergen, stockholm } = await readPlaces(send);
    const move = (place: object, key: string) => send('PUT', `${USERS}/${id}`, { user: place }, as(key));
    expect((await move({ office_id: bergen.office_id }, 'admin-key')).status).toBe(422);
    expect((await move(stockholm, 'no-key')).status).toBe(403);
    expect((await move(bergen, 'plain-key')).status).toBe(403);
    expect((await move(bergen, 'no-key')).body.office_name).toBe('Bergen');
    expect((await move(stockholm, 'admin-key')).body).toMatchObject({
      office_name: 'Stockholm',
      country_code: 'se',
      language_code: 'se',
    });
    // The user is no longer in Norway, so the Norwegian manager has no access.
    expect((await move({ name: 'X' }, 'no-key')).status).toBe(403);
  });

  test.each([
    ['wrapper missing', 400, { name: 'X' }],
    ['blank email', 422, { user: { email: ' ' } }],
    ['email already used', 422, { user: { email: 'bjorn@example.com' } }],
    ['external id already used', 422, { user: { external_unique_id: 'E2' } }],
    ['email domain not whitelisted', 422, { user: { email: 'anna@example.org' } }],
    ['UPN domain not whitelisted', 422, { user: { upn: 'anna@example.org' } }],
    ['unknown category', 400, { user: { ensure_unique_custom_tag_ids_by_category: { nope: 'nope' } } }],
  ])('Update rules: %s is %i', async (_name, status, body) => {
    const { send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    expect((await send('PUT', `${USERS}/${id}`, body)).status).toBe(status);
  });

  test('Update rules: a call that changes nothing changes no timestamp', async () => {
    const { send, sandbox } = await openSandbox();
    const before = await findUser(send, 'E1');
    sandbox.setClock(Date.parse('2035-01-01T00:00:00Z'));
    const same = await send('PUT', `${USERS}/${before.id}`, { user: { name: before.name, deactivated: false } });
    expect(same.body).toMatchObject(before);
    const changed = await send('PUT', `${USERS}/${before.id}`, { user: { deactivated: true } });
    expect(changed.body.updated_at).toMatch(/^2035/);
  });

  test('Update rules: answers 404 for an unknown user', async () => {
    const { send } = await openSandbox();
    expect((await send('PUT', `${USERS}/malformed`, { user: { name: 'X' } })).status).toBe(404);
    expect((await send('DELETE', `${USERS}/malformed`)).status).toBe(404);
    expect((await send('GET', `${USERS}/malformed`)).status).toBe(404);
  });

  test('Update rules: departmentmanager needs its scope', async () => {
    const { send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const { oslo } = await readPlaces(send);
    const extra_roles = ['departmentmanager'];
    expect((await send('PUT', `${USERS}/${id}`, { user: { extra_roles } })).status).toBe(422);
    const role_allowed_office_ids = [oslo.office_id];
    const reply = await send('PUT', `${USERS}/${id}`, { user: { extra_roles, role_allowed_office_ids } });
    expect(reply.body).toMatchObject({ role: 'consultant', roles: ['consultant', 'departmentmanager'] });
    expect(reply.body).toMatchObject({ role_allowed_office_ids, role_allowed_tag_ids: [] });
    expect((await send('GET', `${USERS}/${id}`)).body).toMatchObject({
      role_allowed_office_ids,
      role_allowed_tag_ids: [],
    });
    await send('PUT', `${USERS}/${id}`, { user: { extra_roles: [] } });
    expect((await send('GET', `${USERS}/${id}`)).body).toMatchObject({
      roles: ['consultant'],
      role_allowed_office_ids: [],
    });
  });

  test('User activation: deactivated_at is false or a time stamp; mail only with send_email true', async () => {
    const { send, sandbox } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const put = (user: object) => send('PUT', `${USERS}/${id}`, { user });
    expect((await put({ deactivated: true })).body.deactivated_at).toMatch(/^\d{4}-.*Z$/);
    expect((await put({ deactivated: false })).body).toMatchObject({ deactivated: false, deactivated_at: false });
    expect(sandbox.state().mails).toEqual([]);
    await put({ deactivated: true });
    await put({ deactivated: false, send_email: true });
    expect(sandbox.state().mails).toEqual([{ to: 'anna@example.com', reason: 'reactivated' }]);
  });

  test('ensure_unique_custom_tag_ids_by_category adds the tag and removes any other of the category', async () => {
    const { send, sandbox } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const tags = await readTags(send);
    const ensure = (asked: object) =>
      send('PUT', `${USERS}/${id}`, { user: { ensure_unique_custom_tag_ids_by_category: asked } });
    const shown = () => sandbox.state().users.find((user) => 'email' in user && user.email === 'anna@example.com');
    await ensure({ [tags.unit]: tags.north, [tags.hidden]: tags.secret });
    expect(shown()).toMatchObject({ tags: ['hidden/secret', 'unit/north'] });
    await ensure({ [tags.unit]: tags.south });
    expect(shown()).toMatchObject({ tags: ['hidden/secret', 'unit/south'] });
    expect((await ensure({ [tags.unit]: tags.secret })).status).toBe(400);
    expect((await ensure({ unit: 'south' })).status).toBe(400);
  });

  test('DELETE removes the user permanently: 204, then 404, and frees its unique values', async () => {
    const { send } = await openSandbox();
    const { id } = await findUser(send, 'E1');
    const { oslo } = await readPlaces(send);
    const gone = await send('DELETE', `${USERS}/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await send('GET', `${USERS}/${id}`)).status).toBe(404);
    const user = { ...oslo, email: 'anna@example.com', external_unique_id: 'E1' };
    expect((await send('POST', USERS, { user })).status).toBe(200);
  });
});

describe('users: find and search', () => {
  test('users/find: exact, several must all match, 400 for none, 404 for no match', async () => {
    const { send } = await openSandbox();
    const find = (query: string) => send('GET', `${USERS}/find${query}`);
    expect((await find('?email=bjorn@example.com&external_unique_id=E2&upn=bb@example.com')).body.name).toBe(
      'Bjørn Berg',
    );
    expect((await find('?upn=bb@example.com')).body.external_unique_id).toBe('E2');
    expect((await find('?email=bjorn@example.com&external_unique_id=E1')).status).toBe(404);
    expect((await find('?email=bjorn')).status).toBe(404);
    expect((await find('?external_unique_id=e2')).status).toBe(404);
    expect((await find('')).status).toBe(400);
    expect((await find('?email=&upn=')).status).toBe(400);
    expect((await find('?external_unique_id=E3')).body.deactivated).toBe(true);
  });

  test('users/search: active users by name in a plain array; deactivated=true includes the others', async () => {
    const { send } = await openSandbox();
    const names = async (query: string): Promise<string[]> =>
      (await send('GET', `/api/v2/users/search${query}`)).body.map((user: { name: string }) => user.name);
    expect(await names('')).toEqual(['Anna Åsen', 'Bjørn Berg', 'Ext Ern']);
    expect(await names('?deactivated=true')).toEqual(['Anna Åsen', 'Bjørn Berg', 'Ext Ern', 'Gone Girl']);
    expect(await names('?from=1&size=1')).toEqual(['Bjørn Berg']);
    expect(await names('?from=3&size=10')).toEqual([]);
    expect(await names('?role=referencemanager')).toEqual(['Bjørn Berg']);
    expect(await names('?role=external')).toEqual(['Ext Ern']);
    expect(await names('?name=E2')).toEqual(['Bjørn Berg']);
    expect(await names('?name=partner.test')).toEqual(['Ext Ern']);
    expect(await names('?name=Bjorn%20Berk')).toEqual(['Bjørn Berg']);
    expect(await names('?name=ext&sort_by=relevance')).toEqual(['Ext Ern']);
    expect(await names('?sort_by=role')).toEqual(['Anna Åsen', 'Bjørn Berg', 'Ext Ern']);
    expect((await send('GET', '/api/v2/users/search?sort_by=age')).status).toBe(400);
    expect(await names('?sort_by=country&deactivated=true')).toEqual([
      'Anna Åsen',
      'Bjørn Berg',
      'Gone Girl',
      'Ext Ern',
    ]);
  });

  test('users/search: office_ids[] repeats, with raw or encoded brackets', async () => {
    const { send } = await openSandbox();
    const { oslo, bergen } = await readPlaces(send);
    for (const brackets of ['[]', '%5B%5D']) {
      const query = `office_ids${brackets}=${oslo.office_id}&office_ids${brackets}=${bergen.office_id}`;
      const reply = await send('GET', `/api/v2/users/search?${query}`);
      expect(reply.body.map((user: { name: string }) => user.name)).toEqual(['Anna Åsen', 'Bjørn Berg']);
    }
  });

  test.each(['size=0', 'size=501', 'size=x', 'from=-1'])('Limits: users/search with %s is 400', async (query) => {
    const { send } = await openSandbox();
    expect((await send('GET', `/api/v2/users/search?${query}`)).status).toBe(400);
    expect((await send('GET', '/api/v2/users/search?size=500')).status).toBe(200);
  });
});

describe('users/changes', () => {
  const FEED = '/api/v1/users/changes';
  const stamped = (second: number, name: string) => ({
    email: `${name}@example.com`,
    external_unique_id: name,
    country: 'no',
    office: 'Oslo',
    profile_updated_at: `2026-01-01T00:00:0${second}Z`,
  });
  const feedFixture = {
    ...ACCOUNT,
    customers: [],
    users: [stamped(1, 'a'), stamped(1, 'b'), stamped(1, 'c'), stamped(2, 'd')],
  };
  const since = (second: number) => `profile_updated_since=2026-01-01T00:00:0${second}Z`;

  test('rule 1: includes the timestamp itself, and omits only the user named by after_id', async () => {
    const { send } = await openSandbox({ fixture: feedFixture });
    const all = (await send('GET', `${FEED}?${since(1)}`)).body;
    expect(all.map((user: { profile_updated_at: string }) => user.profile_updated_at)).toEqual([
      '2026-01-01T00:00:01Z',
      '2026-01-01T00:00:01Z',
      '2026-01-01T00:00:01Z',
      '2026-01-01T00:00:02Z',
    ]);
    const ids: string[] = all.map((user: { id: string }) => user.id);
    expect(ids.slice(0, 3)).toEqual(ids.slice(0, 3).sort());
    // A keyset would omit everyone up to that user; the service omits only that user.
    const next = (await send('GET', `${FEED}?${since(1)}&after_id=${ids[2]}`)).body;
    expect(next.map((user: { id: string }) => user.id)).toEqual([ids[0], ids[1], ids[3]]);
    expect((await send('GET', `${FEED}?${since(2)}`)).body).toHaveLength(1);
    expect((await send('GET', `${FEED}?${since(1)}&limit=2`)).body).toHaveLength(2);
  });

  test('rule 2: returns the timestamp in its own form, and needs it percent-encoded with +00:00', async () => {
    const fixture = { ...feedFixture, account: { ...ACCOUNT.account, stamp_suffix: '+00:00' as const } };
    const { send } = await openSandbox({ fixture });
    const [first] = (await send('GET', `${FEED}?${since(1)}`)).body;
    expect(first.profile_updated_at).toBe('2026-01-01T00:00:01+00:00');
    const encoded = encodeURIComponent(first.profile_updated_at);
    expect((await send('GET', `${FEED}?profile_updated_since=${encoded}`)).body).toHaveLength(4);
    expect((await send('GET', `${FEED}?profile_updated_since=${first.profile_updated_at}`)).status).toBe(400);
  });

  test('rule 3: offset is 400, created_since is ignored; a valid timestamp is required', async () => {
    const { send } = await openSandbox({ fixture: feedFixture });
    expect((await send('GET', `${FEED}?${since(1)}&offset=0`)).status).toBe(400);
    expect((await send('GET', `${FEED}?${since(1)}&created_since=2030-01-01T00:00:00Z`)).body).toHaveLength(4);
    expect((await send('GET', FEED)).status).toBe(400);
    expect((await send('GET', `${FEED}?profile_updated_since=yesterday`)).status).toBe(400);
    expect((await send('GET', `${FEED}?${since(1)}&limit=0`)).status).toBe(400);
  });

  test('rule 4: answers administrators, also read-only ones; any other role is 403', async () => {
    const { send, as } = await openSandbox({ fixture: { ...feedFixture } });
    const status = async (key: string) => (await send('GET', `${FEED}?${since(1)}`, undefined, as(key))).status;
    expect(await status('admin-key')).toBe(200);
    expect(await status('reader-key')).toBe(200);
    expect(await status('no-key')).toBe(403);
    expect(await status('plain-key')).toBe(403);
  });

  test('User: profile_updated_at changes only with the listed fields', async () => {
    const { send, sandbox } = await openSandbox({ fixture: ACCOUNT, clock: '2026-01-01T00:00:00Z' });
    const { id, profile_updated_at: created } = await findUser(send, 'E1');
    const tags = await readTags(send);
    const { oslo, bergen } = await readPlaces(send);
    const put = async (user: object) => (await send('PUT', `${USERS}/${id}`, { user })).body.profile_updated_at;
    sandbox.setClock(Date.parse('2026-02-01T10:00:00.900Z'));
    for (const still of [
      { deactivated: true },
      { deactivated: false },
      { extra_roles: ['bidmanager'] },
      { extra_roles: ['departmentmanager'], role_allowed_office_ids: [oslo.office_id] },
      { name: 'Anna Åsen', email: 'anna@example.com', external_unique_id: 'E1', ...oslo },
      { place_of_residence: 'Oslo', name_multilang: { int: 'Anna' }, override_language_code: 'int' },
    ]) {
      expect([still, await put(still)]).toEqual([still, created]);
    }
    let minute = 1;
    for (const moving of [
      { name: 'Anna' },
      { title: { int: 'Dev' } },
      { nationality: { int: 'Norwegian' } },
      { born_year: 1990 },
      { email: 'anna.asen@example.com' },
      { external_unique_id: 'E1b' },
      { upn: 'anna@example.com' },
      { telephone: '1' },
      { landline: '2' },
      bergen,
      { ensure_unique_custom_tag_ids_by_category: { [tags.unit]: tags.north } },
    ]) {
      const instant = Date.parse('2026-03-01T00:00:00.900Z') + minute * 60_000;
      sandbox.setClock(instant);
      const stamp = `2026-03-01T00:${String(minute).padStart(2, '0')}:0`;
      expect([moving, await put(moving)]).toEqual([moving, expect.stringContaining(stamp)]);
      minute += 1;
    }
  });

  test('includes deactivated users in the feed', async () => {
    const { send } = await openSandbox();
    const { body } = await send('GET', `${FEED}?profile_updated_since=2000-01-01T00:00:00Z`);
    expect(body.filter((user: { deactivated: boolean }) => user.deactivated)).toHaveLength(1);
    expect(body).toHaveLength(4);
  });
});
