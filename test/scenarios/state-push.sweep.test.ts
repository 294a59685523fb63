import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Postgres, startPostgres } from '../postgres.js';
import { person } from './company.js';
import { openStory } from './kit.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.close());

test('moves a state into PostgreSQL and back, and keeps it in one place each time', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  const backend = { postgres: { url: { file: './url' }, tls: 'off' } };
  writeFileSync(join(dirname(story.configFile), 'daemon.yaml'), JSON.stringify({ backend }));
  writeFileSync(join(dirname(story.configFile), 'url'), server.url);
  /** @returns how the command ended: its exit code, or the code of its error */
  const command = async (...words: readonly string[]) => {
    const { code, stdout } = await story.type(...words, '--json');
    const { error } = JSON.parse(stdout) as { readonly error?: { readonly code: string } };
    return error === undefined ? code : error.code;
  };

  expect(await command('state', 'push')).toBe('SYNC_BACKEND_UNPREPARED');
  expect(await command('fleet', 'prepare', '--config', dirname(story.configFile))).toBe(0);
  expect(await command('state', 'pull')).toBe('SYNC_STATE_ELSEWHERE');
  expect(await command('state', 'push')).toBe(0);
  expect(await command('state', 'push')).toBe('SYNC_STATE_ELSEWHERE');
  // Commands hold the tenant like a daemon; the mirror is still there.
  expect(await command('sync')).toBe(0);
  expect(story.takeWrites()).toEqual([]);
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  expect(await command('sync')).toBe(0);
  expect(story.takeWrites()).toHaveLength(1);
  expect(await command('status')).toBe(0);
  story.configure({ state: './elsewhere' });
  expect(await command('state', 'pull')).toBe(0);
  expect(await command('state', 'pull')).toBe('SYNC_STATE_ELSEWHERE');
  // No command takes it while daemons could.
  expect(await command('status')).toBe('SYNC_STATE_ELSEWHERE');
  expect(await command('sync')).toBe('SYNC_STATE_ELSEWHERE');
  rmSync(join(dirname(story.configFile), 'daemon.yaml'));
  expect(await command('audit', 'verify')).toBe(0);
  story.deliver([person('E1'), person('E2', { title: 'Lead' })]);
  expect(await command('sync')).toBe(0);
  expect(story.takeWrites()).toHaveLength(1);
});
