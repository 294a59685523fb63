import { describe, expect, test } from 'vitest';
import { findUser, openSandbox, readPlaces, readTags, type Send } from '../open-sandbox.js';

const CUSTOMERS = '/api/v2/company/cv/customers';
const PROJECTS = '/api/v2/company/cv/projects';

async function openProject() {
  const opened = await openSandbox();
  const project = (await opened.send('GET', `${PROJECTS}/find?external_unique_id=P1`)).body;
  const customerId: string = project.company_customer_id;
  return { ...opened, project, customerId, path: `${CUSTOMERS}/${customerId}/projects/${project.id}` };
}

const create = (send: Send, customerId: string, company_project: object, query = '') =>
  send('POST', `${CUSTOMERS}/${customerId}/projects${query}`, { company_project });

describe('customers', () => {
  test('create, find, read, update: partial, replaces texts completely, 422 for a shared external id', async () => {
    const { send, as } = await openSandbox();
    const company_customer = {
      external_unique_id: 'C2',
      customer_name: { int: 'Acme', no: 'Akme' },
      customer_url: 'https://acme.test',
    };
    const made = await send('POST', CUSTOMERS, { company_customer });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ ...company_customer, custom_tags: [] });
    expect((await send('GET', `${CUSTOMERS}/find?external_unique_id=C2`)).body).toEqual(made.body);
    expect((await send('GET', `${CUSTOMERS}/${made.body.id}`)).body).toEqual(made.body);
    const put = await send('PUT', `${CUSTOMERS}/${made.body.id}`, {
      company_customer: { customer_name: { se: 'Akme' } },
    });
    expect(put.body).toMatchObject({
      external_unique_id: 'C2',
      customer_name: { se: 'Akme' },
      customer_url: 'https://acme.test',
    });
    expect(put.body.customer_name).toEqual({ se: 'Akme' });
    expect((await send('POST', CUSTOMERS, { company_customer })).status).toBe(422);
    expect((await send('POST', CUSTOMERS, company_customer)).status).toBe(400);
    expect((await send('POST', CUSTOMERS, { company_customer: { customer_name: {} } })).status).toBe(422);
    expect(
      (await send('POST', CUSTOMERS, { company_customer: { customer_name: { int: 'X' } } }, as('plain-key'))).status,
    ).toBe(403);
    expect((await send('GET', `${CUSTOMERS}/find?external_unique_id=nope`)).status).toBe(404);
  });

  test('list: by name, by part of a name, by page', async () => {
    const { send } = await openSandbox();
    for (const name of ['Zeta', 'Alpha'])
      await send('POST', CUSTOMERS, { company_customer: { customer_name: { int: name } } });
    const list = async (query: string): Promise<string[]> =>
      (await send('GET', CUSTOMERS + query)).body.customers.map(
        (customer: { customer_name: { int: string } }) => customer.customer_name.int,
      );
    expect(await list('')).toEqual(['Alpha', 'Fjord Power', 'Zeta']);
    expect(await list('?customer_name=FJORD')).toEqual(['Fjord Power']);
    expect(await list('?size=1&offset=2')).toEqual(['Zeta']);
  });

  test('delete: only after all its projects are deleted', async () => {
    const { send, customerId, path } = await openProject();
    expect((await send('DELETE', `${CUSTOMERS}/${customerId}`)).status).toBe(400);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('DELETE', `${CUSTOMERS}/${customerId}`)).status).toBe(204);
    expect((await send('GET', `${CUSTOMERS}/${customerId}`)).status).toBe(404);
  });
});

describe('reference projects', () => {
  test('Project rules 2: create is 200, with an empty entry of each kind, the default office, and a filled name', async () => {
    const { send, customerId, as } = await openProject();
    const reply = await send(
      'POST',
      `${CUSTOMERS}/${customerId}/projects?use_legacy_codes=false`,
      { company_project: { project_name: { sv: 'Damm' }, type: { sv: 'Bygg' } } },
      as('ref-key'),
    );
    expect(reply.status).toBe(200);
    expect(reply.body.project_name).toEqual({ sv: 'Damm', en: 'Damm', no: 'Damm' });
    expect(reply.body.type).toEqual({ sv: 'Bygg' });
    expect(reply.body).toMatchObject({ workflow_stage: 'draft', version: 1, customer_name: { en: 'Fjord Power' } });
    for (const kind of [
      'project_challenges',
      'project_solutions',
      'customer_value_propositions',
      'customer_contacts',
    ]) {
      expect([kind, reply.body[kind].length]).toEqual([kind, 1]);
    }
    expect(reply.body.project_challenges[0]).toMatchObject({ label: {}, value: {}, disabled: false });
    // The key's country is Sweden, so its default office is there.
    expect(reply.body.offices.map((office: { name: string }) => office.name)).toEqual(['Stockholm']);
  });

  test('Project rules 3: uses office_ids on create only, and silently ignores them on update', async () => {
    const { send, customerId } = await openProject();
    const { bergen, oslo } = await readPlaces(send);
    const { body } = await create(send, customerId, { project_name: { int: 'X' }, office_ids: [bergen.office_id] });
    expect(body.offices.map((office: { name: string }) => office.name)).toEqual(['Bergen']);
    const put = await send('PUT', `${CUSTOMERS}/${customerId}/projects/${body.id}`, {
      company_project: { office_ids: [oslo.office_id] },
    });
    expect(put.status).toBe(200);
    expect(put.body.offices.map((office: { name: string }) => office.name)).toEqual(['Bergen']);
  });

  test('Project rules 4: update is partial, replaces texts without filling them, and raises the version', async () => {
    const { send, path, project } = await openProject();
    const put = await send('PUT', path, {
      company_project: { project_name: { no: 'Demning' }, extent: '1 MNOK', workflow_stage: 'ready_for_review' },
    });
    expect(put.body).toMatchObject({
      extent: '1 MNOK',
      workflow_stage: 'ready_for_review',
      version: project.version + 1,
      external_unique_id: 'P1',
    });
    expect(put.body.project_name).toEqual({ no: 'Demning' });
  });

  test.each([
    ['a stage outside the three', 422, { workflow_stage: 'published' }],
    ['Project rules 5: upper case currency', 422, { extent_currency: 'NOK' }],
    ['Project rules 5: upper case total currency', 422, { total_extent_currency: 'NOK' }],
    ['an empty update', 400, {}],
  ])('rejects an update: %s is %i, and changes nothing', async (_name, status, company_project) => {
    const { send, path, project } = await openProject();
    expect((await send('PUT', path, { company_project })).status).toBe(status);
    expect((await send('GET', path)).body).toEqual(project);
    expect((await send('PUT', path, { company_project: { extent_currency: 'nok' } })).body.extent_currency).toBe('nok');
  });

  test('Project rules 1: writes need referencemanager or internationalmanager; others cannot see drafts', async () => {
    const { send, as, customerId, path } = await openProject();
    const body = { company_project: { project_name: { int: 'X' } } };
    expect((await send('POST', `${CUSTOMERS}/${customerId}/projects`, body, as('no-key'))).status).toBe(403);
    expect((await send('PUT', path, body, as('reader-key'))).status).toBe(403);
    const draft = await send('POST', `${CUSTOMERS}/${customerId}/projects`, body, as('ref-key'));
    const read = (key: string) =>
      send('GET', `${CUSTOMERS}/${customerId}/projects/${draft.body.id}`, undefined, as(key));
    expect((await read('plain-key')).status).toBe(403);
    expect((await read('no-key')).status).toBe(200);
    expect((await send('GET', path, undefined, as('plain-key'))).status).toBe(200);
  });

  test('get: include_project_sections=false omits nested arrays; custom fields need exactly true', async () => {
    const { send, path } = await openProject();
    const slim = (await send('GET', `${path}?include_project_sections=false`)).body;
    expect(slim.project_name).toMatchObject({ int: 'Dam' });
    expect(Object.values(slim).filter(Array.isArray)).toEqual([]);
    expect((await send('GET', `${path}?include_custom_fields=True`)).body).not.toHaveProperty('custom_fields');
    const { custom_fields } = (await send('GET', `${path}?include_custom_fields=true`)).body;
    expect(custom_fields).toContainEqual({
      name: 'headcount',
      type: 'numeric',
      value: null,
      sensitivity: null,
      anonymized: {},
    });
    expect(custom_fields).toHaveLength(5);
  });

  test('list: { projects } of one customer, 404 without it', async () => {
    const { send, customerId, project } = await openProject();
    expect((await send('GET', PROJECTS)).status).toBe(404);
    expect((await send('GET', `${PROJECTS}?company_customer_id=nope`)).status).toBe(404);
    expect((await send('GET', `${PROJECTS}?company_customer_id=${customerId}`)).body).toEqual({ projects: [project] });
  });

  test('find: 409 with duplicate_project_ids if several share the external id', async () => {
    const { send, customerId, project } = await openProject();
    const { body } = await create(send, customerId, { project_name: { int: 'Copy' }, external_unique_id: 'P1' });
    const found = await send('GET', `${PROJECTS}/find?external_unique_id=P1`);
    expect(found.status).toBe(409);
    expect([...found.body.duplicate_project_ids].sort()).toEqual([body.id, project.id].sort());
    expect((await send('GET', `${PROJECTS}/find?external_unique_id=nope`)).status).toBe(404);
  });

  test('finds a project only under its own customer', async () => {
    const { send, project } = await openProject();
    const other = await send('POST', CUSTOMERS, { company_customer: { customer_name: { int: 'Other' } } });
    expect((await send('GET', `${CUSTOMERS}/${other.body.id}/projects/${project.id}`)).status).toBe(404);
  });
});

describe('Custom fields on projects', () => {
  test.each([
    [
      'rule 1: an unknown name',
      404,
      [
        { name: 'headcount', value: 1 },
        { name: 'nope', value: 1 },
      ],
    ],
    ['rule 2: the display name of an option', 422, [{ name: 'stage', value: 'Model A' }]],
    ['rule 2: value_id', 422, [{ name: 'stage', value_id: 'x' }]],
    ['rule 2: value_id null', 422, [{ name: 'stage', value_id: null }]],
    ['rule 3: upper case currency', 422, [{ name: 'contract_value', amount: 1, currency: 'NOK' }]],
    ['rule 3: negative amount', 422, [{ name: 'contract_value', amount: -1, currency: 'nok' }]],
    ['rule 4: unknown unit', 422, [{ name: 'area', amount: 1, unit: 'parsec' }]],
    ['rule 5: a range by day', 422, [{ name: 'period', from: '2026-01-01' }]],
  ])('%s is %i', async (_name, status, custom_fields) => {
    const { send, path } = await openProject();
    expect((await send('PUT', path, { company_project: { custom_fields } })).status).toBe(status);
    const { body } = await send('GET', `${path}?include_custom_fields=true`);
    expect(body.version).toBe(1);
    expect(body.custom_fields[0].value).toBeNull();
  });

  test('changes only listed fields; numbers come back as decimal strings; null clears', async () => {
    const { send, path } = await openProject();
    const put = async (custom_fields: object[]) =>
      (
        await send('PUT', `${path}?include_custom_fields=true&use_legacy_codes=false`, {
          company_project: { custom_fields },
        })
      ).body.custom_fields;
    const values = await put([
      { name: 'headcount', value: 42 },
      { name: 'contract_value', amount: 5, currency: 'nok', sensitivity: 'confidential' },
      { name: 'stage', value: 'model-a' },
      { name: 'area', amount: 10.5 },
      { name: 'period', from: '2026-01', to: '2026-12' },
    ]);
    expect(values).toMatchObject([
      { name: 'headcount', type: 'numeric', value: '42.0' },
      { name: 'contract_value', amount: 5, currency: 'nok', sensitivity: 'confidential' },
      { name: 'stage', value: { id: expect.any(String), external_unique_id: 'model-a', name: { en: 'Model A' } } },
      { name: 'area', amount: '10.5', unit: null },
      { name: 'period', from: '2026-01', to: '2026-12' },
    ]);
    const cleared = await put([{ name: 'stage', value: null }]);
    expect(cleared[2].value).toBeNull();
    expect(cleared[0].value).toBe('42.0');
  });
});

describe('project owners', () => {
  test('add: an empty list changes nothing, already an owner is 422, unknown is 404; removing a non-owner is 500', async () => {
    const { send, path } = await openProject();
    const anna = await findUser(send, 'E1');
    const gone = await findUser(send, 'E3');
    const add = (user_ids: string[]) => send('POST', `${path}/project_owners`, { user_ids });
    expect((await add([])).body.project_owners).toEqual([]);
    expect((await add([anna.id, 'nope'])).status).toBe(404);
    const added = await add([anna.id, gone.id]);
    expect(added.body.project_owners).toMatchObject([
      { id: anna.id, email: 'anna@example.com' },
      { id: gone.id, deactivated: true },
    ]);
    expect((await add([anna.id])).status).toBe(422);
    expect((await send('DELETE', `${path}/project_owners/${anna.id}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/project_owners/${anna.id}`)).status).toBe(500);
  });

  test('sync_by_email: adds or replaces; changes nothing for an unmatched email; 422 for an empty replace', async () => {
    const { send, path } = await openProject();
    const sync = (body: object) => send('PUT', `${path}/project_owners/sync_by_email`, body);
    const emails = async () =>
      (await send('GET', path)).body.project_owners.map((owner: { email: string }) => owner.email);
    expect((await sync({ emails: ['anna@example.com'] })).status).toBe(200);
    expect((await sync({ emails: ['anna@example.com', 'bjorn@example.com'] })).status).toBe(200);
    expect(await emails()).toEqual(['anna@example.com', 'bjorn@example.com']);
    expect((await sync({ emails: ['gone@example.com', 'nobody@example.com'], replace: true })).status).toBe(422);
    expect((await sync({ emails: [], replace: true })).status).toBe(422);
    expect(await emails()).toEqual(['anna@example.com', 'bjorn@example.com']);
    expect((await sync({ emails: ['gone@example.com'], replace: true })).status).toBe(200);
    expect(await emails()).toEqual(['gone@example.com']);
  });
});

describe('project entries', () => {
  test.each([
    ['project_challenges', 'project_challenge'],
    ['project_solutions', 'project_solution'],
    ['customer_value_propositions', 'customer_value_proposition'],
  ])('%s: create, partial update with version +1, delete', async (kind, wrapper) => {
    const { send, path, project } = await openProject();
    const made = await send('POST', `${path}/${kind}`, { [wrapper]: { label: { int: 'L' }, value: { int: 'V' } } });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ reference_project_id: project.id, disabled: false, version: 1 });
    const put = await send('PUT', `${path}/${kind}/${made.body.id}`, {
      [wrapper]: { value: { no: 'W' }, disabled: true },
    });
    expect(put.body).toMatchObject({ label: { int: 'L' }, disabled: true, version: 2 });
    expect(put.body.value).toEqual({ no: 'W' });
    expect((await send('POST', `${path}/${kind}`, { value: { int: 'V' } })).status).toBe(400);
    expect((await send('DELETE', `${path}/${kind}/${made.body.id}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/${kind}/${made.body.id}`)).status).toBe(404);
    expect((await send('GET', path)).body[kind]).toHaveLength(1);
  });
});

describe('custom tags on records', () => {
  test('projects: full project, 422 with details when already attached, 404 for unknown ids or a missing field', async () => {
    const { send, path } = await openProject();
    const { unit, hidden, north } = await readTags(send);
    const attach = (body: object) => send('POST', `${path}/custom_tags`, body);
    const both = { custom_tag_category_id: unit, custom_tag_id: north };
    expect((await attach(both)).body.custom_tags).toMatchObject([{ id: north, custom_tag_category: { id: unit } }]);
    const again = await attach(both);
    expect([again.status, again.body.details]).toEqual([422, [expect.any(String)]]);
    expect((await attach({ custom_tag_id: north })).status).toBe(404);
    expect((await attach({ custom_tag_category_id: hidden, custom_tag_id: north })).status).toBe(404);
    expect((await attach({ custom_tag_category_id: unit, custom_tag_id: 'nope' })).status).toBe(404);
    expect((await send('DELETE', `${path}/custom_tags/${north}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/custom_tags/${north}`)).status).toBe(404);
  });

  test('can_be_used_for_* filters what is shown, not what is attached', async () => {
    const { send, path, customerId } = await openProject();
    const { hidden, secret } = await readTags(send);
    const both = { custom_tag_category_id: hidden, custom_tag_id: secret };
    for (const record of [path, `${CUSTOMERS}/${customerId}`]) {
      const reply = await send('POST', `${record}/custom_tags`, both);
      expect([reply.status, reply.body.custom_tags]).toEqual([200, []]);
      expect((await send('DELETE', `${record}/custom_tags/${secret}`)).status).toBe(204);
    }
  });
});

describe('references/search', () => {
  test('applies the stage filter to total, not to workflow_stage_counts; clauses narrow both', async () => {
    const { send, customerId, as } = await openProject();
    await create(send, customerId, { project_name: { int: 'Bridge' } });
    const search = async (body: object, key = 'reader-key') =>
      (await send('POST', '/api/v4/references/search', body, as(key))).body;
    const counts = { all: 2, draft: 1, live: 1, ready_for_review: 0 };
    const drafts = await search({ size: 10, workflow_stage_filter: 'draft' });
    expect(drafts).toMatchObject({ total: 1, workflow_stage_counts: counts });
    expect(drafts.references[0].reference.project_name.int).toBe('Bridge');
    const dams = await search({ must: [{ query: { field: 'project_name', value: 'dam' } }] });
    expect(dams).toMatchObject({ total: 1, workflow_stage_counts: { ...counts, all: 1, draft: 0 } });
    expect(dams.references[0].reference.industry.external_unique_id).toBe('energy');
    expect((await search({}, 'plain-key')).total).toBe(1);
    expect((await search({ filter_owned: true })).total).toBe(0);
  });
});
