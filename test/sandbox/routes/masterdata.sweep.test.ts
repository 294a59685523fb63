import { describe, expect, test } from 'vitest';
import { findUser, openSandbox, readPlaces, readTags } from '../open-sandbox.js';

const COUNTRIES = '/api/v1/countries';
const CATEGORIES = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAGS = '/api/v1/masterdata/custom_tags/custom_tag';

describe('countries and offices', () => {
  test('GET: countries with offices and their user counters, in the active language mode', async () => {
    const { send } = await openSandbox();
    const { body } = await send('GET', COUNTRIES);
    expect(body.map((country: { code: string }) => country.code)).toEqual(['no', 'se']);
    expect(body[1]).toMatchObject({ _id: expect.any(String), native_language_code: 'se' });
    const oslo = body[0].offices.find((office: { name: string }) => office.name === 'Oslo');
    expect(oslo).toMatchObject({ country_code: 'no', num_users: 2, num_users_activated: 1, num_users_deactivated: 1 });
    expect((await send('GET', `${COUNTRIES}?use_legacy_codes=false`)).body[1].native_language_code).toBe('sv');
  });

  test('offices have no wrapper; the name is required and unique within the country', async () => {
    const { send } = await openSandbox();
    const { oslo, stockholm } = await readPlaces(send);
    const path = `${COUNTRIES}/${oslo.country_id}/offices`;
    const made = await send('POST', path, { name: 'Tromsø' });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ name: 'Tromsø', country_id: oslo.country_id, num_users: 0 });
    expect((await send('POST', path, { office: { name: 'Bodø' } })).status).toBe(422);
    expect((await send('POST', path, { name: 'Oslo' })).status).toBe(422);
    expect((await send('POST', `${COUNTRIES}/${stockholm.country_id}/offices`, { name: 'Oslo' })).status).toBe(200);
    expect((await send('POST', `${COUNTRIES}/nowhere/offices`, { name: 'X' })).status).toBe(404);
    const renamed = await send('PUT', `${path}/${made.body._id}`, { override_language_code: 'int' });
    expect(renamed.body).toMatchObject({ name: 'Tromsø', override_language_code: 'int' });
    expect((await send('PUT', `${path}/${made.body._id}`, { name: 'Bergen' })).status).toBe(422);
  });

  test('DELETE office: 400 if it has users, even deactivated ones; otherwise 204', async () => {
    const { send } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const path = `${COUNTRIES}/${oslo.country_id}/offices`;
    await send('DELETE', `/api/v1/users/${(await findUser(send, 'E1')).id}`);
    expect((await send('DELETE', `${path}/${oslo.office_id}`)).status).toBe(400);
    await send('DELETE', `/api/v1/users/${(await findUser(send, 'E3')).id}`);
    expect((await send('DELETE', `${path}/${oslo.office_id}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/${oslo.office_id}`)).status).toBe(404);
  });

  test('countries: wrapper required, cv_template_type only with cv_template_id', async () => {
    const { send, as } = await openSandbox();
    const country = { code: 'dk', native_language_code: 'dk' };
    expect((await send('POST', COUNTRIES, country)).status).toBe(400);
    expect((await send('POST', COUNTRIES, { country }, as('no-key'))).status).toBe(403);
    expect((await send('POST', COUNTRIES, { country: { ...country, cv_template_type: 'word' } })).status).toBe(422);
    const made = await send('POST', COUNTRIES, { country });
    expect(made.body).toMatchObject({ code: 'dk', native_language_code: 'dk', offices: [] });
    const put = await send('PUT', `${COUNTRIES}/${made.body._id}?use_legacy_codes=false`, {
      country: { native_language_code: 'en' },
    });
    expect(put.body).toMatchObject({ code: 'dk', native_language_code: 'en' });
  });
});

describe('custom tag categories', () => {
  test('create: 200 with empty custom_tags; values required but may be empty; 400 without wrapper; 422 for a duplicate', async () => {
    const { send, as } = await openSandbox();
    const post = (body: object, key = 'admin-key') => send('POST', CATEGORIES, body, as(key));
    const made = await post({ masterdata: { values: {}, external_unique_id: 'x', allow_filtering: true } });
    expect([made.status, made.body.custom_tags, made.body.allow_filtering]).toEqual([200, [], true]);
    expect((await post({ values: {} })).status).toBe(400);
    expect((await post({ masterdata: { external_unique_id: 'y' } })).status).toBe(422);
    expect((await post({ masterdata: { values: {}, external_unique_id: 'unit' } })).status).toBe(422);
    expect((await post({ masterdata: { values: {} } }, 'no-key')).status).toBe(403);
    expect((await post({ masterdata: { values: {} } }, 'reader-key')).status).toBe(403);
  });

  test('update: ignores allow_filtering and lock_for_integrations, which count on create only', async () => {
    const { send } = await openSandbox();
    const { unit } = await readTags(send);
    const masterdata = {
      values: { int: 'U' },
      can_be_used_for_cvs: false,
      allow_filtering: true,
      lock_for_integrations: true,
    };
    const { body } = await send('PUT', `${CATEGORIES}/${unit}`, { masterdata });
    expect(body).toMatchObject({
      values: { int: 'U' },
      can_be_used_for_cvs: false,
      allow_filtering: false,
      lock_for_integrations: false,
    });
    expect(body.custom_tags).toHaveLength(2);
    expect((await send('PUT', `${CATEGORIES}/nope`, { masterdata })).status).toBe(404);
  });

  test('delete: 204 with its tags and associations; 500 for unknown, deleted or malformed', async () => {
    const { send, sandbox } = await openSandbox();
    const { unit, north } = await readTags(send);
    const { id } = await findUser(send, 'E1');
    await send('PUT', `/api/v1/users/${id}`, { user: { ensure_unique_custom_tag_ids_by_category: { [unit]: north } } });
    expect(sandbox.state().users[0]).toMatchObject({ tags: ['unit/north'] });
    expect((await send('DELETE', `${CATEGORIES}/${unit}`)).status).toBe(204);
    expect(sandbox.state().users[0]).toMatchObject({ tags: [] });
    expect((await send('GET', `${TAGS}?category_ids=${unit}`)).body).toEqual([]);
    expect((await send('DELETE', `${CATEGORIES}/${unit}`)).status).toBe(500);
    expect((await send('DELETE', `${CATEGORIES}/malformed`)).status).toBe(500);
  });
});

describe('custom tags', () => {
  test('create: 500 without wrapper; 400 for missing, empty, unknown or several category_ids; 422 for a duplicate', async () => {
    const { send } = await openSandbox();
    const { unit, hidden } = await readTags(send);
    const values = { int: 'West' };
    const post = (masterdata: object) => send('POST', TAGS, { masterdata });
    expect((await send('POST', TAGS, { values, category_ids: [unit] })).status).toBe(500);
    expect((await post({ values })).status).toBe(400);
    expect((await post({ values, category_ids: [] })).status).toBe(400);
    expect((await post({ values, category_ids: ['nope'] })).status).toBe(400);
    expect((await post({ values, category_ids: [unit, hidden] })).status).toBe(400);
    expect((await post({ values, category_ids: [unit], external_unique_id: 'north' })).status).toBe(422);
    const made = await post({ values, category_ids: [unit], external_unique_id: 'west' });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ values, custom_tag_category_id: unit, category_ids: [unit] });
  });

  test('list: empty without a category or with an unknown one; limit above 100 is 400; query by language', async () => {
    const { send } = await openSandbox();
    const { unit } = await readTags(send);
    await send('POST', TAGS, { masterdata: { values: { int: 'East', no: 'Øst' }, category_ids: [unit] } });
    const list = async (query: string): Promise<string[]> =>
      (await send('GET', `${TAGS}?${query}`)).body.map((tag: { values: { int: string } }) => tag.values.int);
    expect(await list('')).toEqual([]);
    expect(await list('category_ids=nope')).toEqual([]);
    expect(await list(`category_ids=${unit}`)).toEqual(['East', 'North', 'South']);
    expect(await list(`category_ids=${unit}&offset=1&limit=1`)).toEqual(['North']);
    expect(await list(`category_ids=${unit}&query=TH`)).toEqual(['North', 'South']);
    expect(await list(`category_ids=${unit}&query=${encodeURIComponent('øst')}`)).toEqual(['East']);
    expect(await list(`category_ids=${unit}&query=${encodeURIComponent('øst')}&language_code=int`)).toEqual([]);
    expect((await send('GET', `${TAGS}?category_ids=${unit}&limit=101`)).status).toBe(400);
  });

  test('delete: 400 for a missing or unknown category, 404 when already gone or in another category', async () => {
    const { send } = await openSandbox();
    const { unit, hidden, north } = await readTags(send);
    expect((await send('DELETE', `${TAGS}/${north}`)).status).toBe(400);
    expect((await send('DELETE', `${TAGS}/${north}?category_ids=nope`)).status).toBe(400);
    expect((await send('DELETE', `${TAGS}/${north}?category_ids=${hidden}`)).status).toBe(404);
    expect((await send('DELETE', `${TAGS}/${north}?category_ids=${unit}`)).status).toBe(204);
    expect((await send('DELETE', `${TAGS}/${north}?category_ids=${unit}`)).status).toBe(404);
  });

  test('bulk delete: 400 for empty tag_ids, an invalid category or a tag of another, and deletes nothing', async () => {
    const { send } = await openSandbox();
    const { unit, north, south, secret } = await readTags(send);
    const bulk = (category: string, query: string) => send('DELETE', `${CATEGORIES}/${category}/bulk_delete${query}`);
    expect((await bulk(unit, '')).status).toBe(400);
    expect((await bulk('nope', `?tag_ids[]=${north}`)).status).toBe(400);
    expect((await bulk(unit, `?tag_ids[]=${north}&tag_ids[]=${secret}`)).status).toBe(400);
    expect((await readTags(send)).north).toBe(north);
    expect((await bulk(unit, `?tag_ids[]=${north}&tag_ids%5B%5D=${south}`)).status).toBe(204);
    expect((await send('GET', `${TAGS}?category_ids=${unit}`)).body).toEqual([]);
  });

  test('update: partial, and custom_tag_category_id is required', async () => {
    const { send } = await openSandbox();
    const { unit, hidden, north } = await readTags(send);
    expect((await send('PUT', `${TAGS}/${north}`, { masterdata: { values: { int: 'N' } } })).status).toBe(400);
    const put = await send('PUT', `${TAGS}/${north}`, {
      masterdata: { values: { int: 'N' }, custom_tag_category_id: unit },
    });
    expect(put.body).toMatchObject({ values: { int: 'N' }, external_unique_id: 'north' });
    const moved = await send('PUT', `${TAGS}/${north}`, { masterdata: { custom_tag_category_id: hidden } });
    expect(moved.body.category_ids).toEqual([hidden]);
  });
});
