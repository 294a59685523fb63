import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { closeAfterTest } from '../../closing.js';
import { ROOT } from '../../module-graph.js';

test('the program prints the address of its pages, bundles their files, and stops while someone watches', async () => {
  const child = spawn(process.execPath, ['dist/main.js', 'sandbox', '--host', '0.0.0.0'], { cwd: ROOT });
  closeAfterTest({ close: () => child.kill('SIGKILL') });
  const [[line], [said]] = await Promise.all([
    once(createInterface({ input: child.stdout }), 'line'),
    once(createInterface({ input: child.stderr }), 'line'),
  ]);
  const address = /^The account's pages: (http:\/\/127\.0\.0\.1:\d+)\/$/.exec(String(said))?.[1] ?? '';
  expect(JSON.parse(String(line)).url).toBe(address.replace('127.0.0.1', '0.0.0.0'));
  const page = await (await fetch(`${address}/`)).text();
  for (const file of [/href="(\/pages\/style[^"]+)"/, /src="(\/pages\/script[^"]+)"/]) {
    const answer = await fetch(address + file.exec(page)?.[1]);
    expect(answer.status).toBe(200);
    expect((await answer.text()).length).toBeGreaterThan(1000);
  }
  const watched = await fetch(`${address}/live`);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect(watched.text()).rejects.toThrow();
});
