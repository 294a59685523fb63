import { describe, expect, test } from 'vitest';
import { ACCOUNT, findPlaces, findProject, findTags, findUser, openService } from './open-service.js';

/** Keys that act for a user and have no place of their own. */
function openOwnKeys() {
  const keys = [
    ...(ACCOUNT.keys ?? []),
    { key: 'bergen', name: 'Bergen', role: 'referencemanager' as const, user: 'bjorn@example.com' },
    { key: 'sweden', name: 'Sweden', role: 'countrymanager' as const, user: 'sven@example.com' },
    { key: 'scoped', name: 'Scoped', role: 'departmentmanager' as const, user: 'bjorn@example.com' },
  ];
  return openService({ fixture: { ...ACCOUNT, keys } });
}

describe('Authentication 2 and 3, the role of a user', () => {
  test("Project rules 2: gives a project the key user's default office", async () => {
    const service = await openOwnKeys();
    const { path } = await findProject(service, 'P1');
    const sent = { company_project: { project_name: { int: 'Bridge' } } };
    const { body } = await service.send('POST', path.replace(/\/[^/]+$/, ''), sent, { key: 'bergen' });
    expect(body.offices).toMatchObject([{ name: 'Bergen' }]);
  });

  test("Authentication 3: takes a countrymanager's country from the user", async () => {
    const service = await openOwnKeys();
    const { oslo, stockholm } = await findPlaces(service);
    const create = async (email: string, place: object) =>
      (await service.send('POST', '/api/v1/users', { user: { email, ...place } }, { key: 'sweden' })).status;
    expect(await create('one@example.com', stockholm)).toBe(200);
    expect(await create('two@example.com', oslo)).toBe(403);
    const report = '/api/v2/cv-report?encoding=UTF-8&output_format=csv&report_type=user_report';
    const started = await service.send('POST', report, {}, { key: 'sweden' });
    // Ext Ern, Sven Svensson, and the newly created user.
    expect(started.body).toMatchObject({ number_of_cvs: 3 });
  });

  test('User, role_allowed_office_ids and role_allowed_tag_ids: the scope of a departmentmanager', async () => {
    const service = await openOwnKeys();
    const [anna, bjorn, sven] = await Promise.all(['E1', 'E2', 'E5'].map((id) => findUser(service, id)));
    const { oslo } = await findPlaces(service);
    const { unit, north } = await findTags(service);
    const draft = await findProject(service, 'P2');
    const write = async (cv: string) =>
      (await service.send('PUT', cv, { cv: { landline: '1' } }, { key: 'scoped' })).status;
    const edit = async () =>
      (await service.send('PUT', draft.path, { company_project: { architect: 'X' } }, { key: 'scoped' })).status;
    expect([await write(anna.cv), await edit()]).toEqual([403, 403]);
    const role_allowed_office_ids = [oslo.office_id];
    const role_allowed_tag_ids = [north];
    const user = { extra_roles: ['departmentmanager'], role_allowed_office_ids, role_allowed_tag_ids };
    const given = await service.send('PUT', `/api/v1/users/${bjorn.id}`, { user });
    expect(given.body).toMatchObject({ role_allowed_office_ids, role_allowed_tag_ids });
    expect([await write(anna.cv), await edit(), await write(sven.cv)]).toEqual([200, 200, 403]);
    const tagged = { ensure_unique_custom_tag_ids_by_category: { [unit]: north } };
    await service.send('PUT', `/api/v1/users/${sven.id}`, { user: tagged });
    expect(await write(sven.cv)).toBe(200);
  });
});
