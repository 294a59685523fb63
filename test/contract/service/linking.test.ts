import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { ACCOUNT, findCustomer, findProject, findUser, openService, type Service } from './open-service.js';

const ISO = '?use_legacy_codes=false';

async function openLinking(options: Parameters<typeof openService>[0] = {}) {
  const service = await openService(options);
  const [project, anna, bjorn, sven] = [
    await findProject(service, 'P1'),
    await findUser(service, 'E1'),
    await findUser(service, 'E2'),
    await findUser(service, 'E5'),
  ];
  const link = (body: object, key = 'admin') => service.send('POST', `${project.path}/consultants`, body, { key });
  return { service, project, anna, bjorn, sven, link };
}

async function readExperiences({ send }: Service, cv: string) {
  return (await send('GET', cv + ISO)).body.project_experiences;
}

describe('Project linking, POST consultants', () => {
  test('returns updated_cvs; section_id needs include_section_ids', async () => {
    const { service, anna, sven, link } = await openLinking();
    const plain = await link({ user_ids: [anna.id, sven.id] });
    expect(plain.status).toBe(200);
    expect(plain.body).toEqual({
      updated_cvs: [
        { user_id: anna.id, cv_id: anna.default_cv_id, name: 'Anna Åsen' },
        { user_id: sven.id, cv_id: sven.default_cv_id, name: 'Sven Svensson' },
      ],
    });
    const withIds = await link({ user_ids: [sven.id], include_section_ids: true });
    const [experience] = await readExperiences(service, sven.cv);
    expect(withIds.body.updated_cvs[0].section_id).toBe(experience._id);
  });

  test('rule 1: creates it disabled, recently added, and in first place', async () => {
    const { service, anna, link } = await openLinking();
    for (const name of ['Old one', 'Old two']) {
      const sent = { project_experience: { description: { en: name } } };
      await service.send('POST', `${anna.cv}/project_experiences${ISO}`, sent);
    }
    await link({ user_ids: [anna.id] });
    const experiences = await readExperiences(service, anna.cv);
    expect(experiences.map(({ description }: { description: object }) => description)).toEqual([
      { en: 'Dam', no: 'Dam', sv: 'Dam' },
      { en: 'Old one' },
      { en: 'Old two' },
    ]);
    expect(experiences[0]).toMatchObject({ disabled: true, recently_added: true });
    expect(experiences[1]).toMatchObject({ disabled: false });
  });

  sweep('rule 2: does not check for duplicates', async () => {
    const { service, anna, link } = await openLinking();
    await link({ user_ids: [anna.id] });
    await link({ user_ids: [anna.id] });
    expect(await readExperiences(service, anna.cv)).toHaveLength(2);
  });

  test('rule 3: answers 404 for one unknown user id, and changes no CV', async () => {
    const { service, anna, link } = await openLinking();
    expect((await link({ user_ids: [anna.id, 'nope'] })).status).toBe(404);
    expect(await readExperiences(service, anna.cv)).toEqual([]);
  });

  sweep('rule 4: ignores customer_contact_ids on a hard link, and uses them on a copy', async () => {
    const { service, project, anna, bjorn, link } = await openLinking();
    const [contact] = project.customer_contacts;
    const ids = { customer_contact_ids: [contact.id], project_image_ids: ['x'] };
    expect((await link({ ...ids, user_ids: [anna.id] })).status).toBe(200);
    expect((await link({ ...ids, user_ids: [bjorn.id], link_to_project: true })).status).toBe(200);
    const read = async (cv: string) =>
      (await readExperiences(service, cv))[0].project_experience_customer_contacts.map(
        ({ name }: { name: string }) => name,
      );
    expect(await read(anna.cv)).toEqual(['Kari Kunde']);
    expect(await read(bjorn.cv)).toEqual(['Kari Kunde']);
    await link({ user_ids: [anna.id] });
    expect(await read(anna.cv)).toEqual([]);
  });

  sweep('rule 5: a hard link takes these fields from the project and the customer', async () => {
    const { service, project, anna, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const [experience] = await readExperiences(service, anna.cv);
    expect(experience).toMatchObject({
      link_type: 'linked',
      reference_project_id: project.id,
      reference_customer_id: project.company_customer_id,
      reference_project: { external_unique_id: 'P1' },
      description: { en: 'Dam' },
      long_description: { en: 'A big dam' },
      project_type: { en: 'Design' },
      contract_type: { en: 'Fixed' },
      project_address: 'Riverside 1',
      location_country_code: 'no',
      project_extent_amt: '1000',
      project_extent_currency: 'nok',
      project_extent_hours: '12.5',
      total_extent_amt: '5000',
      total_extent_currency: 'eur',
      total_extent_hours: '400',
      area_amt: '70',
      area_unit: 'm2',
      // The first *enabled* one.
      customer_value_proposition: { en: 'Clean power' },
      images: [],
      customer: { en: 'Fjord Power', no: 'Fjordkraft' },
      customer_description: { en: 'A utility' },
      industry: { en: 'Energy', no: 'Energi' },
    });
    // Enabled contacts only.
    expect(experience.project_experience_customer_contacts).toMatchObject([{ name: 'Kari Kunde' }]);
  });

  test('rule 5: a hard link follows the project, a copy does not', async () => {
    const { service, project, anna, bjorn, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    await link({ user_ids: [bjorn.id] });
    const company_project = { project_description: { en: 'Bigger' }, extent_amt: '9' };
    await service.send('PUT', project.path + ISO, { company_project });
    const customer = await findCustomer(service);
    await service.send('PUT', customer.path + ISO, { company_customer: { customer_name: { en: 'Renamed' } } });
    const [linked] = await readExperiences(service, anna.cv);
    const [copied] = await readExperiences(service, bjorn.cv);
    expect(linked).toMatchObject({ long_description: { en: 'Bigger' }, project_extent_amt: '9' });
    expect(linked.customer).toEqual({ en: 'Renamed' });
    expect(copied).toMatchObject({ long_description: { en: 'A big dam' }, project_extent_amt: '1000' });
    expect(copied.customer).toEqual({ en: 'Fjord Power', no: 'Fjordkraft' });
    expect(copied.link_type).not.toBe('linked');
    expect(copied).not.toHaveProperty('reference_project');
    expect(copied.reference_project_id).toBe(project.id);
  });

  sweep('rule 6: per-CV fields of a hard link can be set', async () => {
    const { service, project, anna, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const [{ _id, version }] = await readExperiences(service, anna.cv);
    const own = {
      month_from: '1',
      year_from: '2021',
      month_to: '2',
      year_to: '2022',
      percent_allocated: '50',
      extent_hours: '100',
      expected_roll_off_date: '2022-03-01',
      disabled: false,
      starred: true,
      order: 9,
      external_unique_id: 'mine',
    };
    const reply = await service.send('PUT', `${anna.cv}/project_experiences/${_id}`, {
      project_experience: { version, ...own },
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject(own);
    const role = { role: { name: { int: 'Lead' } } };
    expect((await service.send('POST', `${anna.cv}/project_experiences/${_id}/roles`, role)).status).toBe(200);
    expect((await service.send('GET', project.path)).body.month_from).toBe('3');
  });

  test.each([
    ['description', { int: 'x' }],
    ['long_description', { int: 'x' }],
    ['project_type', { int: 'x' }],
    ['contract_type', { int: 'x' }],
    ['project_address', 'x'],
    ['location_country_code', 'se'],
    ['project_extent_amt', '1'],
    ['project_extent_currency', 'nok'],
    ['project_extent_hours', '1'],
    ['total_extent_amt', '1'],
    ['total_extent_currency', 'nok'],
    ['total_extent_hours', '1'],
    ['area_amt', '1'],
    ['area_unit', 'm2'],
    ['customer_value_proposition', { int: 'x' }],
    ['customer', { int: 'x' }],
    ['customer_description', { int: 'x' }],
    ['industry', { int: 'x' }],
    ['images', [{}]],
    ['project_experience_customer_contacts', [{}]],
  ])('rule 7: rejects the inherited %s on a hard link', async (field, value) => {
    const { service, anna, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const [before] = await readExperiences(service, anna.cv);
    const path = `${anna.cv}/project_experiences/${before._id}`;
    const reply = await service.send('PUT', path, { project_experience: { version: before.version, [field]: value } });
    expect(reply.status).toBe(422);
    expect((await readExperiences(service, anna.cv))[0]).toEqual(before);
  });

  sweep('rule 7: answers 422 for an image or a contact added to a hard link', async () => {
    const { service, anna, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const [{ _id }] = await readExperiences(service, anna.cv);
    const path = `${anna.cv}/project_experiences/${_id}`;
    expect((await service.send('POST', `${path}/images`, {})).status).toBe(422);
    const contact = { project_experience_customer_contact: { name: 'X' } };
    const contacts = `${path}/project_experience_customer_contacts`;
    expect((await service.send('POST', contacts, contact)).status).toBe(422);
  });

  test('rule 8: copying a CV into a proposal keeps the link', async () => {
    const { service, project, anna, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'Bid' } });
    const cvs = `/api/v1/offers/${offer.body._id}/cvs`;
    const copy = await service.send('POST', cvs, { cv: { cv_id: anna.default_cv_id } });
    expect(copy.body.project_experiences).toMatchObject([{ link_type: 'linked', reference_project_id: project.id }]);
    // Only the copy prevents the project's deletion.
    const [{ _id }] = await readExperiences(service, anna.cv);
    await service.send('DELETE', `${anna.cv}/project_experiences/${_id}`);
    expect((await service.send('DELETE', project.path)).status).toBe(409);
    await service.send('DELETE', `${cvs}/${copy.body.id}`);
    expect((await service.send('DELETE', project.path)).status).toBe(204);
  });

  sweep('rule 9: neither links nor unlinks an existing experience', async () => {
    const { service, project, anna, bjorn, link } = await openLinking();
    await link({ user_ids: [anna.id] });
    await link({ user_ids: [bjorn.id], link_to_project: true });
    const put = async (cv: string, more: object) => {
      const [{ _id, version }] = await readExperiences(service, cv);
      const project_experience = { version, starred: true, ...more };
      return service.send('PUT', `${cv}/project_experiences/${_id}`, { project_experience });
    };
    const linked = await put(anna.cv, { link_type: 'linked', reference_project_id: project.id });
    expect([linked.status, linked.body.starred, linked.body.link_type]).toEqual([200, true, null]);
    const unlinked = await put(bjorn.cv, { link_type: null, reference_project_id: null });
    expect([unlinked.status, unlinked.body.starred, unlinked.body.link_type]).toEqual([200, true, 'linked']);
    expect((await service.send('GET', project.path)).body.has_linked_project_experiences).toBe(true);
  });

  sweep('include_dates fills the four date fields, which are empty without it', async () => {
    const { service, anna, bjorn, link } = await openLinking();
    await link({ user_ids: [anna.id], include_dates: true });
    await link({ user_ids: [bjorn.id], link_to_project: true, include_dates: true });
    const dates = { month_from: '3', year_from: '2020', month_to: '9', year_to: '2022' };
    for (const { cv } of [anna, bjorn]) expect((await readExperiences(service, cv))[0]).toMatchObject(dates);
    await link({ user_ids: [anna.id] });
    expect((await readExperiences(service, anna.cv))[0]).toMatchObject({ month_from: null, year_to: null });
  });

  sweep('notify_by_email sends e-mails only if set (Events)', async () => {
    const { service, anna, sven, link } = await openLinking();
    await link({ user_ids: [anna.id] });
    expect((await service.control('GET', 'mails')).body.mails).toEqual([]);
    await link({ user_ids: [sven.id], notify_by_email: true });
    expect((await service.control('GET', 'mails')).body.mails).toMatchObject([
      { to: 'sven@example.com', reason: 'linked' },
    ]);
  });

  test.each([
    ['link_to_project "true"', { link_to_project: 'true' }],
    ['link_to_project 1', { link_to_project: 1 }],
    ['link_to_project null', { link_to_project: null }],
  ])('response 400: %s is not boolean', async (_name, body) => {
    const { service, anna, link } = await openLinking();
    expect((await link({ user_ids: [anna.id], ...body })).status).toBe(400);
    expect(await readExperiences(service, anna.cv)).toEqual([]);
  });

  sweep('response 400: an empty or missing list of users', async () => {
    const { link } = await openLinking();
    expect([(await link({ user_ids: [] })).status, (await link({})).status]).toEqual([400, 400]);
  });

  test('response 400: hard linking not enabled for the account; copies work', async () => {
    const account = { ...ACCOUNT.account, features: { hard_linking: false } };
    const { anna, link } = await openLinking({ fixture: { ...ACCOUNT, account } });
    expect((await link({ user_ids: [anna.id], link_to_project: true })).status).toBe(400);
    expect((await link({ user_ids: [anna.id], link_to_project: false })).status).toBe(200);
  });

  test('response 403: no role to write one of the target CVs, so no CV is written', async () => {
    const { service, anna, sven, link } = await openLinking();
    expect((await link({ user_ids: [anna.id, sven.id] }, 'norway')).status).toBe(403);
    expect(await readExperiences(service, anna.cv)).toEqual([]);
    expect((await link({ user_ids: [anna.id] }, 'norway')).status).toBe(200);
    expect((await link({ user_ids: [anna.id] }, 'plain')).status).toBe(403);
  });

  sweep('response 403: an external user tries a hard link', async () => {
    const { service, project } = await openLinking();
    const ext = await findUser(service, 'E4');
    const owners = { user_ids: [ext.id] };
    expect((await service.send('POST', `${project.path}/project_owners`, owners)).status).toBe(200);
    const body = { user_ids: [ext.id], link_to_project: true };
    expect((await service.send('POST', `${project.path}/consultants`, body, { key: 'external' })).status).toBe(403);
  });

  sweep('response 404: an unknown project', async () => {
    const { service, project, anna } = await openLinking();
    const path = project.path.replace(project.id, 'nope');
    expect((await service.send('POST', `${path}/consultants`, { user_ids: [anna.id] })).status).toBe(404);
  });
});

describe('Reference project, has_linked_project_experiences', () => {
  test('is true if at least one CV has a hard link; copies do not count', async () => {
    const { service, project, anna, bjorn, link } = await openLinking();
    const read = async () => (await service.send('GET', project.path)).body.has_linked_project_experiences;
    expect(await read()).toBe(false);
    await link({ user_ids: [bjorn.id] });
    expect(await read()).toBe(false);
    await link({ user_ids: [anna.id], link_to_project: true });
    expect(await read()).toBe(true);
    const [{ _id }] = await readExperiences(service, anna.cv);
    await service.send('DELETE', `${anna.cv}/project_experiences/${_id}`);
    expect(await read()).toBe(false);
  });

  test('Errors 409: explains why a project with hard links cannot be deleted; copies do not prevent it', async () => {
    const { service, project, anna, bjorn, link } = await openLinking();
    await link({ user_ids: [anna.id], link_to_project: true });
    const refused = await service.send('DELETE', project.path);
    expect([refused.status, refused.body.reason]).toEqual([409, 'linked-project-experiences']);
    expect((await service.send('DELETE', `/api/v1/users/${anna.id}`)).status).toBe(204);
    await link({ user_ids: [bjorn.id] });
    expect((await service.send('DELETE', project.path)).status).toBe(204);
  });
});
