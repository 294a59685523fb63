import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findPlaces, findProject, findTags, findUser, openService, type Service } from './open-service.js';

const SEARCH = '/api/v4/search';

async function search({ send }: Service, body: object, key = 'admin') {
  const reply = await send('POST', SEARCH, { size: 500, ...body }, { key });
  expect([reply.status, reply.text.length > 0]).toEqual([200, true]);
  const names = reply.body.cvs.map(({ cv }: { cv: { name: string } }) => cv.name);
  expect(reply.body.total).toBe(names.length);
  return names;
}

describe('CVs and sections, POST v4/search', () => {
  test('returns results with cv and preview_url, and the fields of the preview', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const query = { query: { value: 'anna' } };
    const { body } = await service.send('POST', `${SEARCH}?use_legacy_codes=false`, { size: 10, must: [query] });
    expect(body).toMatchObject({ total: 1, offset: 0 });
    expect(body.cvs).toMatchObject([
      {
        preview_url: expect.stringMatching(/^http/),
        cv: {
          id: anna.default_cv_id,
          user_id: anna.id,
          name: 'Anna Åsen',
          image: expect.objectContaining({ url: null }),
          titles: { en: 'Engineer', no: 'Ingeniør' },
          email: 'anna@example.com',
          company_id: expect.any(String),
          updated_at: expect.any(String),
          owner_updated_at: null,
          country_code: 'no',
          language_code: 'no',
          language_codes: ['en', 'no', 'sv'],
        },
      },
    ]);
    expect(body.cvs[0].cv).toHaveProperty('title');
  });

  test('without must: adds id, index and highlight to each result, and facets to the answer', async () => {
    const service = await openService();
    const { body } = await service.send('POST', SEARCH, { size: 2, offset: 1 });
    expect(body).toMatchObject({ offset: 1, total: 4, facets: expect.anything() });
    expect(body.cvs[0]).toHaveProperty('highlight');
    expect(body.cvs.map(({ index }: { index: number }) => index)).toEqual([1, 2]);
    // `id` is a row position, not the id of the CV.
    expect(body.cvs[0].id).not.toBe(body.cvs[0].cv.id);
  });

  sweep('pages by offset and size without gaps or duplicates', async () => {
    const service = await openService();
    const pages: string[] = [];
    for (let offset = 0; offset < 4; offset += 1) {
      const { body } = await service.send('POST', SEARCH, { size: 1, offset });
      pages.push(body.cvs[0].cv.name);
      expect(body.total).toBe(4);
    }
    expect(new Set(pages).size).toBe(4);
    expect((await service.send('POST', SEARCH, { size: 1, offset: 99 })).body.cvs).toEqual([]);
  });

  sweep.each([
    ['missing size', {}],
    ['size 0', { size: 0 }],
    ['size above 500', { size: 501 }],
    ['offset below 0', { size: 1, offset: -1 }],
    ['office_ids that is not a list', { size: 1, office_ids: 'x' }],
    ['must that is not a list', { size: 1, must: { query: {} } }],
    ['a clause of an unknown kind', { size: 1, must: [{ range: {} }] }],
    ['an exact clause on another field', { size: 1, must: [{ exact: { field: 'name', value: 'x' } }] }],
    ['an empty bool', { size: 1, must: [{ bool: {} }] }],
  ])('Limits, size 1 to 500; Errors 400: %s', async (_name, body) => {
    const { send } = await openService();
    expect((await send('POST', SEARCH, body)).status).toBe(400);
  });

  sweep('Limits: accepts size 1 and 500', async () => {
    const { send } = await openService();
    for (const size of [1, 500]) expect((await send('POST', SEARCH, { size })).status).toBe(200);
  });

  sweep('office_ids: searches those offices, by default all', async () => {
    const service = await openService();
    const { oslo, bergen, stockholm } = await findPlaces(service);
    expect(await search(service, { office_ids: [oslo.office_id] })).toEqual(['Anna Åsen']);
    expect(await search(service, { office_ids: [bergen.office_id, stockholm.office_id] })).toHaveLength(3);
    expect(await search(service, { office_ids: ['nope'] })).toEqual([]);
    expect(await search(service, {})).toHaveLength(4);
    expect(await search(service, { office_ids: [] })).toHaveLength(4);
  });

  sweep('clause bool.should of query on a field: matches partially, any of them', async () => {
    const service = await openService();
    const should = (...values: string[]) => ({
      must: [{ bool: { should: values.map((value) => ({ query: { field: 'name', value } })) } }],
    });
    expect(await search(service, should('ann'))).toEqual(['Anna Åsen']);
    expect(await search(service, should('ann', 'Berg'))).toEqual(['Anna Åsen', 'Bjørn Berg']);
    expect(await search(service, should('nobody'))).toEqual([]);
    // A partial match on that field only, because the title differs.
    expect(await search(service, should('Engineer'))).toEqual([]);
    const title = { must: [{ bool: { should: [{ query: { field: 'title', value: 'gineer' } }] } }] };
    expect(await search(service, title)).toEqual(['Anna Åsen']);
  });

  sweep('clause bool.must of query, and query: matches free text partially across fields', async () => {
    const service = await openService();
    const inBool = (...values: string[]) => ({
      must: [{ bool: { must: values.map((value) => ({ query: { value } })) } }],
    });
    expect(await search(service, inBool('ntn'))).toEqual(['Anna Åsen']);
    expect(await search(service, inBool('ntnu', 'anna'))).toEqual(['Anna Åsen']);
    expect(await search(service, inBool('ntnu', 'bjørn'))).toEqual([]);
    expect(await search(service, { must: [{ query: { value: 'example.com' } }] })).toHaveLength(3);
    expect(await search(service, { must: [{ query: { value: 'Ingeniør' } }] })).toEqual(['Anna Åsen']);
  });

  sweep('requires several clauses to match, and allows bool in bool', async () => {
    const service = await openService();
    const name = (value: string) => ({ query: { field: 'name', value } });
    expect(await search(service, { must: [name('a'), { query: { value: 'ntnu' } }] })).toEqual(['Anna Åsen']);
    const nested = { bool: { should: [{ bool: { must: [name('anna'), name('åsen')] } }, name('sven')] } };
    expect(await search(service, { must: [nested] })).toEqual(['Anna Åsen', 'Sven Svensson']);
  });

  sweep(
    'clause technology_skill: matches the exact name of a skill, in technologies and project experiences',
    async () => {
      const service = await openService();
      const skill = (tag: string) => ({ must: [{ technology_skill: { tag } }] });
      expect(await search(service, skill('TypeScript'))).toEqual(['Anna Åsen']);
      expect(await search(service, skill('TypeScr'))).toEqual([]);
      const { cv } = await findUser(service, 'E2');
      const job = await service.send('POST', `${cv}/project_experiences`, { project_experience: {} });
      const path = `${cv}/project_experiences/${job.body._id}/project_experience_skills`;
      await service.send('POST', path, { project_experience_skill: { tags: { int: 'Go' } } });
      expect(await search(service, skill('Go'))).toEqual(['Bjørn Berg']);
    },
  );

  sweep('clause exact on custom_tag_id: matches the tag', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E5');
    const { unit, north, south } = await findTags(service);
    await service.send('POST', `${cv}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north });
    const exact = (value: string) => ({ must: [{ exact: { field: 'custom_tag_id', value } }] });
    expect(await search(service, exact(north))).toEqual(['Sven Svensson']);
    expect(await search(service, exact(south))).toEqual([]);
  });

  sweep('finds inherited texts of a hard-linked experience', async () => {
    const service = await openService();
    const { path } = await findProject(service, 'P1');
    const sven = await findUser(service, 'E5');
    await service.send('POST', `${path}/consultants`, { user_ids: [sven.id], link_to_project: true });
    expect(await search(service, { must: [{ query: { value: 'a big dam' } }] })).toEqual(['Sven Svensson']);
  });

  sweep('searches only master CVs', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'Bid' } });
    const cvs = `/api/v1/offers/${offer.body._id}/cvs`;
    const copy = await service.send('POST', cvs, { cv: { cv_id: anna.default_cv_id } });
    await service.send('PUT', `/api/v3/cvs/${anna.id}/${copy.body.id}`, { cv: { title: { int: 'Wizard' } } });
    expect(await search(service, { must: [{ query: { value: 'wizard' } }] })).toEqual([]);
    expect(await search(service, {})).toHaveLength(4);
  });

  test('Authentication 3: finds only the own CV for users who may not read others', async () => {
    const service = await openService();
    expect(await search(service, {}, 'limited')).toEqual(['Bjørn Berg']);
    expect(await search(service, {}, 'external')).toEqual(['Ext Ern']);
    expect(await search(service, {}, 'plain')).toHaveLength(4);
  });
});
