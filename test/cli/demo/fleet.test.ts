import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { makeFolder } from '../../samples.js';
import { findTool } from '../../tools.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

interface Told {
  readonly text: () => string;
  readonly folder: string;
  until(wanted: string): Promise<void>;
  interrupt(): void;
  end(): Promise<number>;
}

function tell(postgres: string): Told {
  const folder = makeFolder();
  // The server runs as another user if the test runs as root.
  for (const above of [folder, dirname(folder)]) chmodSync(above, 0o711);
  const env = { ...process.env, TMPDIR: folder, POSTGRES: postgres };
  const demo = spawn(process.execPath, [MAIN, 'demo', '--fleet'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(demo, 'close') as Promise<[number]>;
  closeAfterTest({ close: () => demo.kill('SIGINT') && ended });
  let text = '';
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return {
    ...{ text: () => text, folder, interrupt: () => void demo.kill('SIGINT') },
    async until(wanted) {
      while (!text.includes(wanted)) {
        if (demo.exitCode !== null) throw new Error(`the demo has ended: ${text}`);
        await Promise.race([once(demo.stdout, 'data'), ended]);
      }
    },
    end: async () => (await ended)[0],
  };
}

test('explains how to install PostgreSQL if it is missing', async () => {
  const told = tell('/nowhere/postgres');
  expect(await told.end()).toBe(1);
  expect(told.text()).toContain('apt-get install postgresql');
  expect(readdirSync(told.folder)).toEqual([]);
});

sweep('Ctrl-C ends daemons and PostgreSQL, and removes their folders', async () => {
  const told = tell(findTool('postgres'));
  await told.until('The first runs start in');
  const [, place = ''] = /PostgreSQL was started in\s+(\S+),/.exec(told.text()) ?? [];
  expect(existsSync(place)).toBe(true);
  told.interrupt();
  expect(await told.end()).toBe(1);
  expect(told.text()).toContain('SYNC_STOPPED');
  expect(readdirSync(told.folder)).toEqual([]);
});

sweep('the other daemons finish the runs of a killed daemon', async () => {
  const told = tell(findTool('postgres'));
  expect(await told.end()).toBe(0);
  expect(told.text()).toMatch(/KILLED \(kill -9\), in the middle of \w+/);
  expect(told.text().match(/8 people to create, 8 POSTs/g)).toHaveLength(6);
  expect(told.text()).toMatch(/8 POSTs {2}daemon (\d), then daemon (?!\1)\d/);
  expect(readdirSync(told.folder)).toEqual([]);
});
