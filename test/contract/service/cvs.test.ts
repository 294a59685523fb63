import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../../depth.js';
import { findPlaces, findTags, findUser, openService } from './open-service.js';

const ISO = '?use_legacy_codes=false';
const SECTION_ARRAYS = [
  'certifications',
  'courses',
  'cv_roles',
  'educations',
  'highlighted_roles',
  'key_qualifications',
  'languages',
  'project_experiences',
  'technologies',
  'work_experiences',
  'presentations',
  'recommendations',
  'positions',
  'blogs',
  'honors_awards',
  'mentorings',
];

describe('CVs and sections, GET cvs/<user_id>/<cv_id>', () => {
  test('returns the full CV with the fields of the spec', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { status, body } = await service.send('GET', anna.cv + ISO);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      _id: anna.default_cv_id,
      user_id: anna.user_id,
      born_year: null,
      external_unique_id: 'E1',
      email: 'anna@example.com',
      name: 'Anna Åsen',
      name_multilang: {},
      title: { en: 'Engineer', no: 'Ingeniør' },
      nationality: {},
      place_of_residence: {},
      version: expect.any(Number),
      default: true,
      custom_tag_ids: [],
      custom_tags: [],
      owner_updated_at: null,
      owner_updated_at_significant: null,
    });
    for (const stamp of ['created_at', 'updated_at']) expect(body[stamp]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    for (const section of SECTION_ARRAYS) expect([section, body[section]]).toEqual([section, expect.any(Array)]);
    expect(body.educations).toMatchObject([{ school: { en: 'NTNU' }, year_from: '2001' }]);
  });

  sweep('gives a new user a CV with empty section arrays', async () => {
    const service = await openService();
    const { oslo } = await findPlaces(service);
    const user = { ...oslo, email: 'new@example.com', name: 'New' };
    const made = await service.send('POST', '/api/v1/users', { user });
    const { body } = await service.send('GET', `/api/v3/cvs/${made.body.id}/${made.body.default_cv_id}`);
    expect(body).toMatchObject({ name: 'New', default: true, version: 1 });
    for (const section of SECTION_ARRAYS) expect([section, body[section]]).toEqual([section, []]);
  });

  sweep('Errors 404: an unknown CV, and the CV of another user', async () => {
    const service = await openService();
    const [anna, bjorn] = [await findUser(service, 'E1'), await findUser(service, 'E2')];
    expect((await service.send('GET', `/api/v3/cvs/${anna.id}/nope`)).status).toBe(404);
    expect((await service.send('GET', `/api/v3/cvs/${anna.id}/${bjorn.default_cv_id}`)).status).toBe(404);
    expect((await service.send('GET', `/api/v3/cvs/nope/${anna.default_cv_id}`)).status).toBe(404);
  });

  sweep('Conventions 4: legacy codes unless use_legacy_codes is exactly false', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    for (const query of ['', '?use_legacy_codes=False', '?use_legacy_codes=0']) {
      expect((await service.send('GET', cv + query)).body.title).toEqual({ int: 'Engineer', no: 'Ingeniør' });
    }
    expect((await service.send('GET', cv + ISO)).body.title).toEqual({ en: 'Engineer', no: 'Ingeniør' });
  });
});

describe('Authentication 3, on CVs', () => {
  test("lets consultants read others' CVs, and external and limited_access users only their own", async () => {
    const service = await openService();
    const [anna, bjorn, ext] = [
      await findUser(service, 'E1'),
      await findUser(service, 'E2'),
      await findUser(service, 'E4'),
    ];
    const read = async (path: string, key: string) => (await service.send('GET', path, undefined, { key })).status;
    expect(await read(bjorn.cv, 'anna')).toBe(200);
    expect([await read(anna.cv, 'limited'), await read(bjorn.cv, 'limited')]).toEqual([403, 200]);
    expect([await read(anna.cv, 'external'), await read(ext.cv, 'external')]).toEqual([403, 200]);
  });

  test.each(
    oneIn(1, [
      ['admin', 200, 200, 200],
      ['norway', 200, 200, 403],
      ['oslo', 200, 403, 403],
      ['anna', 200, 403, 403],
      ['limited', 403, 200, 403],
      ['plain', 403, 403, 403],
      ['references', 403, 403, 403],
      ['reader', 403, 403, 403],
    ]),
  )('%s writes the CV in Oslo %i, in Bergen %i, in Stockholm %i', async (key, oslo, bergen, stockholm) => {
    const service = await openService();
    const write = async (external: string) => {
      const { cv } = await findUser(service, external);
      return (await service.send('PUT', cv, { cv: { landline: '1' } }, { key })).status;
    };
    expect([await write('E1'), await write('E2'), await write('E5')]).toEqual([oslo, bergen, stockholm]);
  });
});

describe('CVs and sections, PUT cvs/<user_id>/<cv_id>', () => {
  test('sets the body fields of the spec; changes only sent fields; version +1', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const before = (await service.send('GET', anna.cv)).body;
    const cv = {
      navn: 'Anna A',
      born_year: 1980,
      name_multilang: { en: 'Ann' },
      title: { en: 'Lead' },
      telefon: '+47 1',
      landline: '22',
      place_of_residence: { en: 'Oslo' },
    };
    const { status, body } = await service.send('PUT', anna.cv + ISO, { cv });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Anna A',
      born_year: 1980,
      name_multilang: { en: 'Ann' },
      // Conventions 4: the object is replaced completely.
      title: { en: 'Lead' },
      landline: '22',
      place_of_residence: { en: 'Oslo' },
      version: before.version + 1,
    });
    const partial = await service.send('PUT', anna.cv + ISO, { cv: { landline: '23', unknown: 1 } });
    expect(partial.body).toMatchObject({ name: 'Anna A', title: { en: 'Lead' }, landline: '23' });
    // The user shows the same values, and the feed's timestamp includes the changed profile.
    const user = (await service.send('GET', `/api/v1/users/${anna.id}${ISO}`)).body;
    expect(user).toMatchObject({ name: 'Anna A', telephone: '+47 1', name_multilang: { en: 'Ann' } });
    expect(user.place_of_residence).toEqual({ en: 'Oslo' });
  });

  sweep('User: profile_updated_at changes with the CV', async () => {
    const service = await openService();
    await service.control('POST', 'clock', { now: '2030-01-01T00:00:00Z' });
    const anna = await findUser(service, 'E1');
    await service.send('PUT', anna.cv, { cv: { place_of_residence: { int: 'Bergen' } } });
    expect((await findUser(service, 'E1')).profile_updated_at).toMatch(/^2030-01-01T00:00:\d\dZ$/);
  });

  sweep('Errors 400: without the wrapper', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    expect((await service.send('PUT', cv, { navn: 'X' })).status).toBe(400);
  });
});

describe('CVs and sections, GET cvs/<user_id>/<cv_id>/metadata', () => {
  test('has the fields of the spec; owner_updated needs detailed=true', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    // These CVs are untouched: an empty one, and one filled by the fixture.
    for (const user of [await findUser(service, 'E2'), anna]) {
      const fresh = (await service.send('GET', `${user.cv}/metadata`)).body;
      expect(fresh.last_modified_by).toEqual({ id: user.id, name: user.name });
    }
    await service.send('PUT', anna.cv, { cv: { landline: '1' } });
    const { body } = await service.send('GET', `${anna.cv}/metadata`);
    expect(body).toEqual({
      _id: anna.default_cv_id,
      id: anna.default_cv_id,
      updated_ago: expect.any(String),
      updated_at: expect.any(String),
      owner_updated_at: null,
      last_modified_by: { id: expect.any(String), name: 'Admin' },
    });
    const own = { presentation: { description: { int: 'Talk' } } };
    expect((await service.send('POST', `${anna.cv}/presentations`, own, { key: 'anna' })).status).toBe(200);
    const detailed = (await service.send('GET', `${anna.cv}/metadata?detailed=true`)).body;
    expect(detailed.owner_updated).toEqual({ presentations: expect.any(String) });
    expect(detailed.owner_updated_at).toEqual(expect.any(String));
    expect(detailed.last_modified_by).toEqual({ id: anna.id, name: 'Anna Åsen' });
  });
});

describe('Custom tags on CVs', () => {
  test('POST answers the updated CV and is idempotent; DELETE 204, and 404 if the tag is not on the CV', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const { unit, north } = await findTags(service);
    const body = { custom_tag_category_id: unit, custom_tag_id: north };
    for (let time = 0; time < 2; time += 1) {
      const reply = await service.send('POST', `${cv}/custom_tags`, body);
      expect(reply.status).toBe(200);
      expect(reply.body.custom_tag_ids).toEqual([north]);
      expect(reply.body.custom_tags).toMatchObject([{ id: north, custom_tag_category_id: unit, category_ids: [unit] }]);
    }
    expect((await service.send('DELETE', `${cv}/custom_tags/${north}`)).status).toBe(204);
    expect((await service.send('DELETE', `${cv}/custom_tags/${north}`)).status).toBe(404);
    expect((await service.send('GET', cv)).body.custom_tags).toEqual([]);
  });

  sweep('List rules: unknown ids or a missing body field give 404', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const { unit, north, secret } = await findTags(service);
    const attach = async (body: object) => (await service.send('POST', `${cv}/custom_tags`, body)).status;
    expect(await attach({ custom_tag_category_id: unit, custom_tag_id: 'nope' })).toBe(404);
    expect(await attach({ custom_tag_category_id: 'nope', custom_tag_id: north })).toBe(404);
    expect(await attach({ custom_tag_category_id: unit, custom_tag_id: secret })).toBe(404);
    expect(await attach({ custom_tag_id: north })).toBe(404);
    expect(await attach({ custom_tag_category_id: unit })).toBe(404);
  });

  sweep('List rules: can_be_used_for_cvs does not prevent writes, but hides the tag from custom_tags', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const { hidden, secret } = await findTags(service);
    const body = { custom_tag_category_id: hidden, custom_tag_id: secret };
    const reply = await service.send('POST', `${cv}/custom_tags`, body);
    expect([reply.status, reply.body.custom_tags]).toEqual([200, []]);
    expect((await service.send('DELETE', `${cv}/custom_tags/${secret}`)).status).toBe(204);
  });

  sweep('List rules: a locked category accepts changes only by API users and internationalmanager users', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const { hidden, secret, unit, north } = await findTags(service);
    const locked = { custom_tag_category_id: hidden, custom_tag_id: secret };
    const open = { custom_tag_category_id: unit, custom_tag_id: north };
    const attach = async (body: object, key: string) =>
      (await service.send('POST', `${cv}/custom_tags`, body, { key })).status;
    expect([await attach(locked, 'anna'), await attach(open, 'anna')]).toEqual([403, 200]);
    expect([await attach(locked, 'norway'), await attach(locked, 'admin')]).toEqual([200, 200]);
    const detach = await service.send('DELETE', `${cv}/custom_tags/${secret}`, undefined, { key: 'anna' });
    expect(detach.status).toBe(403);
  });

  sweep('List rules: deleting the category removes its tags from CVs', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E1');
    const { unit, north } = await findTags(service);
    await service.send('POST', `${cv}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north });
    const category = `/api/v1/masterdata/custom_tags/custom_tag_category/${unit}`;
    expect((await service.send('DELETE', category)).status).toBe(204);
    expect((await service.send('GET', cv)).body).toMatchObject({ custom_tag_ids: [], custom_tags: [] });
  });

  sweep("beyond the spec: shows a user's tags on the master CV if the account is set so", async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { unit, north } = await findTags(service);
    const user = { ensure_unique_custom_tag_ids_by_category: { [unit]: north } };
    await service.send('PUT', `/api/v1/users/${anna.id}`, { user });
    expect((await service.send('GET', anna.cv)).body.custom_tag_ids).toEqual([north]);
    await service.control('POST', 'settings', { user_tags_on_cvs: false });
    expect((await service.send('GET', anna.cv)).body.custom_tag_ids).toEqual([]);
    expect((await service.send('DELETE', `${anna.cv}/custom_tags/${north}`)).status).toBe(404);
  });
});
