import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findPlaces, findTags, findUser, openService, type Service } from './open-service.js';

const SEARCH = '/api/v2/users/search';
const USERS = '/api/v1/users';
const ISO = '?use_legacy_codes=false';

const names = async ({ send }: Service, path: string): Promise<string[]> => {
  const reply = await send('GET', path);
  expect([path, reply.status]).toEqual([path, 200]);
  return reply.body.map(({ name }: { name: string }) => name);
};

/** Beyond the spec: fields that models of clients also require. */
const USER_BEYOND = {
  company_id: expect.stringMatching(/^[0-9a-f]{24}$/),
  company_name: 'acme',
  company_subdomains: ['acme'],
  company_group_ids: [],
  language_codes: ['en', 'no', 'sv'],
  masterdata_languages: ['en', 'no', 'sv'],
  international_toggle: 'expand',
  preferred_download_format: 'pdf',
  expand_proposals_toggle: false,
  selected_office_ids: [],
  selected_tag_ids: [],
  include_officeless_reference_projects: false,
  default_cv_template_id: expect.stringMatching(/^[0-9a-f]{24}$/),
};

describe('Users, GET users/search', () => {
  sweep('returns a plain array of user objects, without deactivated ones, by name', async () => {
    const service = await openService();
    expect(await names(service, SEARCH)).toEqual(['Anna Åsen', 'Bjørn Berg', 'Ext Ern', 'Sven Svensson']);
    expect(await names(service, `${SEARCH}?deactivated=true`)).toContain('Gone Girl');
  });

  test('User: the fields of the spec', async () => {
    const service = await openService();
    const { oslo } = await findPlaces(service);
    const { body } = await service.send('GET', `${SEARCH}${ISO}&name=anna`);
    expect(body).toHaveLength(1);
    const [anna] = body;
    expect(anna).toEqual({
      ...USER_BEYOND,
      _id: anna.id,
      user_id: anna.id,
      id: expect.any(String),
      email: 'anna@example.com',
      external_unique_id: 'E1',
      upn: 'anna@example.com',
      name: 'Anna Åsen',
      name_multilang: {},
      telephone: null,
      landline: null,
      title: { en: 'Engineer', no: 'Ingeniør' },
      nationality: {},
      born_year: null,
      place_of_residence: null,
      twitter: null,
      override_language_code: null,
      default_cv_id: expect.any(String),
      deactivated: false,
      deactivated_at: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      // Full seconds.
      profile_updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      role: 'consultant',
      roles: ['consultant'],
      role_allowed_office_ids: [],
      role_allowed_tag_ids: [],
      office_id: oslo.office_id,
      office_name: 'Oslo',
      country_id: oslo.country_id,
      country_code: 'no',
      language_code: 'no',
      image: {
        url: null,
        thumb: { url: null },
        fit_thumb: { url: null },
        large: { url: null },
        small_thumb: { url: null },
      },
    });
  });

  sweep('paging: continues from by size until there are fewer than size results', async () => {
    const service = await openService();
    const pages: string[][] = [];
    for (let from = 0; from < 6; from += 3) pages.push(await names(service, `${SEARCH}?size=3&from=${from}`));
    expect(pages.map((page) => page.length)).toEqual([3, 1]);
    expect(new Set(pages.flat()).size).toBe(4);
  });

  sweep.each([
    ['size=0', 400],
    ['size=501', 400],
    ['size=x', 400],
    ['from=-1', 400],
    ['sort_by=shoe', 400],
    ['size=1', 200],
    ['size=500', 200],
    ['sort_by=name', 200],
    ['sort_by=relevance', 200],
    ['sort_by=country', 200],
    ['sort_by=role', 200],
  ])('Limits, size 1 to 500, and sort_by: %s is %i', async (query, status) => {
    const { send } = await openService();
    expect((await send('GET', `${SEARCH}?${query}`)).status).toBe(status);
  });

  sweep('name matches name, email or external_unique_id, and similar spellings', async () => {
    const service = await openService();
    const find = (text: string) => names(service, `${SEARCH}?name=${encodeURIComponent(text)}`);
    expect(await find('berg')).toEqual(['Bjørn Berg']);
    expect(await find('sven@example')).toEqual(['Sven Svensson']);
    expect(await find('E5')).toEqual(['Sven Svensson']);
    expect(await find('Svenson')).toEqual(['Sven Svensson']);
    expect(await find('zzzzz')).toEqual([]);
  });

  sweep('accepts role, and repeated office_ids[], raw or encoded', async () => {
    const service = await openService();
    const { oslo, bergen } = await findPlaces(service);
    expect(await names(service, `${SEARCH}?role=referencemanager`)).toEqual(['Bjørn Berg']);
    expect(await names(service, `${SEARCH}?role=external`)).toEqual(['Ext Ern']);
    const raw = `office_ids[]=${oslo.office_id}&office_ids[]=${bergen.office_id}`;
    const encoded = `office_ids%5B%5D=${oslo.office_id}&office_ids%5B%5D=${bergen.office_id}`;
    for (const query of [raw, encoded]) {
      expect(await names(service, `${SEARCH}?${query}`)).toEqual(['Anna Åsen', 'Bjørn Berg']);
    }
  });
});

describe('Users, GET users/<user_id> and users/find', () => {
  test('GET adds the scope; 404 for unknown and malformed ids', async () => {
    const service = await openService();
    const { id } = await findUser(service, 'E1');
    const { body } = await service.send('GET', `${USERS}/${id}`);
    expect(body).toMatchObject({ id, role_allowed_office_ids: [], role_allowed_tag_ids: [] });
    for (const stray of ['0123456789abcdef01234567', 'nope', '%20']) {
      expect((await service.send('GET', `${USERS}/${stray}`)).status).toBe(404);
    }
  });

  test('find: matches exactly, requires all of several, and includes deactivated users', async () => {
    const { send } = await openService();
    const find = async (query: string) => {
      const { status, body } = await send('GET', `${USERS}/find?${query}`);
      return [status, body.name];
    };
    expect(await find('email=anna@example.com')).toEqual([200, 'Anna Åsen']);
    expect(await find('external_unique_id=E3')).toEqual([200, 'Gone Girl']);
    expect(await find('upn=anna%40example.com')).toEqual([200, 'Anna Åsen']);
    expect(await find('email=anna@example.com&external_unique_id=E1')).toEqual([200, 'Anna Åsen']);
    expect((await find('email=anna@example.com&external_unique_id=E2'))[0]).toBe(404);
    expect((await find('email=anna@example'))[0]).toBe(404);
    expect((await find('external_unique_id=e1'))[0]).toBe(404);
  });

  sweep('find: 400 if none is given or all are empty', async () => {
    const { send } = await openService();
    expect((await send('GET', `${USERS}/find`)).status).toBe(400);
    expect((await send('GET', `${USERS}/find?email=&external_unique_id=&upn=`)).status).toBe(400);
  });
});

describe('Users, GET users/changes', () => {
  const CHANGES = `${USERS}/changes`;

  async function openFeed() {
    const service = await openService();
    await service.control('POST', 'clock', { now: '2031-01-01T00:00:00Z' });
    for (const external of ['E2', 'E5', 'E3']) {
      const { id } = await findUser(service, external);
      const reply = await service.send('PUT', `${USERS}/${id}`, { user: { landline: external } });
      expect(reply.status).toBe(200);
      await service.control('POST', 'clock', { advance_ms: 5000 });
    }
    const all = (await service.send('GET', `${CHANGES}?profile_updated_since=2031-01-01T00:00:00Z`)).body;
    return { service, all };
  }

  test('orders users by profile_updated_at then id, including deactivated ones', async () => {
    const { all } = await openFeed();
    expect(all.map(({ external_unique_id: id }: { external_unique_id: string }) => id)).toEqual(['E2', 'E5', 'E3']);
    expect(all[2].deactivated).toBe(true);
  });

  test('rule 1: includes exactly profile_updated_since, and omits the user of after_id', async () => {
    const { service, all } = await openFeed();
    const since = encodeURIComponent(all[1].profile_updated_at);
    const at = (await service.send('GET', `${CHANGES}?profile_updated_since=${since}`)).body;
    expect(at.map(({ id }: { id: string }) => id)).toEqual([all[1].id, all[2].id]);
    const after = await service.send('GET', `${CHANGES}?profile_updated_since=${since}&after_id=${all[1].id}`);
    expect(after.body.map(({ id }: { id: string }) => id)).toEqual([all[2].id]);
  });

  test('rule 2: timestamp and id of the last user lead through the complete feed', async () => {
    const { service, all } = await openFeed();
    const seen: string[] = [];
    let query = 'profile_updated_since=2031-01-01T00:00:00Z';
    for (let page = 0; page < 9; page += 1) {
      const { body } = await service.send('GET', `${CHANGES}?${query}&limit=1`);
      seen.push(...body.map(({ id }: { id: string }) => id));
      if (body.length < 1) break;
      query = `profile_updated_since=${encodeURIComponent(body[0].profile_updated_at)}&after_id=${body[0].id}`;
    }
    expect(seen).toEqual(all.map(({ id }: { id: string }) => id));
  });

  sweep('rule 3: offset is 400, created_since is ignored', async () => {
    const { service } = await openFeed();
    const since = 'profile_updated_since=2031-01-01T00:00:00Z';
    expect((await service.send('GET', `${CHANGES}?${since}&offset=0`)).status).toBe(400);
    const ignored = await service.send('GET', `${CHANGES}?${since}&created_since=2099-01-01T00:00:00Z`);
    expect([ignored.status, ignored.body.length]).toEqual([200, 3]);
  });

  test.each([
    ['admin', 200],
    ['reader', 200],
    ['norway', 403],
    ['references', 403],
    ['plain', 403],
  ])('rule 4: role of %s: %i', async (key, status) => {
    const { send } = await openService();
    const path = `${CHANGES}?profile_updated_since=2020-01-01T00:00:00Z`;
    expect((await send('GET', path, undefined, { key })).status).toBe(status);
  });

  sweep('Errors 400: profile_updated_since missing or not a time; Limits: limit a positive integer', async () => {
    const { send } = await openService();
    const get = async (query: string) => (await send('GET', `${CHANGES}?${query}`)).status;
    expect(await get('')).toBe(400);
    expect(await get('profile_updated_since=yesterday')).toBe(400);
    const since = 'profile_updated_since=2020-01-01T00:00:00Z';
    for (const limit of ['0', '-1', 'x', '1.5']) expect(await get(`${since}&limit=${limit}`)).toBe(400);
    expect(await get(`${since}&limit=1`)).toBe(200);
  });

  sweep('User: profile_updated_at changes with some fields only', async () => {
    const service = await openService();
    const { bergen } = await findPlaces(service);
    const { unit, north } = await findTags(service);
    const { id } = await findUser(service, 'E1');
    const moves = async (user: object) => {
      await service.control('POST', 'clock', { advance_ms: 5000 });
      const before = (await service.send('GET', `${USERS}/${id}`)).body.profile_updated_at;
      const { status, body } = await service.send('PUT', `${USERS}/${id}${ISO}`, { user });
      expect(status).toBe(200);
      return body.profile_updated_at !== before;
    };
    for (const user of [
      { name: 'N' },
      { title: { en: 'T' } },
      { born_year: 1980 },
      { email: 'anna2@example.com' },
      { external_unique_id: 'E1b' },
      { upn: 'anna2@example.com' },
      { telephone: '1' },
      { landline: '2' },
      { nationality: { en: 'Norwegian' } },
      bergen,
      { ensure_unique_custom_tag_ids_by_category: { [unit]: north } },
    ]) {
      expect([user, await moves(user)]).toEqual([user, true]);
    }
    for (const user of [
      { extra_roles: ['referencemanager'] },
      { role: 'limited_access' },
      { deactivated: true },
      { deactivated: false },
      { name: 'N' },
    ]) {
      expect([user, await moves(user)]).toEqual([user, false]);
    }
  });
});

describe('Users, POST users', () => {
  async function openCreate() {
    const service = await openService();
    const places = await findPlaces(service);
    const create = (user: object, key = 'admin') => service.send('POST', USERS + ISO, { user }, { key });
    return { service, ...places, create };
  }

  test('200 and the full user object; accepts every field of the body', async () => {
    const { service, oslo, create } = await openCreate();
    const { unit, north } = await findTags(service);
    const fields = {
      upn: 'new@example.com',
      external_unique_id: 'N1',
      name: 'New',
      telephone: '1',
      landline: '2',
      born_year: 1990,
      title: { en: 'T', sv: 'S' },
      nationality: { en: 'Swede' },
    };
    const { status, body } = await create({
      ...oslo,
      ...fields,
      email: 'new@example.com',
      role: 'consultant',
      extra_roles: ['departmentmanager', 'referencemanager'],
      ensure_unique_custom_tag_ids_by_category: { [unit]: north },
      role_allowed_office_ids: [oslo.office_id],
      role_allowed_tag_ids: [north],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...fields,
      ...oslo,
      email: 'new@example.com',
      role: 'consultant',
      roles: ['consultant', 'departmentmanager', 'referencemanager'],
      deactivated: false,
    });
    const read = (await service.send('GET', `${USERS}/${body.id}`)).body;
    expect(read).toMatchObject({ role_allowed_office_ids: [oslo.office_id], role_allowed_tag_ids: [north] });
  });

  sweep('Conventions 2: ignores place_of_residence and name_multilang in this body', async () => {
    const { oslo, create } = await openCreate();
    const { body } = await create({
      ...oslo,
      email: 'a@example.com',
      place_of_residence: 'Oslo',
      name_multilang: { en: 'X' },
      shoe_size: 43,
    });
    expect(body).toMatchObject({ place_of_residence: null, name_multilang: {} });
    expect(body).not.toHaveProperty('shoe_size');
  });

  sweep('send_email: sends an e-mail only if it is true (Events)', async () => {
    const { service, oslo, create } = await openCreate();
    await create({ ...oslo, email: 'a@example.com' });
    await create({ ...oslo, email: 'b@example.com', send_email: false });
    await create({ ...oslo, email: 'c@example.com', send_email: true });
    const { mails } = (await service.control('GET', 'mails')).body;
    expect(mails).toMatchObject([{ to: 'c@example.com', reason: 'created' }]);
  });

  sweep.each([
    ['admin', 200, 200],
    ['norway', 200, 403],
    ['references', 403, 403],
    ['plain', 403, 403],
    ['reader', 403, 403],
    ['off', 403, 403],
  ])('Authentication 4: %s creates in Norway %i, in Sweden %i', async (key, inNorway, inSweden) => {
    const { oslo, stockholm, create } = await openCreate();
    expect((await create({ ...oslo, email: 'a@example.com' }, key)).status).toBe(inNorway);
    expect((await create({ ...stockholm, email: 'b@example.com' }, key)).status).toBe(inSweden);
  });

  sweep('400 wrapper missing; 404 country or office not in the account, or not in one another', async () => {
    const { service, oslo, stockholm, create } = await openCreate();
    expect((await service.send('POST', USERS, { ...oslo, email: 'a@example.com' })).status).toBe(400);
    const email = 'a@example.com';
    expect((await create({ ...oslo, email, country_id: 'nope' })).status).toBe(404);
    expect((await create({ ...oslo, email, office_id: 'nope' })).status).toBe(404);
    expect((await create({ ...oslo, email, office_id: stockholm.office_id })).status).toBe(404);
  });

  sweep.each(['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.api+json'])(
    'Errors 415: Content-Type %s on create and update',
    async (type) => {
      const { service, oslo } = await openCreate();
      const { id } = await findUser(service, 'E1');
      const raw = { text: JSON.stringify({ user: { ...oslo, email: 'a@example.com' } }), type };
      expect((await service.send('POST', USERS, undefined, { raw })).status).toBe(415);
      expect((await service.send('PUT', `${USERS}/${id}`, undefined, { raw })).status).toBe(415);
    },
  );

  sweep.each([
    ['a duplicate email', { email: 'anna@example.com' }],
    ['the email of a deactivated user', { email: 'gone@example.com' }],
    ['a duplicate external_unique_id', { external_unique_id: 'E1' }],
    ['the external_unique_id of a deactivated user', { external_unique_id: 'E3' }],
    ['an email whose domain is not whitelisted', { email: 'a@evil.test' }],
    ['a domain with the same ending only', { email: 'a@notexample.com' }],
    ['a domain with the same beginning only', { email: 'a@example.com.evil.test' }],
    ['a UPN whose domain is not whitelisted', { upn: 'a@evil.test' }],
    ['a blank email', { email: '' }],
    ['a departmentmanager without scope', { extra_roles: ['departmentmanager'] }],
    ['an unknown role', { role: 'boss' }],
  ])('422: %s, and creates nobody', async (_name, fields) => {
    const { service, oslo, create } = await openCreate();
    const before = (await service.send('GET', `${SEARCH}?deactivated=true`)).body.length;
    expect((await create({ ...oslo, email: 'new@example.com', ...fields })).status).toBe(422);
    expect((await service.send('GET', `${SEARCH}?deactivated=true`)).body.length).toBe(before);
  });

  sweep('User: needs no whitelisted domain for the role external', async () => {
    const { oslo, create } = await openCreate();
    expect((await create({ ...oslo, email: 'a@evil.test', role: 'external' })).status).toBe(200);
  });
});

describe('Users, PUT and DELETE users/<user_id>', () => {
  async function openUpdate() {
    const service = await openService();
    const places = await findPlaces(service);
    const anna = await findUser(service, 'E1');
    const update = (user: object, key = 'admin') => service.send('PUT', `${USERS}/${anna.id}${ISO}`, { user }, { key });
    return { service, ...places, anna, update };
  }

  test('changes only sent fields; 200 and the full user', async () => {
    const { anna, update } = await openUpdate();
    const { status, body } = await update({ telephone: '99' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ telephone: '99', name: 'Anna Åsen', title: { en: 'Engineer', no: 'Ingeniør' } });
    expect(body.id).toBe(anna.id);
  });

  sweep('Conventions 4: replaces a text completely, and silently drops invalid keys', async () => {
    const { update } = await openUpdate();
    expect((await update({ title: { no: 'Sjef', int: 'dropped', se: 'dropped' } })).body.title).toEqual({ no: 'Sjef' });
  });

  sweep('requires the country_id of the new office to change office_id', async () => {
    const { bergen, stockholm, update } = await openUpdate();
    expect((await update({ office_id: bergen.office_id })).status).toBe(422);
    expect((await update({ ...stockholm, country_id: bergen.country_id })).status).toBe(404);
    expect((await update(bergen)).body).toMatchObject({ ...bergen, office_name: 'Bergen' });
    expect((await update(stockholm)).body).toMatchObject({ ...stockholm, country_code: 'se' });
  });

  test('requires internationalmanager to change the country, and countrymanager within a country', async () => {
    const { bergen, stockholm, update } = await openUpdate();
    expect((await update(stockholm, 'norway')).status).toBe(403);
    expect((await update(bergen, 'norway')).status).toBe(200);
    expect((await update(bergen, 'references')).status).toBe(403);
    expect((await update(stockholm)).status).toBe(200);
    expect((await update({ name: 'X' }, 'norway')).status).toBe(403);
  });

  sweep('400: wrapper missing, unknown tag category, unknown tag; 404: no such user', async () => {
    const { service, anna, update } = await openUpdate();
    const { unit, north } = await findTags(service);
    const ensure = async (map: object) =>
      (await update({ ensure_unique_custom_tag_ids_by_category: map, name: 'Never' })).status;
    expect((await service.send('PUT', `${USERS}/${anna.id}`, { name: 'X' })).status).toBe(400);
    expect(await ensure({ nope: north })).toBe(400);
    expect(await ensure({ [unit]: 'nope' })).toBe(400);
    expect((await service.send('PUT', `${USERS}/nope`, { user: { name: 'X' } })).status).toBe(404);
    expect((await findUser(service, 'E1')).name).toBe('Anna Åsen');
  });

  test.each([
    ['a blank email', { email: '' }],
    ['an email already used', { email: 'bjorn@example.com' }],
    ['an email that is not whitelisted', { email: 'a@evil.test' }],
    ['a UPN that is not whitelisted', { upn: 'a@evil.test' }],
    ['an external_unique_id already used', { external_unique_id: 'E2' }],
    ['a departmentmanager without scope', { extra_roles: ['departmentmanager'] }],
  ])('422: %s', async (_name, user) => {
    const { update } = await openUpdate();
    expect((await update(user)).status).toBe(422);
  });

  sweep('ensure_unique_custom_tag_ids_by_category removes any other tag of the category', async () => {
    const { service, anna, update } = await openUpdate();
    const { unit, hidden, north, south, secret } = await findTags(service);
    await update({ ensure_unique_custom_tag_ids_by_category: { [unit]: north, [hidden]: secret } });
    await update({ ensure_unique_custom_tag_ids_by_category: { [unit]: south } });
    const { custom_tag_ids: ids } = (await service.send('GET', anna.cv)).body;
    expect([...ids].sort()).toEqual([secret, south].sort());
  });

  test('User activation: deactivated → deactivated_at; reactivated, with a welcome email if requested', async () => {
    const { service, update } = await openUpdate();
    const { profile_updated_at: stamp } = await findUser(service, 'E1');
    await service.control('POST', 'clock', { advance_ms: 5000 });
    const off = (await update({ deactivated: true })).body;
    expect(off).toMatchObject({ deactivated: true, deactivated_at: expect.stringMatching(/^\d{4}-/) });
    expect(off.profile_updated_at).toBe(stamp);
    const on = (await update({ deactivated: false, send_email: true })).body;
    expect(on).toMatchObject({ deactivated: false, deactivated_at: false, profile_updated_at: stamp });
    await update({ deactivated: true });
    await update({ deactivated: false });
    const { mails } = (await service.control('GET', 'mails')).body;
    expect(mails).toMatchObject([{ to: 'anna@example.com', reason: 'reactivated' }]);
  });

  test('DELETE removes the user and the CV permanently', async () => {
    const { service, anna } = await openUpdate();
    expect((await service.send('DELETE', `${USERS}/${anna.id}`, undefined, { key: 'plain' })).status).toBe(403);
    expect((await service.send('DELETE', `${USERS}/${anna.id}`)).status).toBe(204);
    expect((await service.send('GET', `${USERS}/${anna.id}`)).status).toBe(404);
    expect((await service.send('GET', anna.cv)).status).toBe(404);
    expect((await service.send('DELETE', `${USERS}/${anna.id}`)).status).toBe(404);
  });
});

describe('beyond the spec: GET users', () => {
  test('returns a plain array with offset and limit, at most 1,400', async () => {
    const service = await openService();
    expect(await names(service, USERS)).toHaveLength(5);
    expect(await names(service, `${USERS}?offset=3&limit=2`)).toEqual(['Gone Girl', 'Sven Svensson']);
    expect((await service.send('GET', `${USERS}?limit=1401`)).status).toBe(400);
  });
});
