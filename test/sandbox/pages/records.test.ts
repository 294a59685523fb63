import { describe, expect, test } from 'vitest';
import { drawPortrait } from '../../../src/sandbox/company/portrait.js';
import { ACCOUNT, findUser } from '../open-sandbox.js';
import { openPages } from './open-pages.js';

/* All other kinds of records, created, changed and removed by a colleague, with the service's answers. */

const ISO = 'use_legacy_codes=false';

describe('CVs', () => {
  async function openCv() {
    const pages = await openPages({ fixture: ACCOUNT });
    const user = await findUser(pages.send, 'E1');
    const read = async () => (await pages.send('GET', `/api/v3/cvs/${user.id}/${user.default_cv_id}?${ISO}`)).body;
    return { ...pages, user, path: `/cvs/${user.default_cv_id}`, read };
  }

  test("saves the personal part as the user's, which moves the feed", async () => {
    const { submit, path, read, send } = await openCv();
    await submit(path, 'save', { 'place_of_residence.no': 'Oslo', 'name_multilang.en': 'Ann', born_year: '1980' });
    expect(await read()).toMatchObject({ place_of_residence: { no: 'Oslo' }, name_multilang: { en: 'Ann' } });
    expect(await findUser(send, 'E1')).toMatchObject({ born_year: 1980, name: 'Anna Åsen' });
    const { status, text } = await submit(path, 'save', { born_year: 'long ago' });
    expect([status, text.includes('value="long ago"')]).toEqual([422, true]);
  });

  test('saves sections in both languages, with line breaks as typed', async () => {
    const { submit, load, path, read } = await openCv();
    const typed = {
      ...{ 'label.en': 'Summary', 'label.no': 'Sammendrag', 'long_description.en': 'one\r\n\r\n two' },
      ...{ external_unique_id: 'Q1', starred: 'on' },
    };
    const { location } = await submit(`${path}/key_qualifications/new`, 'add', typed);
    const [section] = (await read()).key_qualifications;
    expect(location).toBe(`${path}/key_qualifications/${section._id}?done=add`);
    expect(section).toMatchObject({
      label: { en: 'Summary', no: 'Sammendrag' },
      long_description: { en: 'one\n\n two' },
      ...{ external_unique_id: 'Q1', starred: true, version: 1 },
    });
    const address = `${path}/key_qualifications/${section._id}`;
    expect((await submit(address, 'save')).location).toBe(`${address}?done=same`);
    await submit(address, 'save', { 'label.no': '', disabled: 'on' });
    expect((await read()).key_qualifications).toMatchObject([
      { label: { en: 'Summary' }, long_description: { en: 'one\n\n two' }, disabled: true, version: 2 },
    ]);
    expect((await load(path)).text).toContain('Key qualifications (1)');
    expect((await submit(address, 'remove')).location).toBe(`${path}?done=remove#key_qualifications`);
    expect((await read()).key_qualifications).toEqual([]);
  });

  test('saves roles of a project experience and skills of a technology', async () => {
    const { submit, path, read } = await openCv();
    await submit(`${path}/project_experiences/new`, 'add', { 'description.en': 'Dam' });
    await submit(`${path}/technologies/new`, 'add', { 'category.en': 'Languages' });
    const { project_experiences: dams, technologies } = await read();
    const [dam, languages] = [
      `${path}/project_experiences/${dams[0]._id}`,
      `${path}/technologies/${technologies[0]._id}`,
    ];
    await submit(dam, 'save_part', { part: 'roles', part_id: '', 'name.en': 'Lead', 'name.no': 'Leder' });
    await submit(languages, 'save_part', { part: 'technology_skills', part_id: '', 'tags.en': 'Go', proficiency: '4' });
    expect(await read()).toMatchObject({
      project_experiences: [{ roles: [{ name: { en: 'Lead', no: 'Leder' } }] }],
      cv_roles: [{ name: { en: 'Lead', no: 'Leder' } }],
      technologies: [{ technology_skills: [{ tags: { en: 'Go' }, proficiency: 4 }] }],
    });
    const [role] = (await read()).project_experiences[0].roles;
    const refused = await submit(languages, 'save_part', {
      part: 'technology_skills',
      part_id: '',
      'tags.en': 'C',
      proficiency: '9',
    });
    expect([refused.status, refused.text.includes('value="9"')]).toEqual([422, true]);
    await submit(dam, 'save_part', { part: 'roles', part_id: role._id, 'name.en': 'Chief' });
    await submit(dam, 'remove_part', { part: 'roles', part_id: role._id });
    expect((await read()).project_experiences[0].roles).toEqual([]);
  });
});

describe('files', () => {
  const PICTURE = Buffer.from(drawPortrait(1, 1), 'base64');
  const fileOf = (name: string, bytes: Buffer, type: string): File => new File([new Uint8Array(bytes)], name, { type });

  test("saves a user's picture, which moves the feed, and explains a rejected one", async () => {
    const { send, upload, submit, load, sandbox } = await openPages({ fixture: ACCOUNT });
    const { id } = await findUser(send, 'E1');
    const read = async () => (await send('GET', `/api/v1/users/${id}?${ISO}`)).body;
    const path = `/users/${id}`;
    const before = await read();
    expect(before.image.url).toBeNull();
    sandbox.setClock(Date.parse(before.profile_updated_at) + 60_000);
    const refused = await upload(path, 'save_picture', fileOf('a.png', Buffer.from('no picture'), 'image/png'));
    expect([refused.status, refused.text.includes('a picture must be a PNG or a JPEG')]).toEqual([422, true]);
    expect((await upload(path, 'save_picture', fileOf('a.png', PICTURE, 'image/png'))).location).toBe(
      `${path}?done=save`,
    );
    const after = await read();
    expect(Buffer.from(await (await fetch(after.image.url)).arrayBuffer())).toEqual(PICTURE);
    expect(Date.parse(after.profile_updated_at)).toBeGreaterThan(Date.parse(before.profile_updated_at));
    const shown = /<img class="portrait" src="([^"]+)"/.exec((await load(path)).text)?.[1] ?? '';
    expect((await load(shown)).headers.get('content-type')).toBe('image/png');
    await submit(path, 'remove_picture');
    expect((await read()).image.url).toBeNull();
    expect((await load(shown)).status).toBe(404);
  });

  test('saves and removes an attachment of a project', async () => {
    const { send, upload, submit, load } = await openPages({ fixture: ACCOUNT });
    const [{ id: customer }] = (await send('GET', `/api/v2/company/cv/customers?${ISO}`)).body.customers;
    const projects = `/api/v2/company/cv/customers/${customer}/projects`;
    const { id } = (await send('POST', projects, { company_project: { project_name: { int: 'Dam' } } })).body;
    const read = async () => (await send('GET', `${projects}/${id}?${ISO}`)).body;
    const path = `/projects/${id}`;
    const text = Buffer.from('Åsen\r\n--b\r\n');
    expect((await upload(path, 'add_file', fileOf('Kontrakt å.txt', text, 'text/plain'))).location).toBe(
      `${path}?done=add`,
    );
    const [attachment] = (await read()).attachments;
    expect(attachment).toMatchObject({ file_name: 'Kontrakt å.txt', content_type: 'text/plain', size: text.length });
    expect(Buffer.from(await (await fetch(attachment.url)).arrayBuffer())).toEqual(text);
    expect((await load(path)).text).toContain('Kontrakt å.txt');
    const none = await upload(path, 'add_file', new File([], ''));
    expect([none.status, none.text.includes('the form has no part with a file')]).toEqual([400, true]);
    await submit(path, 'remove_file', { attachment_id: attachment.id });
    expect((await read()).attachments).toEqual([]);
  });
});

describe('places and tags', () => {
  test('changes countries and offices', async () => {
    const { send, submit } = await openPages({ fixture: ACCOUNT });
    const read = async () => (await send('GET', `/api/v1/countries?${ISO}`)).body;
    await submit('/offices', 'add_country', { code: 'de', native_language_code: 'de' });
    const { _id: country_id } = (await read()).find(({ code }: { code: string }) => code === 'de');
    await submit('/offices', 'add_office', { country_id, name: 'Köln' });
    const refused = await submit('/offices', 'add_office', { country_id, name: 'köln' });
    expect([refused.status, refused.text.includes('value="köln"')]).toEqual([422, true]);
    const [office] = (await read()).find(({ code }: { code: string }) => code === 'de').offices;
    await submit('/offices', 'save_office', { country_id, office_id: office._id, name: 'Bonn' });
    await submit('/offices', 'save_country', { country_id, override_ui_language_code: 'en' });
    expect((await read()).find(({ code }: { code: string }) => code === 'de')).toMatchObject({
      override_ui_language_code: 'en',
      offices: [{ name: 'Bonn' }],
    });
    expect((await submit('/offices', 'remove_office', { country_id, office_id: office._id })).status).toBe(303);
    const norway = (await read()).find(({ code }: { code: string }) => code === 'no');
    const used = await submit('/offices', 'remove_office', {
      country_id: norway._id,
      office_id: norway.offices[0]._id,
    });
    expect([used.status, used.text.includes('still has users')]).toEqual([400, true]);
  });

  test('changes categories and tags', async () => {
    const { send, submit } = await openPages({ fixture: ACCOUNT });
    const typed = { 'values.en': 'Skill', 'values.no': 'Evne', external_unique_id: 'skill' };
    const { location = '' } = await submit('/tags', 'add', { ...typed, can_be_used_for_cvs: [] });
    const path = location?.split('?')[0] ?? '';
    const read = async () => {
      const all = (await send('GET', `/api/v1/masterdata/custom_tags/custom_tag_category?${ISO}`)).body;
      return all.find(({ external_unique_id }: { external_unique_id: string }) => external_unique_id === 'skill');
    };
    await submit(path, 'add_tag', { 'values.en': 'Rust', external_unique_id: 'rust' });
    expect(await read()).toMatchObject({
      values: { en: 'Skill', no: 'Evne' },
      ...{ can_be_used_for_cvs: false, can_be_used_for_customers: true },
      custom_tags: [{ values: { en: 'Rust' }, external_unique_id: 'rust' }],
    });
    const [{ id: tag_id }] = (await read()).custom_tags;
    await submit(path, 'save_tag', { tag_id, 'values.no': 'Rost' });
    await submit(path, 'save', { can_be_used_for_cvs: 'on' });
    expect(await read()).toMatchObject({
      can_be_used_for_cvs: true,
      custom_tags: [{ values: { en: 'Rust', no: 'Rost' } }],
    });
    await submit(path, 'remove_tag', { tag_id });
    expect((await read()).custom_tags).toEqual([]);
    expect((await submit(path, 'remove')).location).toBe('/tags?done=remove');
    expect(await read()).toBeUndefined();
  });
});

describe('customers, projects and proposals', () => {
  test('changes a customer and its tags, and explains why it cannot be removed', async () => {
    const { send, submit } = await openPages({ fixture: ACCOUNT });
    const { location } = await submit('/customers', 'add', { 'customer_name.en': 'Wind', external_unique_id: 'C2' });
    const path = location?.split('?')[0] ?? '';
    const read = async (external: string) =>
      (await send('GET', `/api/v2/company/cv/customers/find?external_unique_id=${external}&${ISO}`)).body;
    await submit(path, 'save', { 'customer_name.no': 'Vind', 'customer_description.en': 'Makes wind' });
    expect(await read('C2')).toMatchObject({
      customer_name: { en: 'Wind', no: 'Vind' },
      customer_description: { en: 'Makes wind' },
      version: 2,
    });
    const tags = (await send('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')).body;
    const unit = tags.find(({ external_unique_id }: { external_unique_id: string }) => external_unique_id === 'unit');
    await submit(path, 'tag', { tag_id: unit.custom_tags[0].id });
    expect((await read('C2')).custom_tags).toMatchObject([{ id: unit.custom_tags[0].id }]);
    await submit(path, 'untag', { tag_id: unit.custom_tags[0].id });
    expect((await read('C2')).custom_tags).toEqual([]);
    expect((await submit(path, 'remove')).location).toBe('/customers?done=remove');
    const held = await submit(`/customers/${(await read('C1')).id}`, 'remove');
    expect([held.status, held.text.includes('the customer still has projects')]).toEqual([400, true]);
  });

  test('changes a project: fields, custom fields, owners, offices, entries', async () => {
    const { send, submit, sandbox } = await openPages({ fixture: ACCOUNT });
    const { body: customer } = await send('GET', '/api/v2/company/cv/customers/find?external_unique_id=C1');
    const { location } = await submit(`/customers/${customer.id}`, 'add_project', {
      'project_name.en': 'Mill',
      external_unique_id: 'P2',
    });
    const path = location?.split('?')[0] ?? '';
    const read = async () =>
      (await send('GET', `/api/v2/company/cv/projects/find?external_unique_id=P2&include_custom_fields=true&${ISO}`))
        .body;
    await submit(path, 'save', { workflow_stage: 'live', 'project_description.no': 'Mølle', extent_currency: 'nok' });
    expect((await submit(path, 'save', { extent_currency: 'NOK' })).status).toBe(422);
    await submit(path, 'save_custom', { 'stage.value': 'model-a', 'area.amount': '12', 'area.unit': 'm2' });
    expect((await submit(path, 'save_custom')).location).toBe(`${path}?done=same`);
    expect((await submit(path, 'save_custom', { 'headcount.value': 'many' })).status).toBe(422);
    await submit(path, 'add_owner', { email: 'anna@example.com' });
    expect((await submit(path, 'add_owner', { email: 'nobody@example.com' })).text).toContain('no user has the email');
    const bergen = (await read()).offices.length;
    expect(bergen).toBe(1);
    await submit(path, 'save_entry', { kind: 'project_challenges', entry_id: '', 'label.en': 'Ice', 'value.no': 'Is' });
    const [, challenge] = (await read()).project_challenges;
    expect(challenge).toMatchObject({ label: { en: 'Ice' }, value: { no: 'Is' } });
    await submit(path, 'save_entry', { kind: 'project_challenges', entry_id: challenge.id, disabled: 'on' });
    const [, disabled] = (await read()).project_challenges;
    expect(disabled).toMatchObject({ label: { en: 'Ice' }, disabled: true });
    await submit(path, 'remove_entry', { kind: 'project_challenges', entry_id: challenge.id });
    const project = await read();
    expect(project).toMatchObject({
      ...{ workflow_stage: 'live', project_description: { no: 'Mølle' }, extent_currency: 'nok' },
      project_owners: [{ email: 'anna@example.com' }],
      project_challenges: [{}],
    });
    const fields = Object.fromEntries(project.custom_fields.map((one: { name: string }) => [one.name, one]));
    expect(fields).toMatchObject({
      stage: { value: { external_unique_id: 'model-a' } },
      area: { amount: '12.0', unit: 'm2' },
    });
    await submit(path, 'remove_owner', { user_id: project.project_owners[0].id });
    await submit(path, 'remove_office', { office_id: project.offices[0]._id });
    expect(await read()).toMatchObject({ project_owners: [], offices: [] });
    expect((await submit(path, 'remove')).location).toBe(`/customers/${customer.id}?done=remove`);
    expect(sandbox.state().customers).toMatchObject([{ projects: [{ external_unique_id: 'P1' }] }]);
  });

  test('changes a proposal: status, people, copies of CVs and projects', async () => {
    const { send, submit, sandbox } = await openPages({ fixture: ACCOUNT });
    const { location } = await submit('/proposals', 'add', { name: 'Bid' });
    const path = location?.split('?')[0] ?? '';
    await submit(path, 'save', { status: 'submitted' });
    await submit(path, 'set_owner', { party: 'anna@example.com' });
    await submit(path, 'add_party', { party: 'Reader' });
    await submit(path, 'add_party', { party: 'bjorn@example.com' });
    const unknown = await submit(path, 'add_party', { party: 'nobody' });
    expect([unknown.status, unknown.text.includes('value="nobody"')]).toEqual([422, true]);
    await submit(path, 'add_cv', { email: 'bjorn@example.com' });
    const { body: project } = await send('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1');
    await submit(path, 'add_reference', { project_id: project.id });
    expect(sandbox.state().proposals).toMatchObject([
      {
        ...{ name: 'Bid', status: 'submitted', owner: 'anna@example.com' },
        collaborators: ['Reader', 'bjorn@example.com'],
        cvs: [{ user: 'bjorn@example.com' }],
        references: [{ external_unique_id: 'P1' }],
      },
    ]);
    const [{ id }] = (await send('GET', '/api/v1/all_offers')).body;
    const [cv] = (await send('GET', `/api/v1/offers/${id}/cvs`)).body;
    const [reference] = (await send('GET', `/api/v1/offers/${id}/references`)).body;
    const bjorn = await findUser(send, 'E2');
    await submit(path, 'remove_cv', { tailored_cv_id: cv.id });
    await submit(path, 'remove_reference', { tailored_reference_id: reference.id });
    await submit(path, 'remove_party', { collaborator_type: 'user', collaborator_id: bjorn.id });
    expect(sandbox.state().proposals).toMatchObject([{ collaborators: ['Reader'], cvs: [], references: [] }]);
  });
});
