import { describe, expect, test, vi } from 'vitest';
import { sweep } from '../../depth.js';
import { ACCOUNT, findUser, openSandbox, type Send } from '../open-sandbox.js';

const IMPORT = '/api/v1/users/import/csv';

async function finishImport(sandbox: { state(): { imports: readonly object[] } }, count = 1) {
  await vi.waitFor(() => {
    const finished = sandbox.state().imports.filter((task) => 'state' in task && task.state === 'finished');
    expect(finished).toHaveLength(count);
  }, 10_000);
}

const listNames = async (send: Send): Promise<string[]> =>
  (await send('GET', '/api/v2/users/search')).body.map((user: { name: string }) => user.name);

describe('CSV import', () => {
  sweep('answers only that it started; changes appear later', async () => {
    const imports = { default: { delay_ms: 2000 } };
    const { send, sandbox } = await openSandbox({ fixture: { ...ACCOUNT, account: { ...ACCOUNT.account, imports } } });
    const reply = await send(
      'POST',
      `${IMPORT}/default`,
      'email,country_code,office_name,name\nnew@example.com,no,Oslo,New\n',
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ import_task: expect.any(String), dry_run: false });
    expect(await listNames(send)).not.toContain('New');
    await finishImport(sandbox);
    expect(await listNames(send)).toContain('New');
  });

  test('checks the file and changes nothing with dry_run=true', async () => {
    const { send, sandbox } = await openSandbox();
    const before = sandbox.state().users;
    const file =
      'email,external_unique_id,country_code,office_name,name\nnew@example.com,N1,no,Oslo,New\nanna@example.com,E1,no,Oslo,X\n';
    const reply = await send('POST', `${IMPORT}/default?dry_run=true`, file);
    expect(reply.body.dry_run).toBe(true);
    await finishImport(sandbox);
    expect(sandbox.state().users).toEqual(before);
    expect(sandbox.state().imports).toEqual([expect.objectContaining({ dry_run: true, created: 1, updated: 1 })]);
  });

  test('matches users by external_unique_id first, then by email, and announces a changed email', async () => {
    const { send, sandbox } = await openSandbox();
    const file = [
      'email;external_unique_id;country_code;office_name;name;title;born_year;place_of_residence',
      'anna.new@example.com;E1;Norway;Bergen;Anna;Utvikler;1980;Oslo',
      'bjorn@example.com;;no;Bergen;Bear;;;',
    ].join('\n');
    expect((await send('POST', `${IMPORT}/default`, `\uFEFF${file}`)).status).toBe(200);
    await finishImport(sandbox);
    expect(await findUser(send, 'E1')).toMatchObject({
      email: 'anna.new@example.com',
      name: 'Anna',
      office_name: 'Bergen',
      title: { no: 'Utvikler' },
      born_year: 1980,
      place_of_residence: 'Oslo',
    });
    expect(await findUser(send, 'E2')).toMatchObject({ name: 'Bear', roles: ['consultant', 'referencemanager'] });
    expect(sandbox.state().mails).toEqual([{ to: 'anna.new@example.com', reason: 'email_changed' }]);
  });

  test('keeps or deactivates missing users by setting, but never external ones', async () => {
    const { send, sandbox } = await openSandbox();
    await send('POST', `${IMPORT}/default`, 'email,country_code,office_name\nanna@example.com,no,Oslo\n');
    await finishImport(sandbox);
    expect(await listNames(send)).toEqual(['Anna Åsen', 'Bjørn Berg', 'Ext Ern']);
    // Without a country column, the setting's default country counts. Gone is in the file, so she is reactivated.
    const file =
      'email,office_name,roles,Unit\nanna@example.com,Oslo,consultant countrymanager,South\ngone@example.com,Oslo,,\n';
    await send('POST', `${IMPORT}/strict`, file);
    await finishImport(sandbox, 2);
    expect(await listNames(send)).toEqual(['Anna Åsen', 'Ext Ern', 'Gone Girl']);
    expect((await findUser(send, 'E1')).roles).toEqual(['consultant', 'countrymanager']);
    expect(sandbox.state().users[0]).toMatchObject({ email: 'anna@example.com', tags: ['unit/south'] });
  });

  test('promotes external users in the file if the default role is a normal one', async () => {
    const { send, sandbox } = await openSandbox();
    const file = 'email,external_unique_id,country_code,office_name\next@example.com,E4,se,Stockholm\n';
    await send('POST', `${IMPORT}/default`, file);
    await finishImport(sandbox);
    expect(await findUser(send, 'E4')).toMatchObject({ role: 'consultant', email: 'ext@example.com' });
  });

  test('notes an unusable row, imports the others, and does not count its user as missing', async () => {
    const { send, sandbox } = await openSandbox();
    const file =
      'email,country_code,office_name\nanna@example.com,no,Nowhere\na@other.test,no,Oslo\nok@example.com,no,Oslo\n';
    await send('POST', `${IMPORT}/strict`, file);
    await finishImport(sandbox);
    expect((await findUser(send, 'E1')).deactivated).toBe(false);
    expect(sandbox.state().imports).toEqual([
      expect.objectContaining({
        created: 1,
        problems: [expect.stringContaining('line 2'), expect.stringContaining('line 3')],
      }),
    ]);
  });

  test.each([
    ['unknown setting', 404, '/nope', 'email,country_code,office_name\n', 'admin-key'],
    ['missing email column', 400, '/default', 'mail,country_code,office_name\n', 'admin-key'],
    ['missing country column without a default', 400, '/default', 'email,office_name\n', 'admin-key'],
    ['ragged row', 400, '/default', 'email,country_code,office_name\na@example.com,no\n', 'admin-key'],
    ['countrymanager', 403, '/default', 'email,country_code,office_name\n', 'no-key'],
    ['read-only administrator', 403, '/default', 'email,country_code,office_name\n', 'reader-key'],
  ])('answers input errors: %s with %i', async (_name, status, path, file, key) => {
    const { send, as } = await openSandbox();
    expect((await send('POST', IMPORT + path, file, as(key))).status).toBe(status);
  });
});
