import { expect, it } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { person } from '../scenarios/company.js';
import { openFleet } from './fleet.js';

/* A plan or a run that somebody asks for in between: the daemon's own turns, lock and schedule. */

const START = '2026-11-23T08:01:00.000Z';

async function open() {
  const fleet = await openFleet(START);
  const acme = await fleet.addTenant('acme', {});
  acme.deliver([person('E1'), person('E2')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  return { fleet, acme, daemon, asked: () => daemon.list()[0]?.status?.asked ?? null };
}

it('plans now without writing, and runs now, in the name of who asked', async () => {
  const { fleet, acme, daemon, asked } = await open();
  acme.takeWrites();
  daemon.ask('acme', 'plan', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', kind: 'plan', result: expect.stringMatching(/^p/), problem: null });
  expect(acme.takeWrites()).toBe(0);

  daemon.ask('acme', 'run', 'jane@example.com');
  daemon.ask('acme', 'run', 'kim@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', kind: 'run', by: 'jane@example.com', problem: null });
  expect(acme.takeWrites()).toBe(2);
  const ends = fleet.log.filter(({ msg }) => msg === 'run ended');
  expect(ends).toHaveLength(1);
});

it('waits for the state that somebody else holds, and says what did not go through', async () => {
  const { fleet, acme, daemon, asked } = await open();
  const lock = acquireRunLock(`${fleet.folder}/state/acme`, 'sync, process 1 on desk');
  daemon.ask('acme', 'plan', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'queued' });
  expect(daemon.list()[0]?.status).toMatchObject({ phase: 'locked', because: expect.stringContaining('on desk') });
  lock.close();
  daemon.poll();
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', problem: null });

  await acme.sandbox.close();
  daemon.ask('acme', 'run', 'jane@example.com');
  await daemon.idle();
  expect(asked()).toMatchObject({ state: 'ended', problem: expect.stringContaining('') });
});
