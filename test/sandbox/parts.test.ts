import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readFormFields, requireUpload } from '../../src/sandbox/calls/multipart.js';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { buildDownloadLimit } from '../../src/sandbox/server/download-limit.js';
import { ACCOUNT, findUser, openSandbox } from './open-sandbox.js';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('multipart bodies', () => {
  const FORM = { contentType: 'multipart/form-data', boundary: 'b', bytes: undefined };
  const build = (...parts: string[]) => Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`);

  test('the first file is found behind other fields, its bytes untouched', () => {
    const body = build(
      'Content-Disposition: form-data; name="note"\r\n\r\nnot a file',
      'Content-Disposition: form-data; name="file"; filename="a b.bin"\r\nContent-Type: image/png\r\n\r\nx\r\ny\r\n',
    );
    const upload = requireUpload({ ...FORM, bytes: body });
    expect(upload).toMatchObject({ file_name: 'a b.bin', content_type: 'image/png' });
    expect(upload.bytes.toString()).toBe('x\r\ny\r\n');
    expect([...readFormFields({ ...FORM, bytes: body })]).toEqual([['note', 'not a file']]);
  });

  test('without a file, with one that nobody chose, without a boundary or a body there is none', () => {
    const field = build('Content-Disposition: form-data; name="note"\r\n\r\ntext');
    const nobody = build('Content-Disposition: form-data; name="file"; filename=""\r\n\r\n');
    for (const sent of [{ bytes: field }, { bytes: nobody }, { bytes: field, boundary: undefined }, {}])
      expect(() => requireUpload({ ...FORM, ...sent })).toThrow('the form has no part with a file');
  });
});

describe('download limit', () => {
  test('refused ones take no place, and a clock that is set back opens it again', () => {
    const limit = buildDownloadLimit();
    expect([limit.take(10_000), limit.take(11_000), limit.take(12_000)]).toEqual([undefined, 1, undefined]);
    expect(limit.take(5_000)).toBeUndefined();
  });

  test('ten a minute, however slowly', () => {
    const limit = buildDownloadLimit();
    for (let count = 0; count < 10; count += 1) expect(limit.take(count * 3000)).toBeUndefined();
    expect(limit.take(30_000)).toBe(30);
    expect(limit.take(60_000)).toBeUndefined();
  });
});

describe('import folder', () => {
  test('a subfolder names the setting', async () => {
    await inFolder(async (folder) => {
      await mkdir(join(folder, 'strict'));
      const { send, sandbox } = await openSandbox({ fixture: ACCOUNT, importDir: folder });
      // `strict` has a default country, and deactivates who is missing.
      await writeFile(join(folder, 'strict', 'all.csv'), 'email,office_name\nanna@example.com,Oslo\n');
      await vi.waitFor(async () => expect((await findUser(send, 'E2')).deactivated).toBe(true), 10_000);
      await vi.waitFor(async () => expect(await readdir(join(folder, 'strict', 'taken'))).toEqual(['all.csv']), 10_000);
      await sandbox.close();
    });
  });

  test('is made where there is none', async () => {
    await inFolder(async (folder) => {
      const { sandbox } = await openSandbox({ fixture: ACCOUNT, importDir: join(folder, 'new') });
      expect(await readdir(folder)).toEqual(['new']);
      await sandbox.close();
    });
  });
});

describe('--state', () => {
  const REPORT = '/api/v2/cv-report';

  test('a report that a stop cut off is made after the start; its links still work', async () => {
    await inFolder(async (folder) => {
      const stateFile = join(folder, 'account.db');
      const account = { ...ACCOUNT.account, reports: { delay_ms: 3000 } };
      const first = await createSandbox({ fixture: { ...ACCOUNT, account }, stateFile });
      const headers = { authorization: 'Bearer admin-key', 'content-type': 'application/json' };
      const query = 'encoding=UTF-8&output_format=csv&report_type=user_report';
      const started = await fetch(`${first.url}${REPORT}?${query}`, { method: 'POST', headers, body: '{}' });
      const { _id } = (await started.json()) as { _id: string };
      await first.close();
      const { send, sandbox } = await openSandbox({ stateFile });
      expect((await send('GET', `${REPORT}/${_id}`)).body.state).toBe('started');
      const url = await vi.waitFor(
        async () => {
          const { body } = await send('GET', `${REPORT}/${_id}`);
          expect(body.state).toBe('finished');
          return body.cv_report.url;
        },
        { timeout: 20_000, interval: 50 },
      );
      expect(await (await fetch(url)).text()).toContain('anna@example.com');
      await sandbox.close();
    });
  });
});

describe('fixture', () => {
  const anna = { email: 'anna@example.com', country: 'no', office: 'Oslo' };
  const withCv = (sections: object) => ({ ...ACCOUNT, customers: [], users: [{ ...anna, cv: { sections } }] });

  test.each([
    ['a section field that is misspelled', withCv({ courses: [{ nmae: { en: 'X' } }] })],
    ['a section type that is none', withCv({ hobbies: [{}] })],
    ['a role without a name', withCv({ project_experiences: [{ roles: [{ summary: { en: 'X' } }] }] })],
    ['a proposal of nobody', { ...ACCOUNT, proposals: [{ name: 'X', owner: 'who@example.com' }] }],
    [
      'a proposal with an unknown project',
      { ...ACCOUNT, proposals: [{ name: 'X', owner: 'Admin', references: ['P9'] }] },
    ],
  ])('%s is refused', async (_name, fixture) => {
    await expect(createSandbox({ fixture: fixture as FixtureInput })).rejects.toMatchObject({
      code: 'SYNC_CONFIG_INVALID',
    });
  });

  test('a key of a user who is gone owns nothing', async () => {
    const keys = [
      ...(ACCOUNT.keys ?? []),
      { key: 'k', name: 'K', role: 'consultant' as const, user: 'anna@example.com' },
    ];
    const { send, as } = await openSandbox({ fixture: { ...ACCOUNT, keys } });
    const bjorn = await findUser(send, 'E2');
    await send('DELETE', `/api/v1/users/${(await findUser(send, 'E1')).id}`);
    const path = `/api/v3/cvs/${bjorn.id}/${bjorn.default_cv_id}`;
    expect((await send('GET', path, undefined, as('k'))).status).toBe(200);
    expect((await send('PUT', path, { cv: { landline: '1' } }, as('k'))).status).toBe(403);
    expect((await send('GET', '/api/v1/offers', undefined, as('k'))).body).toEqual([]);
  });
});
