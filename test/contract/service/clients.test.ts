import { describe, expect, test } from 'vitest';
import { oneIn } from '../../depth.js';
import { ACCOUNT, findCustomer, findPlaces, findUser, openService, type Service } from './open-service.js';

const CUSTOMERS = '/api/v2/company/cv/customers';
const SEARCH = '/api/v4/search';
const CHANGES = '/api/v1/users/changes?profile_updated_since=2020-01-01T00:00:00Z';

/**
 * The fields by type that models of existing clients require; `?` may be null. Collected by hand from several clients.
 */
const USER = {
  string:
    '_id company_id company_name international_toggle preferred_download_format default_cv_template_id default_cv_id created_at updated_at language_code',
  boolean: 'deactivated expand_proposals_toggle include_officeless_reference_projects',
  list: 'company_subdomains company_group_ids language_codes masterdata_languages selected_office_ids selected_tag_ids roles role_allowed_office_ids role_allowed_tag_ids',
  '?': 'override_language_code upn telephone',
  object: 'image',
};
const SECTION = {
  string: '_id',
  boolean: 'diverged_from_master starred disabled recently_added',
  number: 'version',
  '?': 'origin_id modifier_id',
};
const CV = {
  string: '_id bruker_id navn company_id updated_ago template_document_type default_word_template_id country_code',
  boolean: 'can_write default',
  list: 'language_codes custom_tags custom_tag_ids highlighted_roles cv_roles',
  '?': 'born_day born_month imported_date level locked_at locked_until modifier_id order owner_updated_at_significant proposal tilbud_id telefon twitter landline default_ppt_template_id',
  object: 'image title nationality place_of_residence name_multilang',
};
const PREVIEW = {
  string:
    '_id id bruker_id navn office_id country_id updated_ago template_document_type default_word_template_id company_id',
  boolean: 'is_external is_deactivated',
  list: 'custom_tag_ids language_codes',
  object: 'name_multilang titles image',
  '?': 'telephone default_ppt_template_id default_word_json_template_id default_indesign_template_id status owner_updated_at',
};
const PLACE = { string: '_id id', boolean: 'selected', '?': 'default_word_template_id default_ppt_template_id' };
const CUSTOMER = {
  string: '_id id company_id created_at updated_at',
  number: 'version project_count',
  list: 'custom_tags',
  object: 'image customer_description_to_cvs customer_description industry',
  '?': 'masterdata_industry_id image_width image_height customer_url external_unique_id',
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === undefined ? 'missing' : typeof value;
}

function expectFields(record: Readonly<Record<string, unknown>>, model: Readonly<Record<string, string>>): void {
  for (const [kind, names] of Object.entries(model)) {
    for (const name of names.split(' ')) {
      const found = kindOf(record[name]);
      expect([name, kind === '?' && found !== 'missing' ? '?' : found]).toEqual([name, kind]);
    }
  }
}

const read = async ({ send }: Service, path: string) => (await send('GET', path)).body;

describe('beyond the spec: fields that existing clients read', () => {
  test('sends users with these fields in every list and alone', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const [listed] = await read(service, '/api/v1/users?limit=1');
    const [found] = await read(service, '/api/v2/users/search?size=1');
    for (const user of [anna, listed, found, await read(service, `/api/v1/users/${anna.id}`)]) expectFields(user, USER);
    expect(anna.default_cv_template_id).toBe(listed.default_cv_template_id);
  });

  test.each(['scoped', 'plain'] as const)('the scope of a departmentmanager in %s lists', async (user_lists) => {
    const service = await openService({ fixture: { ...ACCOUNT, account: { ...ACCOUNT.account, user_lists } } });
    const { id } = await findUser(service, 'E1');
    const { oslo } = await findPlaces(service);
    const scope = { role_allowed_office_ids: [oslo.office_id], role_allowed_tag_ids: [] };
    const user = { extra_roles: ['departmentmanager'], ...scope };
    const changed = await service.send('PUT', `/api/v1/users/${id}`, { user });
    const records = [changed.body, await read(service, `/api/v1/users/${id}`)];
    const lists = ['/api/v1/users', '/api/v2/users/search', '/api/v2/users/search?name=anna', CHANGES];
    const listed = [await findUser(service, 'E1')];
    for (const list of lists) listed.push((await read(service, list)).find((one: { id: string }) => one.id === id));
    for (const record of records) expect(record).toMatchObject(scope);
    for (const record of listed) {
      expect([record.id, record.role_allowed_office_ids, record.role_allowed_tag_ids]).toEqual(
        user_lists === 'scoped' ? [id, [oslo.office_id], []] : [id, undefined, undefined],
      );
    }
  });

  test('a CV, its sections, and its preview in searches', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const made = await service.send('POST', `${anna.cv}/project_experiences`, {
      project_experience: { customer: { int: 'C' } },
    });
    await service.send('POST', `${anna.cv}/project_experiences/${made.body._id}/roles`, {
      role: { name: { int: 'Lead' } },
    });
    const cv = await read(service, anna.cv);
    expectFields(cv, CV);
    for (const type of ['educations', 'technologies', 'project_experiences']) expectFields(cv[type][0], SECTION);
    expectFields(cv.educations[0], { list: 'attachments' });
    expectFields(cv.technologies[0], { list: 'exclude_tags' });
    expectFields(cv.project_experiences[0], {
      string: 'customer_selected',
      list: 'roles images exclude_tags',
      '?': 'related_work_experience_id',
    });
    const [experience] = cv.project_experiences;
    expect(cv.cv_roles).toMatchObject([
      {
        name: { int: 'Lead' },
        years_of_experience: 0,
        project_experiences: [{ _id: experience._id, roles: [{ _id: experience.roles[0]._id }] }],
      },
    ]);
    const { body } = await service.send('POST', SEARCH, { size: 1 });
    expectFields(body.cvs[0], { string: 'preview_url highlight', number: 'index id', object: 'highlights' });
    expectFields(body.cvs[0].cv, PREVIEW);
  });

  test('sends countries and offices with these fields', async () => {
    const countries = await read(await openService(), '/api/v1/countries?use_legacy_codes=false');
    for (const country of countries) {
      expectFields(country, { ...PLACE, object: 'setting' });
      for (const office of country.offices) expectFields(office, PLACE);
    }
  });

  test('sends customers as a list in an object with the total, with these fields', async () => {
    const service = await openService();
    expect(
      (await service.send('POST', CUSTOMERS, { company_customer: { customer_name: { int: 'Beta' } } })).status,
    ).toBe(200);
    const list = await read(service, `${CUSTOMERS}?size=1`);
    expect([list.customers.length, list.total]).toEqual([1, 2]);
    expect((await read(service, `${CUSTOMERS}?customer_name=fjord`)).total).toBe(1);
    const customer = await findCustomer(service);
    expectFields(customer, CUSTOMER);
    expect(customer).toMatchObject({
      project_count: 2,
      version: 1,
      industry: { help_text: {}, company_id: customer.company_id },
    });
    expect(
      (await service.send('PUT', customer.path, { company_customer: { customer_url: 'https://x.test' } })).body.version,
    ).toBe(2);
  });

  test('an account may have the bare list and plain users, and change its mind', async () => {
    const account = { ...ACCOUNT.account, customer_lists: 'bare', user_lists: 'plain' } as const;
    const service = await openService({ fixture: { ...ACCOUNT, account } });
    expect(await read(service, CUSTOMERS)).toHaveLength(1);
    expect(await findUser(service, 'E1')).not.toHaveProperty('role_allowed_tag_ids');
    const usual = { customer_lists: 'wrapped', user_lists: 'scoped', missing_pictures: 'null' };
    expect((await service.control('POST', 'settings', usual)).body).toMatchObject(usual);
    expect((await read(service, CUSTOMERS)).customers).toHaveLength(1);
    expect(await findUser(service, 'E1')).toMatchObject({ role_allowed_tag_ids: [] });
  });

  test('masterdata of technologies: what CVs name, once each, as the spec shows masterdata', async () => {
    const service = await openService();
    const [anna, bjorn] = [await findUser(service, 'E1'), await findUser(service, 'E2')];
    const add = (cv: string, path: string, body: object) => service.send('POST', `${cv}/${path}`, body);
    const skill = (tags: object) => ({ tags });
    const clouds = { int: 'Cloud', no: 'Sky' };
    const kubernetes = { int: 'Kubernetes' };
    await add(anna.cv, 'technologies', {
      technology: { category: clouds, technology_skills: [skill(kubernetes), skill({ int: 'AWS' })] },
    });
    // The same in one of its languages, and the same skill in another category.
    await add(bjorn.cv, 'technologies', { technology: { category: { no: 'Sky', se: 'Moln' } } });
    await add(bjorn.cv, 'technologies', {
      technology: { category: { int: 'Languages' }, technology_skills: [skill(kubernetes), skill({ no: 'Ål' })] },
    });
    const experience = await add(bjorn.cv, 'project_experiences', { project_experience: {} });
    await add(bjorn.cv, `project_experiences/${experience.body._id}/project_experience_skills`, {
      project_experience_skill: skill({ int: 'Rust' }),
    });

    const list = (path: string) => read(service, `/api/v1/masterdata/technologies/${path}`);
    const categories = await list('category?use_legacy_codes=false');
    expect(categories).toMatchObject([
      { section_type: 'technologies', field_name: 'category', values: { en: 'Cloud', no: 'Sky', sv: 'Moln' } },
      { values: { en: 'Languages' }, external_unique_id: null, category_ids: [] },
    ]);
    const [cloud, languages] = categories.map(({ id }: { id: string }) => id);
    const tags: { values: object; field_name: string; category_ids: string[] }[] = await list('tags');
    const named = (records: typeof tags) => records.map(({ values }) => Object.values(values)[0]);
    expect(named(tags)).toEqual(['Ål', 'AWS', 'Kubernetes', 'Rust', 'TypeScript']);
    expect(tags.map(({ category_ids }) => category_ids)).toEqual([
      [languages],
      [cloud],
      [cloud, languages],
      [],
      [languages],
    ]);
    expect(tags[0]).toMatchObject({ section_type: 'technologies', field_name: 'tags' });

    expect(named(await list('tags?limit=2&offset=1'))).toEqual(['AWS', 'Kubernetes']);
    expect(named(await list('tags?query=ber'))).toEqual(['Kubernetes']);
    expect(named(await list('tags?query=al&language_code=int'))).toEqual([]);
    expect(named(await list(`tags?category_ids[]=${cloud}`))).toEqual(['AWS', 'Kubernetes']);
    expect(await list('tags?limit=5000')).toEqual(tags);
    expect((await service.send('GET', '/api/v1/masterdata/technologies/tags?limit=5001')).status).toBe(400);
    await service.send('PUT', `${anna.cv}/technologies/${(await read(service, anna.cv)).technologies[0]._id}`, {
      technology: { version: 1, category: { int: 'Weather' } },
    });
    expect(named(await list('category?query=weather'))).toEqual(['Weather']);
  });

  test.each(oneIn(1, [SEARCH, '/api/v4/references/search', '/api/v4/references/reports']))(
    'treats must: {} as no clauses: %s',
    async (path) => {
      const { send } = await openService();
      const ask = async (body: object) => (await send('POST', path, { size: 10, output_format: 'csv', ...body })).body;
      const all = await ask({});
      expect(await ask({ must: {} })).toEqual(
        path.endsWith('reports') ? expect.objectContaining({ total: all.total }) : all,
      );
      expect((await send('POST', path, { size: 10, output_format: 'csv', must: { bool: {} } })).status).toBe(400);
    },
  );

  test('accepts limits up to 1,400 for the list of users', async () => {
    const { send } = await openService();
    expect((await send('GET', '/api/v1/users?limit=1400&offset=0')).body).toHaveLength(5);
    expect((await send('GET', '/api/v1/users?limit=1401')).status).toBe(400);
  });
});
