import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findCustomer, findPlaces, findProject, findTags, findUser, openService } from './open-service.js';

const PROJECTS = '/api/v2/company/cv/projects';
const ISO = '?use_legacy_codes=false';

async function openProjects() {
  const service = await openService();
  const customer = await findCustomer(service);
  const create = (company_project: object, key = 'admin') =>
    service.send('POST', `${customer.path}/projects${ISO}`, { company_project }, { key });
  const made = async (company_project: object = { project_name: { en: 'New' } }) => {
    const { body } = await create(company_project);
    return { ...body, path: `${customer.path}/projects/${body.id}` };
  };
  return { service, customer, create, made };
}

describe('Reference project, create', () => {
  const texts = [
    'project_description',
    'project_introduction',
    'project_notes',
    'project_skills_description',
    'type',
    'contract_type',
  ];
  const strings = {
    external_unique_id: 'PX',
    architect: 'A',
    area_amt: '1',
    area_unit: 'm2',
    building_owner: 'B',
    collaborating_partners: 'C',
    project_address: 'D',
    extent: 'about ten',
    extent_amt: '10',
    total_extent_amt: '20',
    total_extent_hours: '30',
    extent_hours_new: '40.5',
    extent_currency: 'nok',
    total_extent_currency: 'eur',
    location_country_code: 'no',
    month_from: '9',
    year_from: '2020',
    month_to: '09',
    year_to: '2021',
  };

  test('Project rules 2: 200 with the complete project, accepting every settable field', async () => {
    const { create, customer } = await openProjects();
    const ml = Object.fromEntries(texts.map((field) => [field, { en: field }]));
    const sent = { project_name: { en: 'N', no: 'N', sv: 'N' }, ...ml, ...strings, workflow_stage: 'ready_for_review' };
    const { status, body } = await create(sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...sent,
      id: expect.any(String),
      company_customer_id: customer.id,
      customer_name: { en: 'Fjord Power', no: 'Fjordkraft' },
      version: expect.any(Number),
      updated_at: expect.any(String),
      has_linked_project_experiences: false,
    });
    for (const name of [
      'project_challenges',
      'project_solutions',
      'customer_value_propositions',
      'customer_contacts',
      'project_links',
      'company_project_skills',
      'project_owners',
      'offices',
      'attachments',
      'custom_tags',
      'project_introduction_images',
      'project_challenges_images',
      'project_solutions_images',
      'customer_value_propositions_images',
    ]) {
      expect([name, body[name]]).toEqual([name, expect.any(Array)]);
    }
    expect(body).not.toHaveProperty('custom_fields');
  });

  sweep('Project rules 2: an empty entry each in four arrays, a default office, and filled names', async () => {
    const { create } = await openProjects();
    const { body } = await create({ project_name: { no: 'Navn' } });
    for (const name of ['project_challenges', 'project_solutions', 'customer_value_propositions']) {
      expect(body[name]).toEqual([
        {
          id: expect.any(String),
          reference_project_id: body.id,
          label: {},
          value: {},
          disabled: false,
          version: expect.any(Number),
        },
      ]);
    }
    expect(body.customer_contacts).toHaveLength(1);
    expect(body.offices).toHaveLength(1);
    expect(body.project_name).toEqual({ en: 'Navn', no: 'Navn', sv: 'Navn' });
    expect(body.workflow_stage).toBe('draft');
  });

  sweep('Project rules 3: accepts office_ids on create, and ignores it on update', async () => {
    const { service, create, customer } = await openProjects();
    const { bergen, stockholm } = await findPlaces(service);
    const { body } = await create({ project_name: { en: 'N' }, office_ids: [bergen.office_id] });
    expect(body.offices).toMatchObject([{ name: 'Bergen' }]);
    const path = `${customer.path}/projects/${body.id}`;
    const company_project = { office_ids: [stockholm.office_id], architect: 'A' };
    const put = await service.send('PUT', path, { company_project });
    expect([put.status, put.body.offices, put.body.architect]).toMatchObject([200, [{ name: 'Bergen' }], 'A']);
  });

  test.each([
    ['admin', 200],
    ['references', 200],
    ['norway', 403],
    ['oslo', 403],
    ['plain', 403],
    ['anna', 403],
    ['reader', 403],
  ])('Project rules 1: create by %s is %i', async (key, status) => {
    const { create } = await openProjects();
    expect((await create({ project_name: { en: 'N' } }, key)).status).toBe(status);
  });

  sweep('at least one field, the wrapper (400); customer unknown (404)', async () => {
    const { service, customer, create } = await openProjects();
    expect((await create({})).status).toBe(400);
    expect((await service.send('POST', `${customer.path}/projects`, { project_name: { int: 'N' } })).status).toBe(400);
    const stray = customer.path.replace(customer.id, 'nope');
    const company_project = { project_name: { int: 'N' } };
    expect((await service.send('POST', `${stray}/projects`, { company_project })).status).toBe(404);
  });
});

describe('Reference project, read', () => {
  test('include_project_sections=false omits nested arrays; include_custom_fields must be exactly true', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const short = (await service.send('GET', `${path}?include_project_sections=false`)).body;
    expect(Object.values(short).filter(Array.isArray)).toEqual([]);
    expect((await service.send('GET', path)).body.project_challenges).toHaveLength(1);
    for (const flag of ['True', '1', 'yes']) {
      expect((await service.send('GET', `${path}?include_custom_fields=${flag}`)).body).not.toHaveProperty(
        'custom_fields',
      );
    }
    const whole = (await service.send('GET', `${path}?include_custom_fields=true`)).body;
    // Custom fields 7: every defined field, unset ones with null values.
    expect(whole.custom_fields).toEqual([
      { name: 'headcount', type: 'numeric', value: null, sensitivity: null, anonymized: {} },
      { name: 'value', type: 'currency_amount', amount: null, currency: null, sensitivity: null, anonymized: {} },
      { name: 'stage', type: 'single_select', value: null, sensitivity: null, anonymized: {} },
      { name: 'volume', type: 'quantity', amount: null, unit: null, sensitivity: null, anonymized: {} },
      { name: 'period', type: 'year_month_range', from: null, to: null, sensitivity: null, anonymized: {} },
    ]);
  });

  sweep('404: unknown project, a project of another customer', async () => {
    const { service, customer, made } = await openProjects();
    const { id } = await made();
    expect((await service.send('GET', `${customer.path}/projects/nope`)).status).toBe(404);
    const other = await service.send('POST', '/api/v2/company/cv/customers', {
      company_customer: { customer_name: { int: 'Other' } },
    });
    expect((await service.send('GET', `/api/v2/company/cv/customers/${other.body.id}/projects/${id}`)).status).toBe(
      404,
    );
  });

  test('projects/find: searches all customers; 409 with duplicate_project_ids if several share the id', async () => {
    const { service, made } = await openProjects();
    const find = (id: string) => service.send('GET', `${PROJECTS}/find?external_unique_id=${id}`);
    expect((await find('P1')).body.project_name).toEqual({ int: 'Dam', no: 'Dam', se: 'Dam' });
    expect((await find('nope')).status).toBe(404);
    const ids = [(await made({ external_unique_id: 'D' })).id, (await made({ external_unique_id: 'D' })).id];
    const twice = await find('D');
    expect([twice.status, [...twice.body.duplicate_project_ids].sort()]).toEqual([409, ids.sort()]);
  });

  test('projects: requires company_customer_id (404 without it); custom fields on demand', async () => {
    const { service, customer } = await openProjects();
    expect((await service.send('GET', PROJECTS)).status).toBe(404);
    const query = `?company_customer_id=${customer.id}`;
    const { status, body } = await service.send('GET', `${PROJECTS}${query}&include_custom_fields=true`);
    expect([status, body.projects.length]).toEqual([200, 2]);
    expect(body.projects[0].custom_fields).toHaveLength(5);
    expect((await service.send('GET', PROJECTS + query)).body.projects[0]).not.toHaveProperty('custom_fields');
  });
});

describe('Reference project, update and delete', () => {
  test('Project rules 4: version +1, only sent fields, texts replaced completely', async () => {
    const { service, made } = await openProjects();
    const project = await made({ project_name: { en: 'A', no: 'B' }, architect: 'X' });
    const put = await service.send('PUT', project.path + ISO, { company_project: { project_name: { en: 'C' } } });
    expect(put.body).toMatchObject({ architect: 'X', version: project.version + 1 });
    // Filled on create only.
    expect(put.body.project_name).toEqual({ en: 'C' });
    expect((await service.send('PUT', project.path, { company_project: {} })).status).toBe(400);
  });

  sweep('Project rules 5: answers 422 for upper case currency codes', async () => {
    const { create } = await openProjects();
    for (const field of ['extent_currency', 'total_extent_currency']) {
      expect((await create({ [field]: 'NOK' })).status).toBe(422);
      expect((await create({ [field]: 'nok' })).status).toBe(200);
    }
  });

  test('DELETE is 204, then 404', async () => {
    const { service, made } = await openProjects();
    const { path } = await made();
    expect((await service.send('DELETE', path, undefined, { key: 'plain' })).status).toBe(403);
    expect((await service.send('DELETE', path)).status).toBe(204);
    expect((await service.send('DELETE', path)).status).toBe(404);
  });

  test('Project rules 1: lets owners edit their own projects without either role, but not others', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P2');
    const company_project = { architect: 'Anna' };
    expect((await service.send('PUT', path, { company_project }, { key: 'anna' })).status).toBe(200);
    const live = await findProject(service, 'P1');
    expect((await service.send('PUT', live.path, { company_project }, { key: 'anna' })).status).toBe(403);
    // Authentication 3: a departmentmanager edits the references of its offices.
    expect((await service.send('PUT', path, { company_project }, { key: 'oslo' })).status).toBe(200);
  });
});

describe('States, Reference project workflow_stage', () => {
  test('none → draft when omitted, none → the given stage, any → any of the three with version +1', async () => {
    const { service, made } = await openProjects();
    const project = await made();
    expect(project.workflow_stage).toBe('draft');
    for (const stage of ['draft', 'ready_for_review', 'live']) {
      expect((await made({ workflow_stage: stage })).workflow_stage).toBe(stage);
    }
    let { version } = project;
    for (const stage of ['live', 'draft', 'ready_for_review', 'live', 'ready_for_review', 'draft']) {
      const put = await service.send('PUT', project.path, { company_project: { workflow_stage: stage } });
      version += 1;
      expect(put.body).toMatchObject({ workflow_stage: stage, version });
    }
  });

  sweep('answers 422 for a value outside the three, and changes nothing', async () => {
    const { service, made, create } = await openProjects();
    const project = await made();
    const put = await service.send('PUT', project.path, {
      company_project: { workflow_stage: 'dead', architect: 'X' },
    });
    expect(put.status).toBe(422);
    expect((await service.send('GET', project.path)).body).toMatchObject({ workflow_stage: 'draft', architect: null });
    expect((await create({ workflow_stage: 'dead' })).status).toBe(422);
    const none = { company_project: { workflow_stage: null } };
    expect((await service.send('PUT', project.path, none)).status).toBe(422);
  });

  sweep(
    'live requires the publish permission: owners with only consultant or limited_access cannot publish',
    async () => {
      const { service } = await openProjects();
      const [{ path }, bjorn] = [await findProject(service, 'P2'), await findUser(service, 'E2')];
      await service.send('POST', `${path}/project_owners`, { user_ids: [bjorn.id] });
      const put = async (stage: string, key: string) =>
        (await service.send('PUT', path, { company_project: { workflow_stage: stage } }, { key })).status;
      for (const key of ['anna', 'limited']) {
        expect([await put('ready_for_review', key), await put('live', key)]).toEqual([200, 403]);
      }
      expect(await put('live', 'references')).toBe(200);
    },
  );

  sweep.each([
    ['admin', true],
    ['reader', true],
    ['references', true],
    ['norway', true],
    ['oslo', true],
    ['anna', true],
    ['plain', false],
    ['limited', false],
    ['external', false],
  ])('Readability: says for %s if a draft in Oslo owned by Anna is readable: %s', async (key, isReadable) => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P2');
    expect((await service.send('GET', path, undefined, { key })).status).toBe(isReadable ? 200 : 403);
    const found = await service.send('GET', `${PROJECTS}/find?external_unique_id=P2`, undefined, { key });
    expect(found.status).toBe(isReadable ? 200 : 403);
  });

  test('Errors 403: without read access, a key cannot write, attach or copy either', async () => {
    const { service } = await openProjects();
    const { path, id, company_customer_id } = await findProject(service, 'P2');
    const { unit, north } = await findTags(service);
    const as = async (method: string, at: string, body?: object) =>
      (await service.send(method, at, body, { key: 'plain' })).status;
    expect(await as('PUT', path, { company_project: { architect: 'X' } })).toBe(403);
    expect(await as('PUT', path, { company_project: { custom_fields: [{ name: 'headcount', value: 1 }] } })).toBe(403);
    const tag = { custom_tag_category_id: unit, custom_tag_id: north };
    expect(await as('POST', `${path}/custom_tags`, tag)).toBe(403);
    expect(await as('POST', `${path}/project_challenges`, { project_challenge: { value: { int: 'X' } } })).toBe(403);
    expect(await as('GET', `/api/v1/reference_projects/download/${company_customer_id}/${id}/int/pdf/t1`)).toBe(403);
    const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'Bid' } }, { key: 'plain' });
    const reference = { company_customer_id, company_project_id: id };
    expect(await as('POST', `/api/v1/offers/${offer.body._id}/references`, { reference })).toBe(403);
  });

  sweep('Readability: most roles can read a live project', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    for (const key of ['plain', 'limited', 'anna', 'oslo', 'proposals']) {
      expect((await service.send('GET', path, undefined, { key })).status).toBe(200);
    }
  });
});

describe('Reference project, owners', () => {
  async function openOwners() {
    const { service } = await openProjects();
    const project = await findProject(service, 'P1');
    const [anna, bjorn, gone] = [
      await findUser(service, 'E1'),
      await findUser(service, 'E2'),
      await findUser(service, 'E3'),
    ];
    const ids = async () =>
      (await service.send('GET', project.path)).body.project_owners.map(({ id }: { id: string }) => id);
    const add = (user_ids: string[]) => service.send('POST', `${project.path}/project_owners`, { user_ids });
    const sync = (body: object) => service.send('PUT', `${project.path}/project_owners/sync_by_email`, body);
    return { service, project, anna, bjorn, gone, ids, add, sync };
  }

  test('POST: 200 with the complete project and the fields of an owner; accepts deactivated users', async () => {
    const { anna, gone, add } = await openOwners();
    const { status, body } = await add([anna.id, gone.id]);
    expect([status, body.version]).toEqual([200, expect.any(Number)]);
    expect(body.project_owners).toEqual([
      {
        id: anna.id,
        email: 'anna@example.com',
        external_unique_id: 'E1',
        name: 'Anna Åsen',
        office_id: anna.office_id,
        office_name: 'Oslo',
        role: 'consultant',
        title: { int: 'Engineer', no: 'Ingeniør' },
        deactivated: false,
      },
      expect.objectContaining({ id: gone.id, deactivated: true }),
    ]);
  });

  sweep('POST: an empty array changes nothing, already an owner 422, an unknown user 404', async () => {
    const { anna, bjorn, add, ids } = await openOwners();
    await add([anna.id]);
    expect((await add([])).status).toBe(200);
    expect((await add([bjorn.id, anna.id])).status).toBe(422);
    expect((await add([bjorn.id, 'nope'])).status).toBe(404);
    expect(await ids()).toEqual([anna.id]);
  });

  test('sync_by_email: adds owners, or replaces the list', async () => {
    const { anna, bjorn, sync, ids } = await openOwners();
    expect((await sync({ emails: ['anna@example.com'] })).status).toBe(200);
    expect((await sync({ emails: ['bjorn@example.com'], replace: false })).status).toBe(200);
    expect(await ids()).toEqual([anna.id, bjorn.id]);
    expect((await sync({ emails: ['bjorn@example.com'], replace: true })).status).toBe(200);
    expect(await ids()).toEqual([bjorn.id]);
  });

  sweep('sync_by_email: an unmatched email 422, replace with an empty list 422; changes nothing', async () => {
    const { anna, add, sync, ids } = await openOwners();
    await add([anna.id]);
    expect((await sync({ emails: ['bjorn@example.com', 'who@example.com'], replace: true })).status).toBe(422);
    expect((await sync({ emails: [], replace: true })).status).toBe(422);
    expect(await ids()).toEqual([anna.id]);
  });

  test('DELETE: 204; Errors 500: someone who is not an owner', async () => {
    const { service, project, anna, bjorn, add, ids } = await openOwners();
    await add([anna.id]);
    const remove = async (id: string) => (await service.send('DELETE', `${project.path}/project_owners/${id}`)).status;
    expect(await remove(bjorn.id)).toBe(500);
    expect(await remove(anna.id)).toBe(204);
    expect(await remove(anna.id)).toBe(500);
    expect(await ids()).toEqual([]);
  });
});

describe.each([
  ['project_challenges', 'project_challenge'],
  ['project_solutions', 'project_solution'],
  ['customer_value_propositions', 'customer_value_proposition'],
])('Reference project, %s', (kind, wrapper) => {
  test('POST the created entry with id, PUT partial with version +1 (Project rules 4), DELETE 204', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const entry = { label: { en: 'L', no: 'M' }, value: { en: 'V' }, disabled: true };
    const made = await service.send('POST', `${path}/${kind}${ISO}`, { [wrapper]: entry });
    expect([made.status, made.body]).toMatchObject([200, { ...entry, id: expect.any(String) }]);
    const one = `${path}/${kind}/${made.body.id}`;
    const put = (body: object) => service.send('PUT', one + ISO, { [wrapper]: body });
    const changed = await put({ label: { en: 'N' } });
    expect(changed.body).toEqual({ ...made.body, label: { en: 'N' }, version: made.body.version + 1 });
    expect((await put({ disabled: false })).body).toMatchObject({
      label: { en: 'N' },
      value: { en: 'V' },
      disabled: false,
    });
    const listed = (await service.send('GET', path + ISO)).body[kind].at(-1);
    expect(listed).toMatchObject({ id: made.body.id, disabled: false });
    expect((await service.send('PUT', one, { value: {} })).status).toBe(400);
    expect((await service.send('DELETE', one)).status).toBe(204);
    expect((await service.send('DELETE', one)).status).toBe(404);
    expect((await service.send('PUT', one, { [wrapper]: { disabled: true } })).status).toBe(404);
  });
});

describe('Reference project, parts that the spec does not show', () => {
  sweep('requires full URLs for links; skills and contacts are entries like the others', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const post = (kind: string, wrapper: string, entry: object) =>
      service.send('POST', `${path}/${kind}`, { [wrapper]: entry });
    const link = await post('project_links', 'project_link', { label: { int: 'Site' }, url: 'https://dam.example/x' });
    expect(link.body).toMatchObject({
      id: expect.any(String),
      label: { int: 'Site' },
      url: 'https://dam.example/x',
      disabled: false,
      version: 1,
    });
    for (const url of ['dam.example', '/x', '', undefined]) {
      expect((await post('project_links', 'project_link', { label: { int: 'X' }, url })).status).toBe(422);
    }
    const contact = await post('customer_contacts', 'customer_contact', { name: 'Per', email: 'p@c.example' });
    expect(contact.body).toMatchObject({ name: 'Per', email: 'p@c.example' });
    const skill = await post('company_project_skills', 'company_project_skill', { tags: { int: 'Concrete' } });
    expect(skill.body).toMatchObject({ tags: { int: 'Concrete' } });
    const { body } = await service.send('GET', path);
    expect([body.project_links.length, body.company_project_skills.length]).toEqual([1, 1]);
    expect((await service.send('DELETE', `${path}/project_links/${link.body.id}`)).status).toBe(204);
  });

  test('adds and removes offices like owners', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P2');
    const { bergen } = await findPlaces(service);
    const added = await service.send('POST', `${path}/offices`, { office_ids: [bergen.office_id] });
    expect(added.body.offices.map(({ name }: { name: string }) => name)).toEqual(['Oslo', 'Bergen']);
    expect((await service.send('POST', `${path}/offices`, { office_ids: [bergen.office_id] })).status).toBe(422);
    expect((await service.send('DELETE', `${path}/offices/${bergen.office_id}`)).status).toBe(204);
    expect((await service.send('DELETE', `${path}/offices/${bergen.office_id}`)).status).toBe(404);
  });

  test('Conventions 1: accepts attachments as multipart/form-data, and serves them by a signed link', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const boundary = 'xyz';
    const text = `--${boundary}\r\nContent-Disposition: form-data; name="attachment[file]"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nHello\r\n--${boundary}--\r\n`;
    const raw = { text, type: `multipart/form-data; boundary=${boundary}` };
    const made = await service.send('POST', `${path}/attachments`, undefined, { raw });
    expect([made.status, made.body]).toMatchObject([200, { file_name: 'a.txt', content_type: 'text/plain', size: 5 }]);
    const file = await fetch(made.body.url);
    expect([file.status, await file.text()]).toEqual([200, 'Hello']);
    await service.control('POST', 'clock', { advance_ms: 11 * 60 * 1000 });
    expect((await fetch(made.body.url)).status).toBe(403);
    expect((await service.send('POST', `${path}/attachments`, {})).status).toBe(415);
    expect((await service.send('GET', path)).body.attachments).toHaveLength(1);
    expect((await service.send('DELETE', `${path}/attachments/${made.body.id}`)).status).toBe(204);
    expect((await service.send('GET', path)).body.attachments).toEqual([]);
  });
});

describe('Custom tags on projects', () => {
  test('POST the full project, again 422 with details; DELETE 204, again 404; unknown ids 404', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const { unit, hidden, north, secret } = await findTags(service);
    const attach = (category?: string, tag?: string) =>
      service.send('POST', `${path}/custom_tags`, { custom_tag_category_id: category, custom_tag_id: tag });
    const first = await attach(unit, north);
    expect([first.status, first.body]).toMatchObject([
      200,
      { custom_tags: [{ id: north }], version: expect.any(Number) },
    ]);
    const again = await attach(unit, north);
    expect([again.status, again.body.details]).toEqual([422, [expect.any(String)]]);
    for (const [category, tag] of [
      ['nope', north],
      [unit, 'nope'],
      [unit, undefined],
      [undefined, north],
    ]) {
      expect((await attach(category, tag)).status).toBe(404);
    }
    expect((await attach(hidden, secret)).body.custom_tags).toMatchObject([{ id: north }]);
    expect((await service.send('DELETE', `${path}/custom_tags/${north}`)).status).toBe(204);
    expect((await service.send('DELETE', `${path}/custom_tags/${north}`)).status).toBe(404);
  });

  test('Authentication 4: requires write permission on the project for tag writes', async () => {
    const { service } = await openProjects();
    const { path } = await findProject(service, 'P1');
    const { unit, north } = await findTags(service);
    const body = { custom_tag_category_id: unit, custom_tag_id: north };
    expect((await service.send('POST', `${path}/custom_tags`, body, { key: 'plain' })).status).toBe(403);
    expect((await service.send('POST', `${path}/custom_tags`, body, { key: 'references' })).status).toBe(200);
  });
});

describe('POST v4/references/search', () => {
  const SEARCH = '/api/v4/references/search';

  test('returns references with preview_url; total uses the stage filter, the counts do not', async () => {
    const { service } = await openProjects();
    const { body } = await service.send('POST', SEARCH + ISO, { workflow_stage_filter: 'live' });
    expect(body).toMatchObject({
      total: 1,
      workflow_stage_counts: { all: 2, draft: 1, live: 1, ready_for_review: 0 },
    });
    const { reference, preview_url } = body.references[0];
    expect(preview_url).toMatch(/^http/);
    expect(reference).toMatchObject({
      id: expect.any(String),
      external_unique_id: 'P1',
      month_from: '3',
      year_from: '2020',
      month_to: '9',
      year_to: '2022',
      project_name: { en: 'Dam', no: 'Dam', sv: 'Dam' },
      project_introduction: { en: 'Water' },
      company_customer_id: expect.any(String),
      customer_name: { en: 'Fjord Power', no: 'Fjordkraft' },
      industry: {
        id: expect.any(String),
        section_type: expect.any(String),
        field_name: 'industry',
        values: { en: 'Energy', no: 'Energi' },
        external_unique_id: 'energy',
      },
      extent: null,
      extent_hours: '12.5',
      workflow_stage: 'live',
      image_count: 0,
    });
  });

  sweep('supports offset, size, must and filter_owned', async () => {
    const { service } = await openProjects();
    const search = async (body: object, key = 'admin') => {
      const reply = await service.send('POST', SEARCH, body, { key });
      return [reply.body.total, reply.body.references.length];
    };
    expect(await search({ offset: 1, size: 5 })).toEqual([2, 1]);
    expect(await search({ must: [{ query: { value: 'tunn' } }] })).toEqual([1, 1]);
    expect(
      await search({ must: [{ bool: { should: [{ query: { field: 'project_name', value: 'Dam' } }] } }] }),
    ).toEqual([1, 1]);
    expect(await search({ filter_owned: true }, 'anna')).toEqual([1, 1]);
    expect(await search({}, 'plain')).toEqual([1, 1]);
    expect((await service.send('POST', SEARCH, { workflow_stage_filter: 'x' })).status).toBe(400);
    expect((await service.send('POST', SEARCH, { must: [{ what: {} }] })).status).toBe(400);
  });
});
