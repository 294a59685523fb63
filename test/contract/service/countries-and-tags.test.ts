import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findCustomer, findPlaces, findProject, findTags, findUser, openService } from './open-service.js';

const COUNTRIES = '/api/v1/countries';
const ISO = '?use_legacy_codes=false';
const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';

describe('Countries and offices', () => {
  test('GET: countries, each with its offices and their numbers of users', async () => {
    const { send } = await openService();
    const { status, body } = await send('GET', COUNTRIES + ISO);
    expect(status).toBe(200);
    expect(body.map(({ code }: { code: string }) => code)).toEqual(['no', 'se']);
    expect(body[1]).toMatchObject({ _id: expect.any(String), native_language_code: 'sv' });
    const oslo = body[0].offices.find(({ name }: { name: string }) => name === 'Oslo');
    expect(oslo).toMatchObject({
      _id: expect.any(String),
      country_id: body[0]._id,
      country_code: 'no',
      num_users: 2,
      num_users_activated: 1,
      num_users_deactivated: 1,
    });
    expect((await send('GET', COUNTRIES)).body[1].native_language_code).toBe('se');
  });

  test('POST and PUT country: accepts every field, and changes only sent ones on update', async () => {
    const { send } = await openService();
    const country = {
      code: 'dk',
      native_language_code: 'da',
      override_ui_language_code: 'en',
      cv_template_id: 't1',
      cv_template_type: 'word',
    };
    const made = await send('POST', COUNTRIES + ISO, { country });
    // Beyond the spec: fields that models of clients also require.
    const { _id: id } = made.body;
    const beyond = { id, selected: false, setting: { _id: id }, default_ppt_template_id: null };
    expect([made.status, made.body]).toEqual([
      200,
      { _id: expect.any(String), offices: [], ...country, ...beyond, default_word_template_id: 't1' },
    ]);
    const path = `${COUNTRIES}/${made.body._id}${ISO}`;
    const changed = await send('PUT', path, { country: { override_ui_language_code: 'no' } });
    expect(changed.body).toMatchObject({ ...country, override_ui_language_code: 'no' });
  });

  sweep(
    'errors: no wrapper 400, unknown 404, template type alone or unknown 422, duplicate code 422, roles 403',
    async () => {
      const { send } = await openService();
      const country = { code: 'dk', native_language_code: 'da' };
      expect((await send('POST', COUNTRIES + ISO, country)).status).toBe(400);
      expect((await send('PUT', `${COUNTRIES}/nope`, { country })).status).toBe(404);
      const post = async (more: object) =>
        (await send('POST', COUNTRIES + ISO, { country: { ...country, ...more } })).status;
      expect(await post({ cv_template_type: 'word' })).toBe(422);
      expect(await post({ cv_template_id: 'x', cv_template_type: 'excel' })).toBe(422);
      expect(await post({ code: 'no' })).toBe(422);
      expect((await send('POST', COUNTRIES, { country }, { key: 'norway' })).status).toBe(403);
    },
  );

  test('offices have no wrapper; the name is required and unique within the country', async () => {
    const service = await openService();
    const { oslo, stockholm } = await findPlaces(service);
    const offices = (country: string) => `${COUNTRIES}/${country}/offices`;
    const made = await service.send('POST', offices(oslo.country_id) + ISO, {
      name: 'Moss',
      override_language_code: 'en',
    });
    expect([made.status, made.body]).toMatchObject([
      200,
      { name: 'Moss', country_code: 'no', override_language_code: 'en' },
    ]);
    // A single code is accepted in either mode, and returned in the mode of the request.
    const legacy = await service.send('POST', offices(oslo.country_id), { name: 'Bodø', override_language_code: 'sv' });
    expect([legacy.status, legacy.body.override_language_code]).toEqual([200, 'se']);
    const unknown = { name: 'Vadsø', override_language_code: 'xx' };
    expect((await service.send('POST', offices(oslo.country_id), unknown)).status).toBe(422);
    expect((await service.send('POST', offices(oslo.country_id), { name: 'Oslo' })).status).toBe(422);
    expect((await service.send('POST', offices(oslo.country_id), {})).status).toBe(422);
    expect((await service.send('POST', offices(stockholm.country_id), { name: 'Oslo' })).status).toBe(200);
    const path = `${offices(oslo.country_id)}/${made.body._id}`;
    expect((await service.send('PUT', path, { name: 'Moss II' })).body).toMatchObject({ name: 'Moss II' });
    expect((await service.send('PUT', path, { name: 'Oslo' })).status).toBe(422);
    expect((await service.send('DELETE', path)).status).toBe(204);
    expect((await service.send('DELETE', path)).status).toBe(404);
  });

  test('DELETE office: 400 if it still has users, even deactivated ones', async () => {
    const service = await openService();
    const { bergen } = await findPlaces(service);
    const path = `${COUNTRIES}/${bergen.country_id}/offices/${bergen.office_id}`;
    expect((await service.send('DELETE', path)).status).toBe(400);
    const { id } = await findUser(service, 'E2');
    await service.send('PUT', `/api/v1/users/${id}`, { user: { deactivated: true } });
    expect((await service.send('DELETE', path)).status).toBe(400);
    await service.send('DELETE', `/api/v1/users/${id}`);
    expect((await service.send('DELETE', path)).status).toBe(204);
  });
});

describe('Custom tags, categories', () => {
  test('GET: returns a bare array of all categories with their tags; language_code sorts', async () => {
    const service = await openService();
    const { unit, north, south } = await findTags(service);
    const { body } = await service.send('GET', `${CATEGORY + ISO}&language_code=en`);
    expect(body.map(({ external_unique_id: id }: { external_unique_id: string }) => id)).toEqual(['hidden', 'unit']);
    expect(body[1]).toEqual({
      _id: unit,
      id: unit,
      values: { en: 'Unit', no: 'Enhet' },
      external_unique_id: 'unit',
      can_be_used_for_cvs: true,
      can_be_used_for_references: true,
      can_be_used_for_customers: true,
      allow_filtering: false,
      lock_for_integrations: false,
      custom_tags: [
        {
          _id: north,
          id: north,
          values: { en: 'North', no: 'Nord' },
          external_unique_id: 'north',
          custom_tag_category_id: unit,
          category_ids: [unit],
        },
        expect.objectContaining({ id: south }),
      ],
    });
    expect((await service.send('GET', CATEGORY)).body[1].values).toEqual({ int: 'Unit', no: 'Enhet' });
    const norwegian = (await service.send('GET', `${CATEGORY}?language_code=no`)).body;
    expect(norwegian.map(({ external_unique_id: id }: { external_unique_id: string }) => id)).toEqual([
      'unit',
      'hidden',
    ]);
  });

  sweep('GET: returns an empty array without categories', async () => {
    const { send } = await openService({
      fixture: { keys: [{ key: 'admin', name: 'A', role: 'internationalmanager' }] },
    });
    expect((await send('GET', CATEGORY)).body).toEqual([]);
  });

  test('POST: 200 with the category and no tags; accepts every flag, and empty values', async () => {
    const { send } = await openService();
    const masterdata = {
      values: { en: 'Area' },
      external_unique_id: 'area',
      can_be_used_for_cvs: false,
      can_be_used_for_references: false,
      can_be_used_for_customers: true,
      allow_filtering: true,
      lock_for_integrations: true,
    };
    const made = await send('POST', CATEGORY + ISO, { masterdata });
    expect([made.status, made.body]).toEqual([
      200,
      { _id: made.body.id, id: expect.any(String), custom_tags: [], ...masterdata },
    ]);
    expect((await send('POST', CATEGORY, { masterdata: { values: {} } })).status).toBe(200);
    expect((await send('POST', CATEGORY, { masterdata: {} })).status).toBe(422);
  });

  test('PUT: changes the five fields of the spec, but not allow_filtering and lock_for_integrations', async () => {
    const service = await openService();
    const { unit } = await findTags(service);
    const masterdata = {
      values: { en: 'Team' },
      external_unique_id: 'team',
      can_be_used_for_cvs: false,
      can_be_used_for_references: false,
      can_be_used_for_customers: false,
    };
    const more = { ...masterdata, allow_filtering: true, lock_for_integrations: true };
    const { status, body } = await service.send('PUT', `${CATEGORY}/${unit}${ISO}`, { masterdata: more });
    expect([status, body]).toMatchObject([
      200,
      { ...masterdata, allow_filtering: false, lock_for_integrations: false },
    ]);
    expect(body.values).toEqual({ en: 'Team' });
  });

  sweep(
    'List rules, errors: wrapper 400 on create, duplicate external id 422, category delete of unknown ids 500',
    async () => {
      const service = await openService();
      const { unit, hidden } = await findTags(service);
      expect((await service.send('POST', CATEGORY, { values: { int: 'X' } })).status).toBe(400);
      const twice = { masterdata: { values: { int: 'X' }, external_unique_id: 'unit' } };
      expect((await service.send('POST', CATEGORY, twice)).status).toBe(422);
      expect((await service.send('PUT', `${CATEGORY}/${hidden}`, twice)).status).toBe(422);
      expect((await service.send('PUT', `${CATEGORY}/${unit}`, twice)).status).toBe(200);
      expect((await service.send('PUT', `${CATEGORY}/nope`, twice)).status).toBe(404);
      for (const id of ['nope', '0123456789abcdef01234567']) {
        expect((await service.send('DELETE', `${CATEGORY}/${id}`)).status).toBe(500);
      }
      expect((await service.send('DELETE', `${CATEGORY}/${unit}`)).status).toBe(204);
      expect((await service.send('DELETE', `${CATEGORY}/${unit}`)).status).toBe(500);
    },
  );

  test('DELETE also deletes its tags and their associations', async () => {
    const service = await openService();
    const { unit, north } = await findTags(service);
    const [project, customer] = [await findProject(service, 'P1'), await findCustomer(service)];
    const body = { custom_tag_category_id: unit, custom_tag_id: north };
    for (const { path } of [project, customer]) await service.send('POST', `${path}/custom_tags`, body);
    await service.send('DELETE', `${CATEGORY}/${unit}`);
    expect((await service.send('GET', `${TAG}?category_ids=${unit}`)).body).toEqual([]);
    expect((await service.send('GET', project.path)).body.custom_tags).toEqual([]);
    expect((await findCustomer(service)).custom_tags).toEqual([]);
  });

  test('Authentication 4: requires internationalmanager to create and delete categories and tags', async () => {
    const service = await openService();
    const { unit, north } = await findTags(service);
    for (const key of ['norway', 'references', 'reader', 'plain']) {
      const masterdata = { values: { int: 'X' }, category_ids: [unit] };
      expect((await service.send('POST', CATEGORY, { masterdata }, { key })).status).toBe(403);
      expect((await service.send('POST', TAG, { masterdata }, { key })).status).toBe(403);
      expect((await service.send('DELETE', `${CATEGORY}/${unit}`, undefined, { key })).status).toBe(403);
      const tag = `${TAG}/${north}?category_ids=${unit}`;
      expect((await service.send('DELETE', tag, undefined, { key })).status).toBe(403);
      const bulk = `${CATEGORY}/${unit}/bulk_delete?tag_ids[]=${north}`;
      expect((await service.send('DELETE', bulk, undefined, { key })).status).toBe(403);
    }
  });
});

describe('Custom tags, tags', () => {
  test('GET: supports category_ids, query in every or in one language, offset and limit', async () => {
    const service = await openService();
    const { unit } = await findTags(service);
    const list = async (query: string) => {
      const { status, body } = await service.send('GET', `${TAG}?category_ids=${unit}&${query}`);
      expect(status).toBe(200);
      return body.map(({ external_unique_id: id }: { external_unique_id: string }) => id);
    };
    expect(await list('')).toEqual(['north', 'south']);
    expect(await list('query=nOR')).toEqual(['north']);
    // Without language_code every language is searched; with it, only that one.
    expect(await list('query=nord')).toEqual(['north']);
    expect(await list('query=nord&language_code=int')).toEqual([]);
    expect(await list('query=nord&language_code=no')).toEqual(['north']);
    expect(await list('limit=1')).toEqual(['north']);
    expect(await list('limit=1&offset=1')).toEqual(['south']);
    expect(await list('limit=1&offset=2')).toEqual([]);
  });

  sweep('List rules: no or an unknown category is an empty array; Limits: limit above 100 is 400', async () => {
    const service = await openService();
    const { unit } = await findTags(service);
    expect((await service.send('GET', TAG)).body).toEqual([]);
    expect((await service.send('GET', `${TAG}?category_ids=nope`)).body).toEqual([]);
    expect((await service.send('GET', `${TAG}?category_ids=${unit}&limit=100`)).status).toBe(200);
    expect((await service.send('GET', `${TAG}?category_ids=${unit}&limit=101`)).status).toBe(400);
  });

  test('POST and PUT: 200 with the tag; errors of the list rules', async () => {
    const service = await openService();
    const { unit, hidden, north } = await findTags(service);
    const post = (masterdata: object) => service.send('POST', TAG + ISO, { masterdata });
    const made = await post({ values: { en: 'East' }, external_unique_id: 'east', category_ids: [unit] });
    expect([made.status, made.body]).toEqual([
      200,
      {
        _id: made.body.id,
        id: expect.any(String),
        values: { en: 'East' },
        external_unique_id: 'east',
        custom_tag_category_id: unit,
        category_ids: [unit],
      },
    ]);
    expect((await service.send('POST', TAG, { values: { int: 'X' }, category_ids: [unit] })).status).toBe(500);
    for (const category_ids of [undefined, [], ['nope'], [unit, hidden]]) {
      expect((await post({ values: { en: 'X' }, category_ids })).status).toBe(400);
    }
    expect((await post({ values: { en: 'X' }, external_unique_id: 'north', category_ids: [unit] })).status).toBe(422);
    const put = (masterdata: object) => service.send('PUT', `${TAG}/${made.body.id}${ISO}`, { masterdata });
    const changed = await put({ values: { no: 'Øst' }, custom_tag_category_id: unit });
    expect(changed.body).toMatchObject({ external_unique_id: 'east', values: { no: 'Øst' } });
    expect(changed.body.values).toEqual({ no: 'Øst' });
    expect((await put({ external_unique_id: 'north', custom_tag_category_id: unit })).status).toBe(422);
    expect((await service.send('PUT', `${TAG}/nope`, { masterdata: { custom_tag_category_id: unit } })).status).toBe(
      404,
    );
    expect(north).not.toBe(made.body.id);
  });

  test('DELETE: category_ids required and known (400); already gone or in another category 404', async () => {
    const service = await openService();
    const { unit, hidden, north } = await findTags(service);
    const remove = async (query: string) => (await service.send('DELETE', `${TAG}/${north}${query}`)).status;
    expect(await remove('')).toBe(400);
    expect(await remove('?category_ids=nope')).toBe(400);
    expect(await remove(`?category_ids=${hidden}`)).toBe(404);
    expect(await remove(`?category_ids=${unit}`)).toBe(204);
    expect(await remove(`?category_ids=${unit}`)).toBe(404);
  });

  test('bulk delete: 204; empty tag_ids or an invalid category 400', async () => {
    const service = await openService();
    const { unit, hidden, north, south, secret } = await findTags(service);
    const remove = async (category: string, ...ids: string[]) => {
      const query = ids.map((id) => `tag_ids[]=${id}`).join('&');
      return (await service.send('DELETE', `${CATEGORY}/${category}/bulk_delete?${query}`)).status;
    };
    expect(await remove(unit)).toBe(400);
    expect(await remove('nope', north)).toBe(400);
    expect(await remove(unit, north, secret)).toBe(400);
    expect(await remove(unit, north, south)).toBe(204);
    expect((await service.send('GET', `${TAG}?category_ids=${unit}`)).body).toEqual([]);
    expect(await remove(hidden, secret)).toBe(204);
  });
});
