import { describe, expect, test } from 'vitest';
import { PAGES } from '../../../src/sandbox/pages/register-pages.js';
import { ROUTES } from '../../../src/sandbox/routes/table.js';
import { findUser, readPlaces, readTags } from '../open-sandbox.js';
import { EVIL, HOSTILE, listPages, openPages } from './open-pages.js';

describe('pages', () => {
  test('shows each without a key, inline scripts, or HTML from the data', async () => {
    const pages = await openPages();
    const all = await listPages(pages);
    for (const [name, path] of all) {
      const { status, headers, text } = await pages.load(path);
      expect([name, status]).toEqual([name, 200]);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*/);
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text).not.toMatch(/<img|onerror="|style="/);
    }
    const shown = await Promise.all(['/users', '/customers', '/proposals'].map((path) => pages.load(path)));
    for (const { text } of shown) expect(text).toContain('&lt;script&gt;document.title=&#39;evil&#39;');
  });

  test('tests every existing page here', async () => {
    const pages = await openPages();
    const all = (await listPages(pages)).map(([, path]) => path);
    for (const { path } of PAGES) {
      const form = new RegExp(`^${path.replace(/:[a-z_]+/g, '[^/]+')}$`);
      expect(all.some((one) => form.test(one))).toBe(true);
    }
  });

  test('uses no path of the service', () => {
    const first = (path: string): string => path.split('/')[1] ?? '';
    const taken = new Set(ROUTES.map(({ path }) => first(path)));
    for (const { path } of PAGES) expect(taken.has(first(path))).toBe(false);
  });

  test('logs no actions on pages, and exempts them from faults and the rate limit', async () => {
    const { sandbox, load, submit, send } = await openPages({
      fixture: { users: [], countries: [] },
      rate: { requests: 1, per_seconds: 60 },
    });
    sandbox.faults.add({ kind: 'status', path: '/' });
    for (const path of ['/', '/users', '/calls', '/pages/style.css', '/pages/script.js']) {
      expect((await load(path)).status).toBe(200);
    }
    expect((await submit('/proposals', 'add', { name: 'Bid' })).status).toBe(303);
    expect(sandbox.calls()).toEqual([]);
    expect(sandbox.faults.list()).toHaveLength(1);
    expect((await send('GET', '/api/v1/countries')).status).toBe(503);
    expect((await send('GET', '/api/v1/countries')).status).toBe(200);
  });

  test('reports an unknown path and a missing record', async () => {
    const { load } = await openPages();
    expect((await load('/nothing')).status).toBe(401);
    const { status, text } = await load(`/users/${'0'.repeat(24)}`);
    expect(status).toBe(404);
    expect(text).toContain('Page not found');
    expect((await load('/cvs/x/nothing/new')).status).toBe(404);
  });

  test("leads from the service's address of a proposal to its page", async () => {
    const { sandbox, send } = await openPages();
    const [proposal] = (await send('GET', '/api/v1/all_offers')).body;
    const answer = await fetch(`${sandbox.url}/redirect/to/proposal?id=${proposal.id}`, {
      headers: { authorization: 'Bearer admin-key' },
    });
    expect(answer.status).toBe(200);
    expect(answer.url).toBe(`${sandbox.url}/proposals/${proposal.id}`);
    await answer.text();
  });
});

describe('a user, changed by a colleague', () => {
  test('saves fields in all languages, office and roles, which the feed then shows', async () => {
    const { sandbox, send, submit } = await openPages();
    const { id } = await findUser(send, 'E1');
    const { bergen } = await readPlaces(send);
    sandbox.resetCalls();
    sandbox.setClock(Date.now() + 3_600_000);
    const since = new Date(Date.now() + 3_000_000).toISOString();
    const { status, location } = await submit(`/users/${id}`, 'save', {
      ...{ name: 'Anna Å. Åsen', 'title.en': 'Chief', 'title.no': 'Sjef', office_id: bergen.office_id },
      extra_roles: ['referencemanager', 'bidmanager'],
    });
    expect([status, location]).toEqual([303, `/users/${id}?done=save`]);
    expect(sandbox.calls()).toEqual([]);
    const feed = await send('GET', `/api/v1/users/changes?profile_updated_since=${since}&use_legacy_codes=false`);
    expect(feed.body).toMatchObject([
      {
        ...{ id, name: 'Anna Å. Åsen', title: { en: 'Chief', no: 'Sjef' }, email: 'anna@example.com' },
        roles: ['consultant', 'referencemanager', 'bidmanager'],
        office_name: 'Bergen',
      },
    ]);
  });

  test('changes nothing, not even a timestamp, if a form is sent unchanged', async () => {
    const pages = await openPages();
    const user = await findUser(pages.send, 'E2');
    expect((await pages.submit(`/users/${user.id}`, 'save')).location).toBe(`/users/${user.id}?done=same`);
    expect(await findUser(pages.send, 'E2')).toEqual(user);
    // The browser returns every value unchanged, even hostile text and line breaks.
    for (const [, path] of await listPages(pages)) {
      const { text } = await pages.load(path);
      if (!text.includes('name="do" value="save"')) continue;
      expect((await pages.submit(path, 'save')).location).toBe(`${path}?done=same`);
    }
  });

  test('returns the typed values if the service rejects them, and changes nothing', async () => {
    const { send, submit } = await openPages();
    const { id } = await findUser(send, 'E1');
    const { status, text } = await submit(`/users/${id}`, 'save', { email: 'anna@elsewhere.test', name: EVIL });
    expect(status).toBe(422);
    expect(text).toContain('Not done: Email domain is not whitelisted');
    expect(text).toContain('value="anna@elsewhere.test"');
    expect(text).not.toContain(EVIL);
    expect(await findUser(send, 'E1')).toMatchObject({ email: 'anna@example.com', name: 'Anna Åsen' });
  });

  test("does not overwrite the worker's change made meanwhile", async () => {
    const { send, fillIn, post, submit } = await openPages();
    const { id } = await findUser(send, 'E1');
    const form = await fillIn(`/users/${id}`, 'save', { name: 'Mine' });
    await send('PUT', `/api/v1/users/${id}`, { user: { telephone: '123' } });
    const { status, text } = await post(`/users/${id}`, form);
    expect(status).toBe(409);
    expect(text).toContain('value="Mine"');
    expect(await findUser(send, 'E1')).toMatchObject({ name: 'Anna Åsen', telephone: '123' });
    // A person who reloads the page sends current values.
    expect((await submit(`/users/${id}`, 'save', { name: 'Mine' })).status).toBe(303);
    expect(await findUser(send, 'E1')).toMatchObject({ name: 'Mine', telephone: '123' });
  });

  test("requires a departmentmanager's scope in the same request", async () => {
    const { send, submit } = await openPages();
    const { id } = await findUser(send, 'E1');
    const { oslo } = await readPlaces(send);
    expect((await submit(`/users/${id}`, 'save', { extra_roles: ['departmentmanager'] })).status).toBe(422);
    const scope = { role_allowed_office_ids: [oslo.office_id] };
    expect((await submit(`/users/${id}`, 'save', { extra_roles: ['departmentmanager'], ...scope })).status).toBe(303);
    const { north } = await readTags(send);
    expect((await submit(`/users/${id}`, 'save', { role_allowed_tag_ids: [north] })).status).toBe(303);
    expect((await send('GET', `/api/v1/users/${id}`)).body).toMatchObject({
      roles: ['consultant', 'departmentmanager'],
      role_allowed_office_ids: [oslo.office_id],
      role_allowed_tag_ids: [north],
    });
  });

  test('changes activation, with an e-mail if requested', async () => {
    const { send, submit, load } = await openPages();
    const { id } = await findUser(send, 'E3');
    await submit(`/users/${id}`, 'activate', { send_email: 'on' });
    expect((await findUser(send, 'E3')).deactivated).toBe(false);
    expect((await load('/mails')).text).toContain('<bdi>gone@example.com</bdi>');
    await submit('/mails', 'clear');
    expect((await load('/mails')).text).not.toContain('gone@example.com');
    await submit(`/users/${id}`, 'deactivate');
    expect((await findUser(send, 'E3')).deactivated).toBe(true);
  });

  test.each([true, false])('sets tags, with tags on CVs: %s', async (user_tags_on_cvs) => {
    const { sandbox, submit, send } = await openPages({
      fixture: { ...HOSTILE, account: { ...HOSTILE.account, user_tags_on_cvs } },
    });
    const { id } = await findUser(send, 'E1');
    const { north, south } = await readTags(send);
    for (const tag_id of [north, south]) await submit(`/users/${id}`, 'tag', { tag_id });
    expect((await submit(`/users/${id}`, 'untag', { tag_id: north })).status).toBe(303);
    const { users } = sandbox.state();
    expect(users).toContainEqual(expect.objectContaining({ external_unique_id: 'E1', tags: ['unit/south'] }));
  });

  test('creates and deletes a user', async () => {
    const { send, submit, load } = await openPages();
    const { oslo } = await readPlaces(send);
    const typed = { name: 'New', email: 'new@example.com', office_id: oslo.office_id, send_email: 'on' };
    const { location } = await submit('/users', 'add', typed);
    const user = (await send('GET', '/api/v1/users/find?email=new@example.com')).body;
    expect(location).toBe(`/users/${user.id}?done=add`);
    expect(user).toMatchObject({ name: 'New', office_name: 'Oslo', roles: ['consultant'] });
    expect((await load('/mails')).text).toContain('new@example.com');
    expect((await submit(`/users/${user.id}`, 'remove')).location).toBe('/users?done=remove');
    expect((await send('GET', `/api/v1/users/${user.id}`)).status).toBe(404);
  });
});

describe('the list of users', () => {
  const people = Array.from({ length: 120 }, (_, i) => ({
    ...{ email: `p${i}@example.com`, name: `Person ${String(i).padStart(3, '0')}`, country: 'no' },
    ...{ office: i % 2 ? 'Oslo' : 'Bergen', deactivated: i % 10 === 0 },
    roles: i % 40 === 1 ? ['consultant', 'bidmanager'] : ['consultant'],
  }));
  const fixture = {
    countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }, { name: 'Bergen' }] }],
    users: people,
  };
  const namesIn = (text: string) => [...text.matchAll(/<bdi>(Person \d+)<\/bdi>/g)].map(([, name]) => name);

  test('shows pages of 50, with its position', async () => {
    const { load } = await openPages({ fixture });
    const first = (await load('/users')).text;
    expect([namesIn(first).length, namesIn(first)[0]]).toEqual([50, 'Person 000']);
    expect(first).toContain('Users: 1 to 50 of 120');
    expect(first).toContain('rel="next" href="/users?from=50"');
    const last = (await load('/users?from=100')).text;
    expect([namesIn(last).length, namesIn(last).at(-1)]).toEqual([20, 'Person 119']);
    expect(last).not.toContain('rel="next"');
    expect((await load('/users?from=5000')).text).toContain('No users here.');
    expect((await load('/users?from=-1')).status).toBe(200);
  });

  test('searches by name, state, role and office together', async () => {
    const { load, send } = await openPages({ fixture });
    const { oslo, bergen } = await readPlaces(send);
    const find = async (query: string) => namesIn((await load(`/users?${query}`)).text);
    expect(await find('q=person+007')).toContain('Person 007');
    expect(await find('state=deactivated')).toHaveLength(12);
    expect(await find('state=active&role=bidmanager')).toEqual(['Person 001', 'Person 041', 'Person 081']);
    expect(await find(`role=bidmanager&office=${bergen.office_id}`)).toEqual([]);
    expect(await find(`q=person&state=deactivated&office=${oslo.office_id}`)).toEqual([]);
    expect(await find(`q=person&state=deactivated&office=${bergen.office_id}`)).toHaveLength(12);
    expect(await find('q=nobody')).toEqual([]);
    const page = (await load('/users?q=person&state=active')).text;
    expect(page).toContain('href="/users?q=person&amp;state=active&amp;from=50"');
    expect(page).toContain('<option value="active" selected>');
  });
});
