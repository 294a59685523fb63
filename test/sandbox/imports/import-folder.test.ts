import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../../samples.js';
import { ACCOUNT, findUser, openSandbox } from '../open-sandbox.js';

describe('import folder', () => {
  test("takes the setting from the subfolder's name", async () => {
    const folder = makeFolder();
    await mkdir(join(folder, 'strict'));
    const { send, sandbox } = await openSandbox({ fixture: ACCOUNT, importDir: folder });
    // `strict` has a default country, and deactivates missing users.
    await writeFile(join(folder, 'strict', 'all.csv'), 'email,office_name\nanna@example.com,Oslo\n');
    await vi.waitFor(async () => expect((await findUser(send, 'E2')).deactivated).toBe(true), 10_000);
    await vi.waitFor(async () => expect(await readdir(join(folder, 'strict', 'taken'))).toEqual(['all.csv']), 10_000);
    await sandbox.close();
  });

  test('creates a missing folder', async () => {
    const folder = makeFolder();
    const { sandbox } = await openSandbox({ fixture: ACCOUNT, importDir: join(folder, 'new') });
    expect(await readdir(folder)).toEqual(['new']);
    await sandbox.close();
  });
});
