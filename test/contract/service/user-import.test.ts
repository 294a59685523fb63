import { describe, expect, test, vi } from 'vitest';
import { sweep } from '../../depth.js';
import { findTags, findUser, openService, type Service } from './open-service.js';

const IMPORT = '/api/v1/users/import/csv';

const upload = ({ send }: Service, config: string, text: string, more: { key?: string; type?: string } = {}) =>
  send('POST', `${IMPORT}/${config}`, undefined, {
    key: more.key ?? 'admin',
    raw: { text, type: more.type ?? 'text/csv' },
  });

/** Changes appear later, so this waits until this number of files has been processed. */
async function finished({ control }: Service, count = 1) {
  return vi.waitFor(
    async () => {
      const { imports } = (await control('GET', 'state')).body;
      const done = imports.filter(({ state }: { state: string }) => state === 'finished');
      expect(done).toHaveLength(count);
      return done[count - 1];
    },
    { timeout: 10_000, interval: 10 },
  );
}

async function importFile(service: Service, config: string, text: string, count = 1) {
  expect((await upload(service, config, text)).status).toBe(200);
  return finished(service, count);
}

const HEADER = 'email,external_unique_id,country_code,office_name,name';

describe('Users, CSV import', () => {
  test('200 with import_task and dry_run means that it started', async () => {
    const service = await openService();
    const reply = await upload(service, 'default', `${HEADER}\nnew@example.com,N1,no,Oslo,New\n`);
    expect([reply.status, reply.body]).toEqual([200, { import_task: expect.any(String), dry_run: false }]);
    await finished(service);
    expect(await findUser(service, 'N1')).toMatchObject({ name: 'New', office_name: 'Oslo', role: 'consultant' });
  });

  test('dry_run=true stores nothing', async () => {
    const service = await openService();
    const path = 'default?dry_run=true';
    const reply = await upload(
      service,
      path,
      `${HEADER}\nnew@example.com,N1,no,Oslo,New\nanna@example.com,E1,no,Oslo,X\n`,
    );
    expect(reply.body).toMatchObject({ dry_run: true });
    await finished(service);
    expect((await service.send('GET', '/api/v1/users/find?external_unique_id=N1')).status).toBe(404);
    expect((await findUser(service, 'E1')).name).toBe('Anna Åsen');
  });

  test.each([
    ['missing email column', 'external_unique_id,country_code,office_name\nX,no,Oslo\n', 400],
    ['missing country_code column', 'email,office_name\na@example.com,Oslo\n', 400],
    ['missing office_name column', 'email,country_code\na@example.com,no\n', 400],
    ['a ragged row', `${HEADER}\na@example.com,X\n`, 400],
  ])('4xx on input errors: %s', async (_name, text, status) => {
    const service = await openService();
    expect((await upload(service, 'default', text)).status).toBe(status);
  });

  sweep('errors: an unknown setting 404, another Content-Type 415, less than an administrator 403', async () => {
    const service = await openService();
    const text = `${HEADER}\na@example.com,X,no,Oslo,A\n`;
    expect((await upload(service, 'nope', text)).status).toBe(404);
    expect((await upload(service, 'default', text, { type: 'text/plain' })).status).toBe(415);
    expect((await upload(service, 'default?dry_run=yes', text)).status).toBe(400);
    for (const key of ['norway', 'references', 'reader', 'plain']) {
      expect((await upload(service, 'default', text, { key })).status).toBe(403);
    }
  });

  sweep('needs no columns for country and department if both have defaults', async () => {
    const service = await openService();
    await importFile(service, 'clean', 'email\nanna@example.com\nnew@example.com\n');
    const { body } = await service.send('GET', '/api/v1/users/find?email=new@example.com');
    expect(body).toMatchObject({ office_name: 'Oslo', country_code: 'no' });
  });

  test('columns: accepts every default title; roles are the base role first, then extra roles', async () => {
    const service = await openService();
    const titles = `${HEADER},upn,telephone,landline,title,born_year,nationality,place_of_residence,roles`;
    const row =
      'n@example.com,N1,Norway,Oslo,N,n@example.com,1,2,Sjef,1980,Norsk,Moss,consultant referencemanager bidmanager';
    await importFile(service, 'default', `${titles}\n${row}\n`);
    const { body } = await service.send('GET', '/api/v1/users/find?external_unique_id=N1&use_legacy_codes=false');
    expect(body).toMatchObject({
      email: 'n@example.com',
      name: 'N',
      upn: 'n@example.com',
      telephone: '1',
      landline: '2',
      title: { no: 'Sjef' },
      born_year: 1980,
      nationality: { no: 'Norsk' },
      place_of_residence: 'Moss',
      country_code: 'no',
      roles: ['consultant', 'referencemanager', 'bidmanager'],
    });
  });

  sweep('columns: accepts a semicolon too; optional columns set custom tags', async () => {
    const service = await openService();
    const { north } = await findTags(service);
    await importFile(
      service,
      'strict',
      'email;office_name;Unit\nanna@example.com;Oslo;north\nnew@example.com;Oslo;South\n',
    );
    const { cv } = await findUser(service, 'E1');
    expect((await service.send('GET', cv)).body.custom_tag_ids).toEqual([north]);
  });

  test('processing: matches external_unique_id first, then email; changes department and e-mail', async () => {
    const service = await openService();
    const before = await findUser(service, 'E1');
    await importFile(
      service,
      'default',
      `${HEADER}\nanna.new@example.com,E1,no,Bergen,Anna\nsven@example.com,,se,Stockholm,Sven2\n`,
    );
    expect(await findUser(service, 'E1')).toMatchObject({
      id: before.id,
      email: 'anna.new@example.com',
      office_name: 'Bergen',
      name: 'Anna',
    });
    expect((await findUser(service, 'E5')).name).toBe('Sven2');
    // Events: an e-mail for a changed address.
    const { mails } = (await service.control('GET', 'mails')).body;
    expect(mails).toMatchObject([{ to: 'anna.new@example.com', reason: 'email_changed' }]);
  });

  test('processing: keeps, deactivates or removes missing users, and leaves external users alone', async () => {
    const service = await openService();
    const only = 'email,external_unique_id,office_name\nanna@example.com,E1,Oslo\n';
    await importFile(service, 'default', `${HEADER}\nanna@example.com,E1,no,Oslo,Anna\n`, 1);
    expect((await findUser(service, 'E2')).deactivated).toBe(false);
    await importFile(service, 'strict', only, 2);
    expect((await findUser(service, 'E2')).deactivated).toBe(true);
    expect((await findUser(service, 'E4')).deactivated).toBe(false);
    const { id } = await findUser(service, 'E2');
    await service.send('PUT', `/api/v1/users/${id}`, { user: { deactivated: false } });
    await importFile(service, 'clean', only, 3);
    expect((await service.send('GET', '/api/v1/users/find?external_unique_id=E2')).status).toBe(404);
    expect((await findUser(service, 'E4')).deactivated).toBe(false);
  });

  sweep('processing: promotes external users in the file to normal users', async () => {
    const service = await openService({});
    const text = `${HEADER}\next@example.com,E4,se,Stockholm,Ext\n`;
    await importFile(service, 'default', text);
    expect((await findUser(service, 'E4')).role).toBe('consultant');
  });

  test('processing: promotes an external user with the existing e-mail; a new one must be whitelisted', async () => {
    const service = await openService();
    await importFile(service, 'default', `${HEADER}\next@partner.test,E4,se,Stockholm,Ext\n`);
    expect(await findUser(service, 'E4')).toMatchObject({ role: 'consultant', email: 'ext@partner.test' });
    await importFile(service, 'default', `${HEADER}\next@partner.org,E4,se,Stockholm,Ext\n`, 2);
    expect(await findUser(service, 'E4')).toMatchObject({ email: 'ext@partner.test' });
  });
});
