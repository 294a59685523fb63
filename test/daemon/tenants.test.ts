import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { type Fleet, openFleet } from './fleet.js';

const START = '2026-06-01T09:59:30Z';

function runsOf(fleet: Fleet, tenant: string): number {
  return fleet.log.filter(({ msg, tenant: name }) => msg === 'run ended' && name === tenant).length;
}

async function refusalOf(started: Promise<void>): Promise<SyncError> {
  const error = await started.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SyncError) return error;
  throw new Error('it was not rejected', { cause: error });
}

/** Two tenants with one person each, and a daemon that has opened both. */
async function openTwo() {
  const fleet = await openFleet(START);
  const [acme, beta] = [await fleet.addTenant('acme', {}), await fleet.addTenant('beta', {})];
  acme.deliver([person('A1')]);
  beta.deliver([person('B1')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  const pollFor = async (ms: number): Promise<void> => {
    for (let waited = 0; waited <= ms; waited += 5_000) {
      daemon.poll();
      await daemon.idle();
      fleet.clock.advance(5_000);
    }
  };
  return { fleet, acme, beta, daemon, pollFor };
}

describe('tenants are independent', () => {
  test("runs one tenant while the other's service is down", async () => {
    const { fleet, acme, beta, daemon } = await openTwo();
    await fleet.walk(daemon, '2026-06-01T10:00:00Z');
    await acme.sandbox.close();
    beta.deliver([person('B1'), person('B2')]);
    await fleet.walk(daemon, '2026-06-01T10:15:00Z');
    expect(beta.sandbox.state().users).toHaveLength(2);
    expect(fleet.log.filter(({ level }) => level === 'error')).toMatchObject([
      { tenant: 'acme', code: 'SYNC_SERVICE_DOWN' },
    ]);
    expect(await fleet.metric('talent_sync_runs_total', { tenant: 'acme', result: 'broken' })).toBe(1);
    expect(await fleet.metric('talent_sync_runs_total', { tenant: 'beta', result: 'done' })).toBe(2);
    // An unreachable service is tried again at the next slot, not earlier.
    await fleet.walk(daemon, '2026-06-01T10:29:00Z');
    expect(await fleet.metric('talent_sync_runs_total', { tenant: 'acme', result: 'broken' })).toBe(1);
  });

  sweep('limits the tenants that work at the same time, and gives each a turn', async () => {
    const fleet = await openFleet(START);
    for (const name of ['a', 'b', 'c']) (await fleet.addTenant(name, {})).deliver([person('E1')]);
    const daemon = fleet.openDaemon({ parallel: 1 });
    await daemon.start();
    await daemon.idle();
    await fleet.walk(daemon, '2026-06-01T10:00:00Z');
    const story = fleet.log.filter(({ msg }) => msg === 'run starts' || msg === 'run ended').map(({ msg }) => msg);
    expect(story).toEqual(['run starts', 'run ended', 'run starts', 'run ended', 'run starts', 'run ended']);
  });
});

sweep('keeps the schedule by polling between ticks when the clock is set back', async () => {
  const { fleet, acme, daemon } = await openTwo();
  const pollAt = async (iso: string): Promise<void> => {
    fleet.clock.set(iso);
    daemon.poll();
    await daemon.idle();
  };
  await fleet.walk(daemon, '2026-06-01T10:00:00Z');
  await pollAt('2026-06-01T08:00:30Z');
  expect(daemon.lastTickMs()).toBe(fleet.clock.now());
  await pollAt('2026-06-01T08:14:59Z');
  expect(runsOf(fleet, 'acme')).toBe(1);
  acme.deliver([person('A1'), person('A2')]);
  await pollAt('2026-06-01T08:15:03Z');
  expect(runsOf(fleet, 'acme')).toBe(2);
  expect(acme.sandbox.state().users).toHaveLength(2);
});

describe('changed configurations', () => {
  test('rejects a broken configuration and keeps the old one, until the file is fixed', async () => {
    const { fleet, acme, daemon, pollFor } = await openTwo();
    acme.write('service: [');
    await pollFor(10_000);
    expect(fleet.log.at(-1)).toMatchObject({ tenant: 'acme', code: 'SYNC_CONFIG_INVALID', level: 'error' });
    expect(await fleet.metric('talent_sync_config_good', { tenant: 'acme' })).toBe(0);
    await fleet.walk(daemon, '2026-06-01T10:15:00Z');
    expect(acme.sandbox.state().users).toHaveLength(1);
    const refusals = fleet.log.filter(({ msg }) => msg.startsWith('configuration rejected'));
    expect(refusals).toHaveLength(1);

    acme.configure({ schedule: { every: '0 * * * *' } });
    await pollFor(10_000);
    expect(await fleet.metric('talent_sync_config_good', { tenant: 'acme' })).toBe(1);
    const before = runsOf(fleet, 'acme');
    await fleet.walk(daemon, '2026-06-01T10:59:00Z');
    expect(runsOf(fleet, 'acme')).toBe(before);
    await fleet.walk(daemon, '2026-06-01T11:00:00Z');
    expect(runsOf(fleet, 'acme')).toBe(before + 1);
  });

  sweep('adds a tenant for a new file, and removes one for a deleted file', async () => {
    const { fleet, beta, daemon, pollFor } = await openTwo();
    const third = await fleet.addTenant('gamma', {});
    third.deliver([person('G1')]);
    rmSync(beta.file);
    await pollFor(10_000);
    expect(daemon.list().map(({ name, status }) => [name, status?.phase])).toEqual([
      ['acme', 'idle'],
      ['gamma', 'idle'],
    ]);
    await fleet.walk(daemon, '2026-06-01T10:15:00Z');
    expect(third.sandbox.state().users).toHaveLength(1);
    expect(beta.sandbox.state().users).toHaveLength(0);
  });

  test('uses a changed secret in the next run, even if the configuration is unchanged', async () => {
    const { fleet, acme, daemon } = await openTwo();
    fleet.env.TALENT_API_KEY = 'not-a-key';
    await fleet.walk(daemon, '2026-06-01T10:00:00Z');
    expect(fleet.log.some(({ code }) => code === 'SYNC_SERVICE_UNAUTHENTICATED')).toBe(true);
    fleet.env.TALENT_API_KEY = 'admin-key';
    await fleet.walk(daemon, '2026-06-01T10:15:00Z');
    expect(acme.sandbox.state().users).toHaveLength(1);
  });

  sweep('adds a tenant once its secret is mounted', async () => {
    const fleet = await openFleet(START);
    await fleet.addTenant('acme', {});
    (await fleet.addTenant('beta', { service: { api_key: { env: 'BETA_KEY' } } })).deliver([person('B1')]);
    const daemon = fleet.openDaemon();
    await daemon.start();
    await daemon.idle();
    expect(daemon.list()[1]).toMatchObject({ status: null, problem: { code: 'SYNC_CONFIG_SECRET' } });
    fleet.env.BETA_KEY = 'admin-key';
    await fleet.walk(daemon, '2026-06-01T10:03:00Z');
    expect(daemon.list()[1]).toMatchObject({ problem: null, status: { phase: 'idle' } });
  });

  sweep('opens a moved state folder again, with a schedule of its own', async () => {
    const { fleet, acme, daemon, pollFor } = await openTwo();
    await fleet.walk(daemon, '2026-06-01T10:00:00Z');
    acme.configure({ state: '../state/acme-2' });
    await pollFor(10_000);
    await fleet.walk(daemon, '2026-06-01T10:15:00Z');
    const ready = fleet.log.filter(({ msg, tenant }) => msg === 'tenant ready' && tenant === 'acme');
    expect(ready.map(({ state }) => String(state).endsWith('acme-2'))).toEqual([false, true]);
    expect(acme.sandbox.state().users).toHaveLength(1);
  });
});

sweep('reports a state folder that was lost while the daemon runs, and continues the schedule', async () => {
  const { fleet, acme, daemon } = await openTwo();
  await fleet.walk(daemon, '2026-06-01T10:00:00Z');
  rmSync(join(fleet.folder, 'state', 'acme'), { recursive: true });
  await fleet.walk(daemon, '2026-06-01T10:15:00Z');
  expect(fleet.log.filter(({ level }) => level === 'warn' || level === 'error')).toMatchObject([
    { tenant: 'acme', msg: 'the state was replaced: the schedule counts from now' },
  ]);
  await fleet.walk(daemon, '2026-06-01T10:30:00Z');
  expect(runsOf(fleet, 'acme')).toBe(2);
  expect(acme.sandbox.state().users).toHaveLength(1);
});

sweep('makes growing pauses for an unreachable service, until its first good run, and runs other tenants', async () => {
  const fleet = await openFleet(START);
  const every = { schedule: { every: '* * * * *' } };
  const [acme, beta] = [await fleet.addTenant('acme', every), await fleet.addTenant('beta', every)];
  acme.deliver([person('A1')]);
  beta.deliver([person('B1')]);
  let isAway = true;
  const daemon = fleet.openDaemon({
    fetch: (url, init) =>
      isAway && String(url).startsWith(acme.sandbox.url)
        ? Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
        : globalThis.fetch(url, init),
  });
  await daemon.start();
  await daemon.idle();
  await fleet.walk(daemon, '2026-06-01T10:30:00Z');
  const at = fleet.log.filter(({ msg, tenant }) => msg === 'run starts' && tenant === 'acme').map(({ slot }) => slot);
  expect(at.map((slot) => String(slot).slice(11, 16))).toEqual(['10:00', '10:01', '10:03', '10:07', '10:15']);
  expect(runsOf(fleet, 'beta')).toBe(31);
  expect(await fleet.metric('talent_sync_away_in_a_row', { tenant: 'acme' })).toBe(5);
  expect(await fleet.metric('talent_sync_next_run_seconds', { tenant: 'acme' })).toBe(60);
  expect(fleet.log.filter(({ level, tenant }) => level === 'warn' && tenant === 'acme').at(-1)).toMatchObject({
    runs: 5,
    until: '2026-06-01T10:31:00.000Z',
  });
  isAway = false;
  await fleet.walk(daemon, '2026-06-01T10:33:00Z');
  expect(runsOf(fleet, 'acme')).toBe(3);
  expect(await fleet.metric('talent_sync_away_in_a_row', { tenant: 'acme' })).toBe(0);
  expect(acme.sandbox.state().users).toHaveLength(1);
});

describe('a daemon that cannot start', () => {
  test('reports a missing target, an empty folder, a broken configuration, and a missing schedule', async () => {
    const fleet = await openFleet(START);
    const start = (target?: string): Promise<SyncError> =>
      refusalOf(fleet.openDaemon(target === undefined ? {} : { target }).start());
    expect(await start('/no/such/place')).toMatchObject({ code: 'SYNC_CONFIG_UNREADABLE', place: '/no/such/place' });
    expect(await start()).toMatchObject({
      code: 'SYNC_CONFIG_INVALID',
      message: 'There is no configuration in the folder.',
    });
    const acme = await fleet.addTenant('acme', {});
    acme.write('policy: sometimes');
    expect((await start(acme.file)).problems.length).toBeGreaterThan(1);
    acme.configure({ schedule: { every: null } });
    expect((await start(acme.file)).code).toBe('SYNC_CONFIG_INVALID');
    acme.write('{}');
    const beta = await fleet.addTenant('beta', {});
    beta.write('[]');
    const both = await start();
    expect(both.message).toBe('No tenant has a configuration that can be used.');
    expect(both.problems).toHaveLength(2);
  });

  sweep('rejects a pipe among the configurations without waiting for it', async () => {
    const fleet = await openFleet(START);
    await fleet.addTenant('acme', {});
    execFileSync('mkfifo', [join(fleet.folder, 'tenants', 'pipe.yaml')]);
    const daemon = fleet.openDaemon();
    await daemon.start();
    await daemon.idle();
    expect(daemon.list().map(({ name, problem }) => [name, problem?.code])).toEqual([
      ['acme', undefined],
      ['pipe', 'SYNC_CONFIG_UNREADABLE'],
    ]);
  });
});

describe('a state that another process holds', () => {
  sweep('is reported once, and used by a run once it is unlocked', async () => {
    const { fleet, acme, daemon } = await openTwo();
    const lock = acquireRunLock(join(fleet.folder, 'state', 'acme'), 'apply, process 4711 on laptop');
    await fleet.walk(daemon, '2026-06-01T10:03:00Z');
    expect(acme.sandbox.state().users).toHaveLength(0);
    expect(daemon.list()[0]?.status).toMatchObject({
      phase: 'locked',
      because: expect.stringContaining('process 4711'),
    });
    expect(fleet.log.filter(({ code }) => code === 'SYNC_STATE_LOCKED')).toHaveLength(1);
    lock.close();
    daemon.poll();
    await daemon.idle();
    expect(acme.sandbox.state().users).toHaveLength(1);
    expect(daemon.list()[0]?.status).toMatchObject({ phase: 'idle', because: null });
    await fleet.walk(daemon, '2026-06-01T10:14:00Z');
    expect(runsOf(fleet, 'acme')).toBe(1);
  });

  sweep('does not lose a slot that passes before the first contact', async () => {
    const fleet = await openFleet(START);
    const acme = await fleet.addTenant('acme', {});
    acme.deliver([person('A1')]);
    const lock = acquireRunLock(join(fleet.folder, 'state', 'acme'), 'sync, process 4711 on laptop');
    const daemon = fleet.openDaemon();
    await daemon.start();
    await fleet.walk(daemon, '2026-06-01T10:05:00Z');
    lock.close();
    daemon.poll();
    await daemon.idle();
    expect(acme.sandbox.state().users).toHaveLength(1);
  });

  test('ends the daemon immediately with --no-wait, and names the holder', async () => {
    const fleet = await openFleet(START);
    await fleet.addTenant('acme', {});
    const lock = acquireRunLock(join(fleet.folder, 'state', 'acme'), 'daemon, process 1 on worker-1');
    const error = await refusalOf(fleet.openDaemon({ wait: false }).start());
    expect(error).toMatchObject({
      code: 'SYNC_STATE_LOCKED',
      message: expect.stringContaining('process 1 on worker-1'),
    });
    lock.close();
  });

  sweep('gets one run per slot from two daemons', async () => {
    const { fleet, acme, daemon } = await openTwo();
    const other = fleet.openDaemon();
    await other.start();
    await other.idle();
    for (let slot = 0; slot < 4; slot += 1) {
      fleet.clock.advance(15 * 60_000);
      acme.deliver([person('A1'), ...Array.from({ length: slot + 1 }, (_, index) => person(`N${index}`))]);
      daemon.tick();
      other.tick();
      await Promise.all([daemon.idle(), other.idle()]);
      // The later daemon looks again, and finds that the slot already has its run.
      daemon.poll();
      other.poll();
      await Promise.all([daemon.idle(), other.idle()]);
    }
    expect(runsOf(fleet, 'acme')).toBe(4);
    expect(runsOf(fleet, 'beta')).toBe(4);
    expect(acme.takeWrites()).toBe(5);
    expect(acme.sandbox.state().users).toHaveLength(5);
  });
});

sweep('a stop ends the run between two changes; the next daemon immediately does the rest', async () => {
  const fleet = await openFleet(START);
  const acme = await fleet.addTenant('acme', { service: { rate_limit: { concurrency: 1 } } });
  acme.deliver(Array.from({ length: 40 }, (_, index) => person(`E${index}`)));
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  fleet.clock.set('2026-06-01T10:00:00Z');
  daemon.tick();
  while ((acme.sandbox.state().users as readonly unknown[]).length < 3)
    await new Promise((next) => setTimeout(next, 5));
  await daemon.stop();
  const done = (acme.sandbox.state().users as readonly unknown[]).length;
  expect(done).toBeLessThan(40);
  expect(fleet.log.at(-1)).toMatchObject({ msg: 'run ended', exit_code: 3, done, left: 40 - done });
  expect(daemon.isStopping()).toBe(true);

  const next = fleet.openDaemon();
  await next.start();
  await next.idle();
  expect(acme.sandbox.state().users).toHaveLength(40);
  expect(acme.takeWrites()).toBe(40);
});

sweep('answers a scrape without waiting until the states are open', async () => {
  const fleet = await openFleet(START);
  const { file } = await fleet.addTenant('acme', {});
  const text = readFileSync(file, 'utf8');
  for (let at = 0; at < 30; at += 1)
    writeFileSync(join(dirname(file), `t${at}.yaml`), text.replace('state/acme', `state/t${at}`));
  const daemon = fleet.openDaemon();
  await daemon.start();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await daemon.listFresh()).toHaveLength(31);
  isOver = true;
  expect(turns).toBeLessThan(5);
});
