import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../src/base/logger.js';
import { Secret } from '../../src/base/secrets/secret.js';
import { Daemon } from '../../src/daemon/daemon.js';
import { openBackend } from '../../src/daemon/tenants/backend.js';
import { createMetrics } from '../../src/daemon/web/metrics.js';
import { backUpState } from '../../src/store/backup.js';
import { closeAfterTest } from '../closing.js';
import { startDaemon } from '../daemon/daemon-process.js';
import { ageState } from '../older-state.js';
import { type Postgres, startPostgres } from '../postgres.js';
import { person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.close());
beforeEach(() => server.ask('DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION talent'));

function write(folder: string, files: Readonly<Record<string, object>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), `${JSON.stringify(content)}\n`);
  }
}

/** @returns how a command ended: its exit code, or the code of its error */
async function type(story: Story, ...words: readonly string[]): Promise<number | string> {
  const { code, stdout } = await story.type(...words, '--json');
  const { error } = JSON.parse(stdout) as { readonly error?: { readonly code: string } };
  return error?.code ?? code;
}

/** A tenant of a fleet of 0.2, on the volume of its daemon. */
async function openTenant(): Promise<Story> {
  const story = await openStory();
  const schedule = { every: '*/15 * * * *', spread: 0 };
  story.configure({ state: './volume-0/talent-sync', schedule });
  story.deliver([person('E1')]);
  await story.sync();
  return story;
}

async function prepareBackend(story: Story): Promise<void> {
  const folder = dirname(story.configFile);
  write(folder, { 'daemon.yaml': { backend: { postgres: { url: { file: './url' }, tls: 'off' } } } });
  writeFileSync(join(folder, 'url'), server.url);
  expect(await type(story, 'fleet', 'prepare')).toBe(0);
}

const RAN = ['run ended'];

/** Lets a daemon claim all due runs a quarter of an hour later. @returns outcomes of runs, and codes of errors */
async function runDaemon(story: Story): Promise<readonly string[]> {
  const { clock, env, configFile } = story;
  const log: string[] = [];
  const note = ({ msg, code = msg }: { readonly msg: string; readonly code?: string }): void => {
    if (code !== msg || RAN.includes(msg)) log.push(code);
  };
  const logger = createLogger('info', { write: (line) => note(JSON.parse(line)) });
  const settings = { url: new Secret(server.url), ca: null, key: null, isEncrypted: false };
  const now = { now: () => Date.now(), monotonic: () => performance.now() };
  const backend = openBackend({ settings, holder: 'new', clock: now, logger });
  closeAfterTest(backend);
  const { watcher } = createMetrics({ clock, version: '0.0.0', list: () => [] });
  const daemon = new Daemon({
    ...{ target: dirname(configFile), env, clock, logger, holder: 'new', watcher, wait: true, parallel: 1, backend },
  });
  await daemon.start();
  // The schedule counts from the first contact.
  for (const _contact of [1, 2]) {
    await server.ask("UPDATE tenant SET next_slot = now() - interval '1 h'");
    await daemon.claim();
    await daemon.idle();
    clock.advance(15 * 60_000);
  }
  await daemon.stop();
  return log;
}

test("moves a state from its daemon's volume into PostgreSQL, where any daemon continues with it", async () => {
  const story = await openTenant();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const volume = join(story.folder, 'volume-0');
  write(volume, { 'fleet-volume.json': { id: 'b7a1d0c2-6a52-4f8e-9a53-0f6f0c1f7d11' } });
  write(join(volume, 'talent-sync'), { 'fleet-token.json': { tenant: 'talent-sync', generation: 3 } });
  ageState(join(volume, 'talent-sync'));
  const list = { daemons: 3, volume: './volume-0', hand_over: './hand-over', tenants: ['talent-sync'] };
  write(dirname(story.configFile), { 'daemon.yaml': { fleet: list } });
  // The list of 0.2 is not a backend.
  expect(await type(story, 'state', 'push')).toBe('SYNC_CONFIG_INVALID');
  await prepareBackend(story);
  expect(await type(story, 'state', 'push')).toBe(0);

  rmSync(volume, { recursive: true });
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  expect(await runDaemon(story)).toEqual(RAN);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

test('takes a state in transfer from the hand-over folder, and rejects the one left behind', async () => {
  const story = await openTenant();
  const [old, place] = [join(story.folder, 'volume-0', 'talent-sync'), join(story.folder, 'hand-over')];
  cpSync(old, join(story.folder, 'before'), { recursive: true });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  write(place, { 'place.json': { prepared: true } });
  const claim = { volume: 'b7a1d0c2-6a52-4f8e-9a53-0f6f0c1f7d11', daemon: 0 };
  write(join(place, 'talent-sync'), { '1.claim': claim, '1.held': {}, '2.offer': {} });
  backUpState(old, join(place, 'talent-sync', '2.db'));
  // The folder left behind may be older than its tombstone, on a volume that was reset.
  rmSync(old, { recursive: true });
  cpSync(join(story.folder, 'before'), old, { recursive: true });
  write(old, { 'moved.json': { tenant: 'talent-sync', generation: 1 } });

  expect((await story.sync()).error?.code).toBe('SYNC_STATE_ELSEWHERE');
  await prepareBackend(story);
  expect(await type(story, 'state', 'push')).toBe('SYNC_STATE_ELSEWHERE');
  story.configure({ state: './brought' });
  mkdirSync(join(story.folder, 'brought'));
  copyFileSync(join(place, 'talent-sync', '2.db'), join(story.folder, 'brought', 'state.db'));
  expect(await type(story, 'state', 'push')).toBe(0);

  story.takeWrites();
  expect(await runDaemon(story)).toEqual(RAN);
  expect(story.takeWrites()).toEqual([]);
  expect(story.users().map(({ external_unique_id: id }) => id)).toEqual(expect.arrayContaining(['E1', 'E2']));
});

test('keeps a state that was never pushed: no daemon starts an empty one instead', async () => {
  const story = await openTenant();
  await prepareBackend(story);
  story.takeWrites();
  const daemon = startDaemon(story, { target: dirname(story.configFile) });
  expect(await daemon.logged('waits for the state')).toMatchObject({ code: 'SYNC_STATE_ELSEWHERE' });
  // The daemon serves the other tenants.
  expect((await daemon.get('/readyz')).status).toBe(200);
  daemon.send('SIGTERM');
  await daemon.ended;
  expect(story.takeWrites()).toEqual([]);
  expect(readdirSync(join(story.folder, 'volume-0', 'talent-sync'))).toContain('state.db');
  rmSync(join(dirname(story.configFile), 'daemon.yaml'));
  expect(await type(story, 'audit', 'verify')).toBe(0);
});
