import { describe, expect, test } from 'vitest';
import { oneIn } from '../../depth.js';
import {
  findCustomer,
  findPlaces,
  findProject,
  findTags,
  findUser,
  openService,
  type Service,
} from './open-service.js';

const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';
const USERS = '/api/v1/users';

/** An account with the ids for the rows below. */
async function openRows() {
  const service = await openService();
  const [anna, project, draft, customer, tags, places] = [
    await findUser(service, 'E1'),
    await findProject(service, 'P1'),
    await findProject(service, 'P2'),
    await findCustomer(service),
    await findTags(service),
    await findPlaces(service),
  ];
  return { service, anna, project, draft, customer, tags, ...places };
}

type Rows = Awaited<ReturnType<typeof openRows>>;
type Call = (rows: Rows) => ReturnType<Service['send']>;

/** Every cause in the table of the spec's part Errors, with a call each. */
const ROWS: readonly [status: number, cause: string, call: Call][] = [
  [
    200,
    'success of a create',
    ({ service }) => service.send('POST', CATEGORY, { masterdata: { values: { int: 'A' } } }),
  ],
  [204, 'success of a delete', ({ service, project }) => service.send('DELETE', project.path)],
  [400, 'missing wrapper key', ({ service }) => service.send('POST', CATEGORY, { values: {} })],
  [400, 'limit above maximum', ({ service }) => service.send('GET', `${TAG}?limit=101`)],
  [400, 'missing required query parameter', ({ service }) => service.send('GET', `${USERS}/changes`)],
  [400, 'empty id list', ({ service, tags }) => service.send('DELETE', `${CATEGORY}/${tags.unit}/bulk_delete`)],
  [
    400,
    'unsupported parameter',
    ({ service }) => service.send('GET', `${USERS}/changes?profile_updated_since=2020-01-01T00:00:00Z&offset=1`),
  ],
  [
    400,
    'non-boolean link_to_project',
    ({ service, project, anna }) =>
      service.send('POST', `${project.path}/consultants`, { user_ids: [anna.id], link_to_project: 'yes' }),
  ],
  [
    400,
    'department with users deleted',
    ({ service, oslo }) => service.send('DELETE', `/api/v1/countries/${oslo.country_id}/offices/${oslo.office_id}`),
  ],
  [
    400,
    'unknown tag id on user update',
    ({ service, anna, tags }) =>
      service.send('PUT', `${USERS}/${anna.id}`, {
        user: { ensure_unique_custom_tag_ids_by_category: { [tags.unit]: 'nope' } },
      }),
  ],
  [
    400,
    'unknown category id on user update',
    ({ service, anna, tags }) =>
      service.send('PUT', `${USERS}/${anna.id}`, {
        user: { ensure_unique_custom_tag_ids_by_category: { nope: tags.north } },
      }),
  ],
  [401, 'missing authentication', ({ service }) => service.send('GET', '/api/v1/countries', undefined, { key: null })],
  [
    401,
    'invalid authentication',
    ({ service }) => service.send('GET', '/api/v1/countries', undefined, { key: 'nope' }),
  ],
  [403, 'key disabled', ({ service }) => service.send('GET', '/api/v1/countries', undefined, { key: 'off' })],
  [
    403,
    'role missing',
    ({ service }) => service.send('POST', CATEGORY, { masterdata: { values: {} } }, { key: 'plain' }),
  ],
  [404, 'record unknown', ({ service }) => service.send('GET', `${USERS}/0123456789abcdef01234567`)],
  [404, 'malformed id', ({ service }) => service.send('GET', `${USERS}/%7B%7D`)],
  [404, 'link absent', ({ service, anna, tags }) => service.send('DELETE', `${anna.cv}/custom_tags/${tags.north}`)],
  [
    409,
    'missing version on a section update',
    async ({ service, anna }) => {
      const { body } = await service.send('POST', `${anna.cv}/blogs`, { blog: {} });
      return service.send('PUT', `${anna.cv}/blogs/${body._id}`, { blog: { name: { int: 'X' } } });
    },
  ],
  [
    409,
    'duplicate external id on project lookup',
    async ({ service, customer }) => {
      await service.send('POST', `${customer.path}/projects`, { company_project: { external_unique_id: 'P1' } });
      return service.send('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1');
    },
  ],
  [
    409,
    'deleting a project with hard links',
    async ({ service, project, anna }) => {
      const body = { user_ids: [anna.id], link_to_project: true };
      await service.send('POST', `${project.path}/consultants`, body);
      return service.send('DELETE', project.path);
    },
  ],
  [
    415,
    'Content-Type is not application/json on user create',
    ({ service }) => service.send('POST', USERS, undefined, { raw: { text: '{"user":{}}', type: 'text/plain' } }),
  ],
  [
    422,
    'duplicate external_unique_id',
    ({ service, anna }) => service.send('PUT', `${USERS}/${anna.id}`, { user: { external_unique_id: 'E2' } }),
  ],
  [
    422,
    'non-whitelisted domain',
    ({ service, anna }) => service.send('PUT', `${USERS}/${anna.id}`, { user: { email: 'a@evil.test' } }),
  ],
  [
    422,
    'tag already on a project',
    async ({ service, project, tags }) => {
      const body = { custom_tag_category_id: tags.unit, custom_tag_id: tags.north };
      await service.send('POST', `${project.path}/custom_tags`, body);
      return service.send('POST', `${project.path}/custom_tags`, body);
    },
  ],
  [
    422,
    'workflow_stage outside the allowed values',
    ({ service, project }) => service.send('PUT', project.path, { company_project: { workflow_stage: 'x' } }),
  ],
  [
    422,
    'owner already present',
    ({ service, draft, anna }) => service.send('POST', `${draft.path}/project_owners`, { user_ids: [anna.id] }),
  ],
  [
    422,
    'unmatched email',
    ({ service, draft }) => service.send('PUT', `${draft.path}/project_owners/sync_by_email`, { emails: ['x@x.x'] }),
  ],
  [
    422,
    'invalid custom field value',
    ({ service, project }) =>
      service.send('PUT', project.path, { company_project: { custom_fields: [{ name: 'stage', value: 'One' }] } }),
  ],
  [
    422,
    'image added to a hard-linked experience',
    async ({ service, project, anna }) => {
      const body = { user_ids: [anna.id], link_to_project: true, include_section_ids: true };
      const linked = await service.send('POST', `${project.path}/consultants`, body);
      const { section_id } = linked.body.updated_cvs[0];
      return service.send('POST', `${anna.cv}/project_experiences/${section_id}/images`, {});
    },
  ],
  [500, 'unknown category id on category delete', ({ service }) => service.send('DELETE', `${CATEGORY}/nope`)],
  [
    500,
    'deleted category id on category delete',
    async ({ service, tags }) => {
      await service.send('DELETE', `${CATEGORY}/${tags.hidden}`);
      return service.send('DELETE', `${CATEGORY}/${tags.hidden}`);
    },
  ],
  [500, 'tag create without the masterdata wrapper', ({ service }) => service.send('POST', TAG, { values: {} })],
  [
    500,
    'removing a project owner who is not an owner',
    ({ service, project, anna }) => service.send('DELETE', `${project.path}/project_owners/${anna.id}`),
  ],
];

describe('Errors', () => {
  test.each(oneIn(1, ROWS))('%i: %s', async (status, _cause, call) => {
    const reply = await call(await openRows());
    expect(reply.status).toBe(status);
    // A 204 has an empty body, and an error describes the problem.
    if (status === 204) expect(reply.text).toBe('');
    if (status >= 400) expect(reply.body.error).toMatch(/\w{3,}/);
  });

  test('429: rate limit exceeded', async () => {
    const { send } = await openService({ rate: { requests: 1, per_seconds: 60 } });
    await send('GET', '/api/v1/countries');
    expect((await send('GET', '/api/v1/countries')).status).toBe(429);
  });

  test('400: hard linking not enabled for the account', async () => {
    const { service, project, anna } = await openRows();
    const dump = (await service.control('GET', 'dump')).body;
    dump.account.features.hard_linking = false;
    await service.control('PUT', 'dump', dump);
    const body = { user_ids: [anna.id], link_to_project: true };
    expect((await service.send('POST', `${project.path}/consultants`, body)).status).toBe(400);
  });
});

describe('Limits', () => {
  test('Project size: reads a project of more than 20 KB completely', async () => {
    const { service, project } = await openRows();
    const text = 'long '.repeat(10_000);
    await service.send('PUT', project.path, { company_project: { project_notes: { int: text } } });
    const reply = await service.send('GET', project.path);
    expect([reply.text.length > 50_000, reply.body.project_notes.int]).toEqual([true, text]);
  });
});

describe('States, Tailored CV and tailored reference status', () => {
  test('allows null as the status of proposals that are older than statuses', async () => {
    const { service, anna } = await openRows();
    const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'Old' } });
    const cvs = `/api/v1/offers/${offer.body._id}/cvs`;
    const { body } = await service.send('POST', cvs, { cv: { cv_id: anna.default_cv_id } });
    await service.control('PATCH', `records/cvs/${body.id}`, { status: null });
    expect((await service.send('GET', cvs)).body[0].status).toBeNull();
  });
});

describe('Project linking, rule 8', () => {
  test('merging projects keeps hard links on the survivor and clears reference_project_id of copies', async () => {
    const { service, project, draft, anna } = await openRows();
    const link = (link_to_project: boolean) =>
      service.send('POST', `${project.path}/consultants`, { user_ids: [anna.id], link_to_project });
    await link(false);
    await link(true);
    expect((await service.control('POST', 'merge-projects', { from: project.id, into: draft.id })).status).toBe(204);
    const [linked, copied] = (await service.send('GET', anna.cv)).body.project_experiences;
    expect(linked).toMatchObject({
      link_type: 'linked',
      reference_project_id: draft.id,
      description: { int: 'Tunnel' },
    });
    expect(copied).toMatchObject({ reference_project_id: null, description: { int: 'Dam' } });
    expect((await service.send('DELETE', draft.path)).status).toBe(409);
    expect((await service.send('GET', project.path)).status).toBe(404);
  });
});
