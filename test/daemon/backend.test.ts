import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import type { Daemon } from '../../src/daemon/daemon.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { preparePostgres } from '../../src/store/remote/prepare.js';
import { closeAfterTest } from '../closing.js';
import { type Postgres, startPostgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { type Fleet, openFleet } from './fleet.js';
import { openNode as openMachine } from './open-node.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
  const postgres = openPostgres({ url: new Secret(server.url), tls: null, connections: 1 });
  await preparePostgres(postgres);
  await postgres.close();
});
afterAll(() => server?.close());

beforeEach(() => server.ask(EMPTY));

function openNode(fleet: Fleet, name: string, fetch?: typeof globalThis.fetch): Promise<Daemon> {
  return openMachine(fleet, { name, url: server.url, ...(fetch === undefined ? {} : { fetch }) });
}

/** The lease of every holder has expired long ago. */
const lose = () =>
  server.ask("UPDATE tenant SET lease_until = now() - interval '5 min', next_slot = now() - interval '1 h'");
const wait = () => server.ask("UPDATE tenant SET next_slot = now() - interval '1 h'");

async function newestCommit(tenant: string): Promise<{ readonly number: number; readonly pages: number }> {
  const [row] = await server.ask(
    `SELECT commit_number::int AS number,
      (SELECT count(*)::int FROM file_page p WHERE p.tenant = f.tenant AND p.commit_number = f.commit_number) AS pages
    FROM file f WHERE tenant = $1`,
    [tenant],
  );
  return row as { readonly number: number; readonly pages: number };
}

async function claim(daemon: Daemon): Promise<void> {
  await daemon.claim();
  await daemon.idle();
}

test('daemons are interchangeable: each continues where another has ended', async () => {
  const fleet = await openFleet('2026-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  const north = await fleet.addTenant('north', {});
  const [a, b] = [await openNode(fleet, 'a'), await openNode(fleet, 'b')];
  acme.deliver([person('E1'), person('E2')]);
  north.deliver([person('N1')]);
  // First contact: the schedule counts from now.
  await claim(a);
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await claim(a);
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([2, 1]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  fleet.clock.set('2026-11-21T08:30:10Z');
  await wait();
  await claim(b);
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([1, 0]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2', { status: 'left' })]);
  fleet.clock.set('2026-11-21T08:45:10Z');
  await wait();
  await claim(a);
  await claim(b);
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([1, 0]);
  expect(acme.sandbox.state().users.map((user) => (user as { deactivated: boolean }).deactivated)).toEqual([
    false,
    true,
  ]);
  // A quiet run is one commit of a few pages.
  const before = await newestCommit('acme');
  fleet.clock.set('2026-11-21T09:00:10Z');
  await wait();
  await claim(a);
  const after = await newestCommit('acme');
  expect(after.number).toBe(before.number + 1);
  expect(after.pages * 4_096).toBeLessThanOrEqual(64 * 1_024);
});

test('a daemon is gone in the middle of a run: another finishes it, and nothing is done twice', async () => {
  const fleet = await openFleet('2026-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', { service: { rate_limit: { concurrency: 2 } } });
  const staff = Array.from({ length: 12 }, (_, at) => person(`E${at}`));
  acme.deliver(staff);
  let left = 5;
  let arrive: () => void = () => undefined;
  const stuck = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let thaw: () => void = () => undefined;
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  closeAfterTest({ close: () => thaw() });
  // Its sixth write stays on the way; nothing that comes after it leaves before it is thawed.
  const a = await openNode(fleet, 'a', async (url, init) => {
    const isWrite = init?.method === 'POST' || init?.method === 'PUT';
    if (isWrite && left-- <= 0) {
      arrive();
      await frozen;
    }
    return fetch(url, init);
  });
  const b = await openNode(fleet, 'b');
  await claim(a);
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await a.claim();
  await stuck;
  await lose();
  await claim(b);
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // Only calls that were handed over before the stop can arrive after it.
  acme.takeWrites();
  thaw();
  await a.idle();
  expect(acme.takeWrites()).toBeLessThanOrEqual(2);
  expect(fleet.log.filter(({ msg }) => msg === 'defect')).toEqual([]);
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // The next run finds nothing to do, wherever it is.
  fleet.clock.set('2026-11-21T08:30:10Z');
  await wait();
  await claim(a);
  expect(acme.takeWrites()).toBe(0);
});

test('PostgreSQL away: nothing is sent, and work continues by itself', async () => {
  const fleet = await openFleet('2026-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  acme.deliver([person('E1'), person('E2')]);
  const a = await openNode(fleet, 'a', async (url, init) => {
    // It goes between the plan and the first call.
    if (acme.sandbox.calls().length === 2) await server.stop();
    return fetch(url, init);
  });
  await claim(a);
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await claim(a);
  expect(acme.takeWrites()).toBe(0);
  await claim(a);
  await server.start();
  await lose();
  const b = await openNode(fleet, 'b');
  await claim(b);
  expect(acme.takeWrites()).toBe(2);
});
