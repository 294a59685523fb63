import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { closeAfterTest } from '../closing.js';
import { sweep } from '../depth.js';
import { person, type Yaml } from '../scenarios/company.js';
import { openFleet } from './fleet.js';

/* Plans and runs that people ask for between slots, with the daemon's own turns, lock and schedule. */

const START = '2026-11-23T08:01:00.000Z';

async function open(patch: { readonly [key: string]: Yaml } = {}) {
  const fleet = await openFleet(START);
  const acme = await fleet.addTenant('acme', patch);
  acme.deliver([person('E1'), person('E2')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  return { fleet, acme, daemon, asked: () => daemon.list()[0]?.status?.asked ?? null };
}

it('plans without writing, and runs in the name of the person who asked', async () => {
  const { fleet, acme, daemon, asked } = await open();
  acme.takeWrites();
  await daemon.ask('acme', 'plan', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', kind: 'plan', result: expect.stringMatching(/^p/), problem: null });
  expect(acme.takeWrites()).toBe(0);

  await daemon.ask('acme', 'run', 'jane@example.com');
  await daemon.ask('acme', 'run', 'kim@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', kind: 'run', by: 'jane@example.com', problem: null });
  expect(acme.takeWrites()).toBe(2);
  const ends = fleet.log.filter(({ msg }) => msg === 'run ended');
  expect(ends).toHaveLength(1);
});

it('makes due deliveries without a run, and reports a delivery that fails again', async () => {
  const deliver = { drop: '../outbox/people', name: 'people.csv' };
  const people = { kind: 'cv', type: 'user_report', schedule: '*/15 * * * *', deliver };
  const { fleet, acme, daemon, asked } = await open({ deliveries: { people } });
  const outbox = join(fleet.folder, 'outbox');
  writeFileSync(outbox, 'a file');
  // The first run only notes the schedule of a delivery.
  await fleet.walk(daemon, '2026-11-23T08:31:00.000Z');
  fleet.forget();
  // The next run would write this change.
  acme.deliver([person('E1'), person('E2'), person('E3')]);
  await daemon.ask('acme', 'deliveries', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', kind: 'deliveries', result: null });
  expect(asked()?.problem?.message).toMatch(/outbox is a file, and a folder is needed/);

  rmSync(outbox);
  mkdirSync(join(outbox, 'people'), { recursive: true });
  await daemon.ask('acme', 'deliveries', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', problem: null });
  expect(readdirSync(join(outbox, 'people'))).toEqual(['people.csv']);
  expect(acme.sandbox.calls().filter(({ path, method }) => method !== 'GET' && path.includes('user'))).toEqual([]);
  expect(fleet.log.filter(({ msg }) => msg === 'run ended')).toEqual([]);
});

sweep('waits for a locked state, and reports requests that fail', async () => {
  const { fleet, acme, daemon, asked } = await open();
  const lock = acquireRunLock(`${fleet.folder}/state/acme`, 'sync, process 1 on desk');
  await daemon.ask('acme', 'plan', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'queued' });
  expect(daemon.list()[0]?.status).toMatchObject({ phase: 'locked', because: expect.stringContaining('on desk') });
  lock.close();
  daemon.poll();
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', problem: null });

  await acme.sandbox.close();
  await daemon.ask('acme', 'run', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', problem: { code: expect.any(String) } });
});

const ORDER = { only: null, full: false, asOf: null, ignoreQuietHours: false, isDetailed: false };
const LOOK = { color: false, width: null, all: false, veil: null };

sweep('gives the person who ordered a plan or a run the same result as the command', async () => {
  const { fleet, acme, daemon } = await open();
  acme.takeWrites();
  const order = { ...ORDER, look: LOOK, isDetailed: true };
  const plan = await daemon.ask('acme', 'plan', 'jane@example.com', order);
  // Another person's identical order gets its own answer; the same person's second order is the same work.
  const other = await daemon.ask('acme', 'plan', 'kim@example.com', order);
  expect((await daemon.ask('acme', 'plan', 'jane@example.com', order))?.id).toBe(plan?.id);
  await daemon.idle();
  expect(other?.id).not.toBe(plan?.id);
  const told = await daemon.findAsked('acme', plan?.id ?? '');
  expect(told).toMatchObject({
    state: 'ended',
    problem: null,
    told: { exitCode: 2, json: { counts: expect.anything() } },
  });
  expect(told?.told?.text).toMatch(/^Plan p.*: 2 changes/);
  expect(await daemon.findAsked('acme', 'w0')).toBeNull();

  // A run of a single object leaves the slot of the schedule to the next run.
  const one = await daemon.ask('acme', 'run', 'jane@example.com', { ...ORDER, only: 'user:E1', look: LOOK });
  await daemon.idle();
  expect((await daemon.findAsked('acme', one?.id ?? ''))?.told).toMatchObject({ exitCode: 0, json: { done: 1 } });
  const nobody = await daemon.ask('acme', 'run', 'jane@example.com', { ...ORDER, only: 'user:nobody', look: LOOK });
  await daemon.idle();
  expect(await daemon.findAsked('acme', nobody?.id ?? '')).toMatchObject({
    told: null,
    problem: { code: 'SYNC_NOT_FOUND' },
  });
  // A wrong request does not affect the tenant's status.
  expect(daemon.list()[0]?.status).toMatchObject({ phase: 'idle', because: null });
  expect(fleet.log.filter(({ msg }) => msg === 'run failed')).toEqual([]);
});

sweep('stops even if requests still wait for a turn', async () => {
  const { fleet, daemon } = await open();
  closeAfterTest(acquireRunLock(`${fleet.folder}/state/acme`, 'sync, process 1 on desk'));
  for (let i = 0; i < 3; i += 1) await daemon.ask('acme', 'plan', `p${i}@example.com`, { ...ORDER, look: null });
  await daemon.stop();
  expect(daemon.isStopping()).toBe(true);
});

sweep('limits the requests that wait, and gives a person who asks during a failing run a turn', async () => {
  const { fleet, acme, daemon } = await open();
  const lock = acquireRunLock(`${fleet.folder}/state/acme`, 'sync, process 1 on desk');
  for (let i = 0; i < 20; i += 1) await daemon.ask('acme', 'plan', `p${i}@example.com`, { ...ORDER, look: null });
  await expect(daemon.ask('acme', 'plan', 'more@example.com', { ...ORDER, look: null })).rejects.toThrow(
    /20 requests .* already/,
  );
  await daemon.idle();
  lock.close();
  daemon.poll();
  await daemon.idle();

  await acme.sandbox.close();
  await daemon.ask('acme', 'run', 'jane@example.com', { ...ORDER, look: null });
  const plan = await daemon.ask('acme', 'plan', 'kim@example.com', { ...ORDER, look: null });
  await daemon.idle();
  expect(await daemon.findAsked('acme', plan?.id ?? '')).toMatchObject({ state: 'ended' });
});
