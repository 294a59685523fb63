import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findCustomer, findProject, findUser, openService, type Service } from './open-service.js';

const V1 = '/api/v1/offers';
const V2 = '/api/v2/offers';

async function createProposal({ send }: Service, offer: object, key = 'admin') {
  const reply = await send('POST', `${V2}/`, { offer }, { key });
  expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('_id')]);
  return { ...reply.body, v1: `${V1}/${reply.body._id}`, v2: `${V2}/${reply.body._id}` };
}

const listNames = async ({ send }: Service, path: string, key = 'admin'): Promise<string[]> =>
  (await send('GET', path, undefined, { key })).body.map(({ name }: { name: string }) => name);

describe('Proposals: create, read, update', () => {
  test('POST returns the proposal with the fields of the spec; owner is the API user, status initial', async () => {
    const service = await openService();
    const made = await service.send('POST', `${V2}/`, { offer: { name: 'Bid' } });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      _id: expect.any(String),
      name: 'Bid',
      archived: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      owner_id: null,
      owner_name: null,
      api_owner_id: expect.any(String),
      api_owner_name: 'Admin',
      status: 'initial',
    });
    expect((await service.send('GET', `${V1}/${made.body._id}`)).body).toEqual(made.body);
  });

  sweep('owner_id, api_owner_id and status on create; unknown owners are 404', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const owned = await createProposal(service, { name: 'A', owner_id: anna.id, status: 'won' });
    expect(owned).toMatchObject({ owner_id: anna.id, owner_name: 'Anna Åsen', api_owner_id: null, status: 'won' });
    const apiId = (await createProposal(service, { name: 'B' }, 'norway')).api_owner_id;
    const other = await createProposal(service, { name: 'C', api_owner_id: apiId });
    expect(other).toMatchObject({ api_owner_id: apiId, api_owner_name: 'Norway', owner_id: null });
    expect((await service.send('POST', `${V2}/`, { offer: { name: 'D', owner_id: 'nope' } })).status).toBe(404);
  });

  sweep('POST without the wrapper is 400, without a name 422; ignores a trailing slash', async () => {
    const { send } = await openService();
    expect((await send('POST', `${V2}/`, { name: 'X' })).status).toBe(400);
    expect((await send('POST', `${V2}/`, { offer: { status: 'won' } })).status).toBe(422);
    expect((await send('POST', V2, { offer: { name: 'X' } })).status).toBe(200);
  });

  sweep.each(['initial', 'editing', 'finalised', 'submitted', 'won', 'lost'])(
    'Proposal status: accepts %s on create and on update',
    async (status) => {
      const service = await openService();
      expect((await createProposal(service, { name: 'X', status })).status).toBe(status);
      const { v1 } = await createProposal(service, { name: 'Y' });
      expect((await service.send('PUT', v1, { offer: { status } })).body.status).toBe(status);
    },
  );

  sweep('Proposal status: answers 422 for any other value', async () => {
    const service = await openService();
    const { v1 } = await createProposal(service, { name: 'Y' });
    expect((await service.send('PUT', v1, { offer: { status: 'maybe' } })).status).toBe(422);
    expect((await service.send('POST', `${V2}/`, { offer: { name: 'Z', status: 'maybe' } })).status).toBe(422);
    expect((await service.send('GET', v1)).body.status).toBe('initial');
  });

  sweep('PUT changes name, archived and status, each separately', async () => {
    const service = await openService();
    const { v1 } = await createProposal(service, { name: 'Y', status: 'editing' });
    expect((await service.send('PUT', v1, { offer: { archived: true } })).body).toMatchObject({
      name: 'Y',
      archived: true,
      status: 'editing',
    });
    expect((await service.send('PUT', v1, { offer: { name: 'New' } })).body).toMatchObject({
      name: 'New',
      archived: true,
    });
    expect((await service.send('PUT', v1, { name: 'X' })).status).toBe(400);
    expect((await service.send('GET', `${V1}/nope`)).status).toBe(404);
    expect((await service.send('PUT', `${V1}/nope`, { offer: { name: 'X' } })).status).toBe(404);
  });
});

describe('Proposals: lists', () => {
  test('all_offers: query matches part of a name; supports include_archived, limit and offset', async () => {
    const service = await openService();
    for (const name of ['Dam north', 'Dam south', 'Tunnel']) await createProposal(service, { name });
    const { v1 } = await createProposal(service, { name: 'Dam old' });
    await service.send('PUT', v1, { offer: { archived: true } });
    const list = (query: string) => listNames(service, `/api/v1/all_offers${query}`);
    expect((await list('')).sort()).toEqual(['Dam north', 'Dam south', 'Tunnel']);
    expect((await list('?query=dam')).sort()).toEqual(['Dam north', 'Dam south']);
    expect((await list('?query=dam&include_archived=true')).sort()).toEqual(['Dam north', 'Dam old', 'Dam south']);
    const pages = [await list('?limit=2'), await list('?limit=2&offset=2')];
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(new Set(pages.flat()).size).toBe(3);
  });

  sweep('Limits: accepts limit 100, and answers 400 above it', async () => {
    const { send } = await openService();
    expect((await send('GET', '/api/v1/all_offers?limit=100')).status).toBe(200);
    expect((await send('GET', '/api/v1/all_offers?limit=101')).status).toBe(400);
    expect((await send('GET', `${V1}?limit=101`)).status).toBe(400);
  });

  test('shows all to admin API users; offers lists only those of a contributor or owner', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    await createProposal(service, { name: 'Of admin' });
    await createProposal(service, { name: 'Of Norway' }, 'norway');
    await createProposal(service, { name: 'Of Anna' }, 'anna');
    const shared = await createProposal(service, { name: 'Shared' });
    await service.send('POST', `${shared.v2}/collaborators`, { collaborator: { type: 'user', id: anna.id } });
    expect((await listNames(service, '/api/v1/all_offers')).length).toBe(4);
    expect((await listNames(service, V1)).sort()).toEqual(['Of admin', 'Shared']);
    expect(await listNames(service, V1, 'norway')).toEqual(['Of Norway']);
    expect((await listNames(service, V1, 'anna')).sort()).toEqual(['Of Anna', 'Shared']);
    expect((await listNames(service, '/api/v1/all_offers', 'anna')).sort()).toEqual(['Of Anna', 'Shared']);
  });

  test('Errors 403: others neither read nor change a proposal', async () => {
    const service = await openService();
    const { v1, v2 } = await createProposal(service, { name: 'Of admin' });
    const key = 'plain';
    expect((await service.send('GET', v1, undefined, { key })).status).toBe(403);
    expect((await service.send('PUT', v1, { offer: { name: 'X' } }, { key })).status).toBe(403);
    expect((await service.send('GET', `${v2}/collaborators`, undefined, { key })).status).toBe(403);
    expect((await service.send('GET', v1, undefined, { key: 'proposals' })).status).toBe(200);
    expect((await service.send('PUT', v1, { offer: { name: 'X' } }, { key: 'proposals' })).status).toBe(403);
  });
});

describe('Proposals: owner and collaborators', () => {
  test('PUT owner: accepts a user or an API user', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { v1, v2, api_owner_id } = await createProposal(service, { name: 'X' });
    const put = (owner: object) => service.send('PUT', `${v2}/owner`, { owner });
    expect((await put({ type: 'user', id: anna.id })).status).toBe(200);
    expect((await service.send('GET', v1)).body).toMatchObject({ owner_id: anna.id, api_owner_id: null });
    expect((await put({ type: 'api_user', id: api_owner_id })).status).toBe(200);
    expect((await service.send('GET', v1)).body).toMatchObject({ owner_id: null, api_owner_id });
    expect((await put({ type: 'user', id: 'nope' })).status).toBe(404);
    expect((await put({ type: 'robot', id: anna.id })).status).toBe(422);
    expect((await service.send('PUT', `${v2}/owner`, { type: 'user', id: anna.id })).status).toBe(400);
  });

  test('collaborators: the lists of the spec, added and removed', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { v2, api_owner_id } = await createProposal(service, { name: 'X' }, 'admin');
    const path = `${v2}/collaborators`;
    expect((await service.send('GET', path)).body).toEqual({ api_users: [], users: [] });
    expect((await service.send('POST', path, { collaborator: { type: 'user', id: anna.id } })).status).toBe(200);
    expect((await service.send('POST', path, { collaborator: { type: 'api_user', id: api_owner_id } })).status).toBe(
      200,
    );
    const { body } = await service.send('GET', path);
    expect(body.api_users).toEqual([
      {
        id: api_owner_id,
        name: 'Admin',
        access_token: expect.any(String),
        enabled: true,
        roles: ['internationalmanager'],
      },
    ]);
    expect(Object.keys(body.users[0]).sort()).toEqual(
      [
        'id',
        'email',
        'external_unique_id',
        'office_id',
        'office_name',
        'country_id',
        'image',
        'name',
        'default_cv_id',
      ].sort(),
    );
    expect(body.users).toMatchObject([{ id: anna.id, office_name: 'Oslo', default_cv_id: anna.default_cv_id }]);
    const remove = (type: string, id: string) => service.send('DELETE', `${path}/${type}/${id}`);
    expect((await remove('api_user', anna.id)).status).toBe(404);
    expect((await remove('user', anna.id)).status).toBe(204);
    expect((await remove('user', anna.id)).status).toBe(404);
    expect((await remove('api_user', api_owner_id)).status).toBe(204);
    expect((await service.send('POST', path, { collaborator: { type: 'user', id: 'nope' } })).status).toBe(404);
  });
});

describe('Proposals: tailored CVs', () => {
  test('copies the master CV, with id, user_id and status, independent from then on', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { v1 } = await createProposal(service, { name: 'X' });
    const { status, body } = await service.send('POST', `${v1}/cvs`, { cv: { cv_id: anna.default_cv_id } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: expect.any(String), user_id: anna.id, status: 'initial', name: 'Anna Åsen' });
    expect(body.educations).toMatchObject([{ school: { int: 'NTNU' } }]);
    expect([body.default, body.id === anna.default_cv_id]).toEqual([false, false]);
    const tailored = `/api/v3/cvs/${anna.id}/${body.id}`;
    await service.send('PUT', tailored, { cv: { title: { int: 'Tailored' } } });
    await service.send('POST', `${tailored}/blogs`, { blog: { name: { int: 'B' } } });
    await service.send('PUT', anna.cv, { cv: { landline: '99' } });
    const [listed] = (await service.send('GET', `${v1}/cvs`)).body;
    expect(listed).toMatchObject({ id: body.id, title: { int: 'Tailored' }, landline: null, status: 'initial' });
    expect(listed.blogs).toHaveLength(1);
    const master = (await service.send('GET', anna.cv)).body;
    expect(master).toMatchObject({ title: { int: 'Engineer', no: 'Ingeniør' }, landline: '99', blogs: [] });
  });

  sweep('Tailored CV status: cannot be changed through the API', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { v1 } = await createProposal(service, { name: 'X' });
    const { body } = await service.send('POST', `${v1}/cvs`, { cv: { cv_id: anna.default_cv_id, status: 'editing' } });
    await service.send('PUT', `/api/v3/cvs/${anna.id}/${body.id}`, { cv: { status: 'finalised' } });
    expect((await service.send('GET', `${v1}/cvs`)).body[0].status).toBe('initial');
  });

  test('lets participants tailor the copy, but not write the master CV', async () => {
    const service = await openService();
    const sven = await findUser(service, 'E5');
    const { v1 } = await createProposal(service, { name: 'X' }, 'anna');
    const key = 'anna';
    const { body } = await service.send('POST', `${v1}/cvs`, { cv: { cv_id: sven.default_cv_id } }, { key });
    const cv = { title: { int: 'Tailored' } };
    const tailored = `/api/v3/cvs/${sven.id}/${body.id}`;
    expect((await service.send('PUT', tailored, { cv }, { key })).status).toBe(200);
    expect((await service.send('PUT', tailored, { cv }, { key: 'plain' })).status).toBe(403);
    expect((await service.send('PUT', sven.cv, { cv }, { key })).status).toBe(403);
  });

  sweep('errors: no wrapper 400, unknown CV 404, delete 204 and then 404', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const { v1 } = await createProposal(service, { name: 'X' });
    expect((await service.send('POST', `${v1}/cvs`, { cv_id: anna.default_cv_id })).status).toBe(400);
    expect((await service.send('POST', `${v1}/cvs`, { cv: { cv_id: 'nope' } })).status).toBe(404);
    const { body } = await service.send('POST', `${v1}/cvs`, { cv: { cv_id: anna.default_cv_id } });
    expect((await service.send('DELETE', `${v1}/cvs/${body.id}`)).status).toBe(204);
    expect((await service.send('DELETE', `${v1}/cvs/${body.id}`)).status).toBe(404);
    expect((await service.send('GET', `${v1}/cvs`)).body).toEqual([]);
    expect((await service.send('GET', `${V1}/nope/cvs`)).status).toBe(404);
  });
});

describe('Proposals: tailored references', () => {
  test('copies the project, with id and status, independent from then on', async () => {
    const service = await openService();
    const project = await findProject(service, 'P1');
    const { v1 } = await createProposal(service, { name: 'X' });
    const reference = { company_customer_id: project.company_customer_id, company_project_id: project.id };
    const { status, body } = await service.send('POST', `${v1}/references`, { reference });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: expect.any(String), status: 'initial', project_name: { int: 'Dam' } });
    expect(body.id).not.toBe(project.id);
    await service.send('PUT', project.path, { company_project: { architect: 'Later' } });
    const [listed] = (await service.send('GET', `${v1}/references`)).body;
    expect(listed).toMatchObject({ id: body.id, architect: null, customer_value_propositions: expect.any(Array) });
    expect((await service.send('DELETE', `${v1}/references/${body.id}`)).status).toBe(204);
    expect((await service.send('DELETE', `${v1}/references/${body.id}`)).status).toBe(404);
    expect((await service.send('GET', `${v1}/references`)).body).toEqual([]);
  });

  sweep('requires both ids (400), which must belong together (404)', async () => {
    const service = await openService();
    const [project, customer] = [await findProject(service, 'P1'), await findCustomer(service)];
    const { v1 } = await createProposal(service, { name: 'X' });
    const post = async (reference: object) => (await service.send('POST', `${v1}/references`, { reference })).status;
    expect(await post({ company_project_id: project.id })).toBe(400);
    expect(await post({ company_customer_id: customer.id })).toBe(400);
    expect(await post({ company_customer_id: 'nope', company_project_id: project.id })).toBe(404);
    expect(await post({ company_customer_id: customer.id, company_project_id: 'nope' })).toBe(404);
    expect((await service.send('POST', `${v1}/references`, {})).status).toBe(400);
  });
});

describe('Proposals: /redirect/to/proposal', () => {
  test('leads to the proposal; unknown 404, missing id 400', async () => {
    const service = await openService();
    const { _id } = await createProposal(service, { name: 'X' });
    const reply = await service.send('GET', `/redirect/to/proposal?id=${_id}`);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, expect.stringContaining(_id)]);
    expect((await service.send('GET', '/redirect/to/proposal?id=nope')).status).toBe(404);
    expect((await service.send('GET', '/redirect/to/proposal')).status).toBe(400);
  });
});
