import { describe, expect, it } from 'vitest';
import { parseStamp } from '../../../src/sandbox/answers/stamps.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { ACCOUNT, findUser, openSandbox, readPlaces, readTags, type Send } from '../open-sandbox.js';

const stands = { now: () => Date.parse('2026-05-04T10:00:00.500Z'), sleep: async () => undefined };

/** Uses the current language codes: `int` here is `en` there. */
const modern =
  (send: Send): Send =>
  (method, path, ...rest) =>
    send(method, `${path}${path.includes('?') ? '&' : '?'}use_legacy_codes=false`, ...rest);

async function readCv(send: Send, user: { id: string; default_cv_id: string }) {
  return (await send('GET', `/api/v3/cvs/${user.id}/${user.default_cv_id}`)).body;
}

describe('updated_at of a CV', () => {
  it('changes with every edit, even if the clock stands still', async () => {
    const opened = await openSandbox({ fixture: ACCOUNT, clock: stands });
    const send = modern(opened.send);
    const user = await findUser(send, 'E1');
    const { unit, north } = await readTags(send);
    const { bergen } = await readPlaces(send);
    const cv = `/api/v3/cvs/${user.id}/${user.default_cv_id}`;
    const one = `/api/v1/users/${user.id}`;
    const experience = { project_experience: { customer: { en: 'Fjord' } } };
    const made = await send('POST', `${cv}/project_experiences`, experience);
    const section = `${cv}/project_experiences/${made.body._id}`;
    const role = (await send('POST', `${section}/roles`, { role: { name: { en: 'Lead' } } })).body;
    const changes: readonly [string, () => Promise<{ status: number }>][] = [
      ['a section', () => send('PUT', section, { project_experience: { customer: { en: 'F' }, version: 2 } })],
      ['a role', () => send('PUT', `${section}/roles/${role._id}`, { role: { name: { en: 'Head' } } })],
      ['the CV itself', () => send('PUT', cv, { cv: { title: { en: 'Engineer' } } })],
      ['a tag', () => send('POST', `${cv}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north })],
      ['a field of the user', () => send('PUT', one, { user: { telephone: '1' } })],
      ['another field in the same second', () => send('PUT', one, { user: { telephone: '2' } })],
      ['the office', () => send('PUT', one, { user: bergen })],
      ['a tag of the user', () => send('DELETE', `${cv}/custom_tags/${north}`)],
      ['a removed role', () => send('DELETE', `${section}/roles/${role._id}`)],
      ['a removed section', () => send('DELETE', section)],
    ];
    let before = (await readCv(send, user)).updated_at;
    for (const [what, make] of changes) {
      expect((await make()).status, what).toBeLessThan(300);
      const after = (await readCv(send, user)).updated_at;
      expect(Date.parse(after), what).toBeGreaterThan(Date.parse(before));
      before = after;
    }
    await send('PUT', one, { user: { telephone: '2', role: 'consultant' } });
    expect((await readCv(send, user)).updated_at).toBe(before);
  });

  it('changes when one of its tags is deleted', async () => {
    const opened = await openSandbox({ fixture: ACCOUNT, clock: stands });
    const send = modern(opened.send);
    const user = await findUser(send, 'E1');
    const { unit, north } = await readTags(send);
    const cv = `/api/v3/cvs/${user.id}/${user.default_cv_id}`;
    await send('POST', `${cv}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north });
    const before = (await readCv(send, user)).updated_at;
    await send('DELETE', `/api/v1/masterdata/custom_tags/custom_tag/${north}?category_ids[]=${unit}`);
    const after = await readCv(send, user);
    expect(after.custom_tag_ids).toEqual([]);
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before));
  });
});

describe('cv_roles', () => {
  it('follow renamed, shared and deleted roles', async () => {
    const send = modern((await openSandbox()).send);
    const user = await findUser(send, 'E1');
    const cv = `/api/v3/cvs/${user.id}/${user.default_cv_id}`;
    const post = async () =>
      (await send('POST', `${cv}/project_experiences`, { project_experience: { customer: { en: 'F' } } })).body._id;
    const [first, second] = [await post(), await post()];
    const roles = (section: string) => `${cv}/project_experiences/${section}/roles`;
    const name = (en: string) => ({ role: { name: { en } } });
    const a = (await send('POST', roles(first), name('Lead'))).body;
    const b = (await send('POST', roles(second), name('Lead'))).body;
    const names = async () => (await readCv(send, user)).cv_roles.map((role: { name: { en: string } }) => role.name.en);
    expect(a.cv_role_id).toBe(b.cv_role_id);
    expect(await names()).toEqual(['Lead']);
    await send('PUT', `${roles(first)}/${a._id}`, name('Head'));
    expect(await names()).toEqual(['Lead', 'Head']);
    await send('PUT', `${roles(second)}/${b._id}`, name('Chief'));
    expect(await names()).toEqual(['Chief', 'Head']);
    await send('DELETE', `${roles(second)}/${b._id}`);
    expect(await names()).toEqual(['Head']);
    await send('DELETE', `${cv}/project_experiences/${first}`);
    expect(await names()).toEqual([]);
  });
});

describe('the scope of a departmentmanager', () => {
  it('loses deleted offices, tags and categories, without moving the feed', async () => {
    const { send } = await openSandbox({ fixture: ACCOUNT, clock: '2026-05-04T10:00:00Z' });
    const user = await findUser(send, 'E1');
    const { unit, north, hidden, secret } = await readTags(send);
    const places = (await send('GET', '/api/v1/countries')).body;
    const country = places.find((place: { code: string }) => place.code === 'no')._id;
    const office = (await send('POST', `/api/v1/countries/${country}/offices`, { name: 'Molde' })).body;
    const scope = { role_allowed_office_ids: [office._id], role_allowed_tag_ids: [north, secret] };
    const made = await send('PUT', `/api/v1/users/${user.id}`, { user: { role: 'departmentmanager', ...scope } });
    expect(made.body).toMatchObject(scope);
    const read = async () => (await send('GET', `/api/v1/users/${user.id}`)).body;
    await send('DELETE', `/api/v1/masterdata/custom_tags/custom_tag/${north}?category_ids[]=${unit}`);
    expect(await read()).toMatchObject({ role_allowed_tag_ids: [secret], role_allowed_office_ids: [office._id] });
    await send('DELETE', `/api/v1/masterdata/custom_tags/custom_tag_category/${hidden}`);
    expect(await read()).toMatchObject({ role_allowed_tag_ids: [] });
    expect((await send('DELETE', `/api/v1/countries/${country}/offices/${office._id}`)).status).toBe(204);
    expect(await read()).toMatchObject({
      role_allowed_office_ids: [],
      roles: ['consultant', 'departmentmanager'],
      profile_updated_at: user.profile_updated_at,
    });
  });
});

describe('profile_updated_since', () => {
  const second = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['2026-01-01', second],
    ['20260101', second],
    ['2026-01-01T00:00:00Z', second],
    ['20260101T000000Z', second],
    ['20260101T000000+0000', second],
    ['2026-01-01T02:00:00+02:00', second],
    ['20260101T020000+0200', second],
    ['20251231T2200-02', second],
    ['2026-01-01T00:00:00.285Z', second + 285],
    ['20260101T000000,5Z', second + 500],
    ['2025-12-31T24:00:00Z', second],
    ['2026-W01-4', second],
    ['2026W014T000000Z', second],
    ['2026-001', second],
    ['2026001', second],
    ['2028-02-29', Date.parse('2028-02-29')],
    ['2024-366', Date.parse('2024-12-31')],
    ['2020-W53-5', Date.parse('2021-01-01')],
  ])('accepts %s', (text, ms) => {
    expect(parseStamp(text)).toBe(ms);
  });

  it.each([
    '2026-02-30',
    '20260230T000000Z',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-366',
    '2026-000',
    '2026-W54-1',
    '2026-W00-1',
    '2026-W01-8',
    '2026-01-01T25:00:00Z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T00:00:00 00:00',
    '2026-01-01T00:00:00+24:00',
    'yesterday',
    '',
    '1767225600',
    '2026-1-1',
  ])('rejects %j', async (text) => {
    expect(parseStamp(text)).toBeUndefined();
  });

  it('answers 400 for 30 February, and the same for both forms of a time', async () => {
    const { send } = await openSandbox();
    const since = (text: string) =>
      send('GET', `/api/v1/users/changes?profile_updated_since=${encodeURIComponent(text)}`);
    expect((await since('2026-02-30T00:00:00Z')).status).toBe(400);
    expect((await since('20260230T000000Z')).status).toBe(400);
    expect((await since('20200101T000000+0000')).body).toEqual((await since('2020-01-01T00:00:00Z')).body);
  });
});

describe('industries of a fixture', () => {
  it('may have their own ids, each once', async () => {
    const industries = [{ id: '64b000000000000000000001', values: { en: 'Energy' }, external_unique_id: 'energy' }];
    const { sandbox, send } = await openSandbox({ fixture: { ...ACCOUNT, industries } });
    const body = { company_customer: { customer_name: { en: 'X' }, industry_id: industries[0]?.id } };
    expect((await send('POST', '/api/v2/company/cv/customers', body)).status).toBe(200);
    expect(JSON.stringify(sandbox.state())).toContain('Energy');
    const twice = { ...ACCOUNT, industries: [...industries, ...industries] };
    await expect(createSandbox({ fixture: twice })).rejects.toMatchObject({ code: 'SYNC_CONFIG_INVALID' });
  });
});

describe('a countrymanager', () => {
  it('manages nobody above the own role', async () => {
    const { send, as } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const key = as('no-key');
    const person = { ...oslo, email: 'boss@example.com', name: 'Boss' };
    const post = (user: object, headers = {}) => send('POST', '/api/v1/users', { user }, headers);
    expect((await post({ ...person, role: 'internationalmanager' }, key)).status).toBe(403);
    const boss = (await post({ ...person, role: 'internationalmanager' })).body;
    const put = (id: string, user: object) => send('PUT', `/api/v1/users/${id}`, { user }, key);
    expect((await put(boss.id, { role: 'consultant' })).status).toBe(403);
    expect((await put(boss.id, { deactivated: true })).status).toBe(403);
    expect((await send('DELETE', `/api/v1/users/${boss.id}`, undefined, key)).status).toBe(403);
    const anna = await findUser(send, 'E1');
    expect((await put(anna.id, { role: 'internationalmanager' })).status).toBe(403);
    expect((await put(anna.id, { role: 'countrymanager' })).status).toBe(200);
    expect((await put(anna.id, { deactivated: true })).status).toBe(200);
    expect((await send('DELETE', `/api/v1/users/${anna.id}`, undefined, key)).status).toBe(204);
    expect((await send('GET', `/api/v1/users/${boss.id}`)).body).toMatchObject({ role: 'internationalmanager' });
  });
});

describe('the access token of a collaborator', () => {
  it("is not an administrator's key", async () => {
    const { send, as } = await openSandbox();
    const made = (await send('POST', '/api/v2/offers', { offer: { name: 'Bid' } }, as('ref-key'))).body;
    const offers = `/api/v2/offers/${made._id}`;
    const admins = (await send('POST', '/api/v2/offers', { offer: { name: 'Mine' } })).body;
    const readers = (await send('POST', '/api/v2/offers', { offer: { name: 'Plain' } }, as('plain-key'))).body;
    for (const id of [admins.api_owner_id, readers.api_owner_id]) {
      const body = { collaborator: { type: 'api_user', id } };
      expect((await send('POST', `${offers}/collaborators`, body, as('ref-key'))).status).toBe(200);
    }
    const { api_users } = (await send('GET', `${offers}/collaborators`, undefined, as('ref-key'))).body;
    const tokens = api_users.map((user: { access_token: string }) => user.access_token);
    expect(tokens).toHaveLength(2);
    expect(tokens).not.toContain('admin-key');
    expect(tokens).toContain('plain-key');
    for (const token of tokens.filter((token: string) => token !== 'plain-key')) {
      expect((await send('GET', '/api/v1/countries', undefined, as(token))).status).toBe(401);
    }
  });
});
