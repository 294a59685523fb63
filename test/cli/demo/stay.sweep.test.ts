import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../samples.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const run = promisify(execFile);
let demo: ChildProcess | undefined;

afterAll(() => {
  demo?.kill('SIGKILL');
});

/** Everything printed until a text appeared. */
async function readUntil(child: ChildProcess, wanted: string, printed: { text: string }): Promise<void> {
  while (!printed.text.includes(wanted)) {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}: ${printed.text}`);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
  }
}

test('demo --stay leaves the account and the operator pages open until Ctrl-C', async () => {
  const folder = join(makeFolder(), 'demo');
  const child = spawn(process.execPath, [MAIN, 'demo', '--stay', '--dir', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = child;
  const printed = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.text += text;
  });
  await readUntil(child, 'Ctrl-C here ends the services', printed);
  expect(printed.text).toContain(`  cd ${folder}\n`);
  const [, account = '', person = ''] =
    /(http:\/\/\S+\/) {2}everything.*\n {2}(http:\/\/\S+\/users\/\w+) /.exec(printed.text) ?? [];
  expect(await (await fetch(account)).text()).toContain('<!doctype html>'.toLowerCase());
  const page = await fetch(person);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Kari Nordmann')]);
  const [, pages = '', token = ''] = /(http:\/\/\S+)\/login .* token (ts_\S+)/.exec(printed.text) ?? [];
  const inbox = await fetch(`${pages}/inbox`, { headers: { authorization: `Bearer ${token}`, accept: 'text/html' } });
  expect([inbox.status, await inbox.text()]).toEqual([
    200,
    expect.stringContaining('changes for an approval, 1 source, in 1 tenant'),
  ]);
  expect((await fetch(`${pages}/inbox`, { headers: { accept: '*/*' } })).status).toBe(401);
  const plan = await run('./talent-sync', ['plan'], { cwd: folder }).catch(
    (error: { code: number; stdout: string }) => error,
  );
  // The story's three records are still held.
  expect(plan).toMatchObject({ code: 4, stdout: expect.stringContaining('nothing to change, 3 records held') });
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  expect(printed.text).toContain(`The services have ended. Everything is in ${folder}. To continue:\n  cd ${folder}\n`);
  await expect(fetch(account)).rejects.toThrow();
  await expect(fetch(pages)).rejects.toThrow();
});
