import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import type { Postgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { openRemoteFleet, startPrepared } from './remote-fleet.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());

beforeEach(() => server.ask(EMPTY));

async function newestCommit(tenant: string): Promise<{ readonly number: number; readonly pages: number }> {
  const [row] = await server.ask(
    `SELECT commit_number::int AS number,
      (SELECT count(*)::int FROM file_page p WHERE p.tenant = f.tenant AND p.commit_number = f.commit_number) AS pages
    FROM file f WHERE tenant = $1`,
    [tenant],
  );
  return row as { readonly number: number; readonly pages: number };
}

test('daemons are interchangeable: each continues where another has ended', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  const north = await fleet.addTenant('north', {});
  const [a, b] = [await openNode('a'), await openNode('b')];
  acme.deliver([person('E1'), person('E2')]);
  north.deliver([person('N1')]);
  // First contact: the schedule counts from now.
  await a.claim();
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await a.claim();
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([2, 1]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  fleet.clock.set('2026-11-21T08:30:10Z');
  await wait();
  await b.claim();
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([1, 0]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2', { status: 'left' })]);
  fleet.clock.set('2026-11-21T08:45:10Z');
  await wait();
  await a.claim();
  await b.claim();
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([1, 0]);
  expect(acme.sandbox.state().users.map((user) => (user as { deactivated: boolean }).deactivated)).toEqual([
    false,
    true,
  ]);
  // A quiet run is one commit of a few pages.
  const before = await newestCommit('acme');
  fleet.clock.set('2026-11-21T09:00:10Z');
  await wait();
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  await a.claim();
  // Two tenants; to look at the rows of all takes one for all of them.
  const ofRuns = sent.mock.calls.filter(([text]) => !String(text).includes('t.erased_at'));
  sent.mockRestore();
  expect(ofRuns.length).toBeGreaterThan(2);
  expect(ofRuns.length).toBeLessThanOrEqual(2 * 6);
  const after = await newestCommit('acme');
  expect(after.number).toBe(before.number + 1);
  expect(after.pages * 4_096).toBeLessThanOrEqual(64 * 1_024);
});

test('a daemon is gone in the middle of a run: another finishes it, and nothing is done twice', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
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
  const a = await openNode('a', {
    fetch: async (url, init) => {
      const isWrite = init?.method === 'POST' || init?.method === 'PUT';
      if (isWrite && left-- <= 0) {
        arrive();
        await frozen;
      }
      return fetch(url, init);
    },
  });
  const b = await openNode('b');
  await a.claim();
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await a.daemon.claim();
  await stuck;
  await lose();
  await b.claim();
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // Only calls that were handed over before the stop can arrive after it.
  acme.takeWrites();
  thaw();
  await a.daemon.idle();
  expect(acme.takeWrites()).toBeLessThanOrEqual(2);
  expect(fleet.log.filter(({ msg }) => msg === 'defect')).toEqual([]);
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // The next run finds nothing to do, wherever it is.
  fleet.clock.set('2026-11-21T08:30:10Z');
  await wait();
  await a.claim();
  expect(acme.takeWrites()).toBe(0);
});

test('PostgreSQL away: nothing is sent, and work continues by itself', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  acme.deliver([person('E1'), person('E2')]);
  const a = await openNode('a', {
    fetch: async (url, init) => {
      // It goes between the plan and the first call.
      if (acme.sandbox.calls().length === 2) await server.stop();
      return fetch(url, init);
    },
  });
  await a.claim();
  fleet.clock.set('2026-11-21T08:15:10Z');
  await wait();
  await a.claim();
  expect(acme.takeWrites()).toBe(0);
  await a.claim();
  await server.start();
  await lose();
  const b = await openNode('b');
  await b.claim();
  expect(acme.takeWrites()).toBe(2);
});
