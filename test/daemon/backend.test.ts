import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { openReceiver } from '../operations/notify/receiver.js';
import type { Postgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { openRemoteFleet, startPrepared, until } from './remote-fleet.js';

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

/** After some writes the next one stays on the way; nothing that comes after it leaves before it is thawed. */
function freezeWrites(after: number) {
  let left = after;
  let arrive: () => void = () => undefined;
  const stuck = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let thaw: () => void = () => undefined;
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  closeAfterTest({ close: () => thaw() });
  const freezing: typeof globalThis.fetch = async (url, init) => {
    const isWrite = init?.method === 'POST' || init?.method === 'PUT';
    if (isWrite && left-- <= 0) {
      arrive();
      await frozen;
    }
    return fetch(url, init);
  };
  return { fetch: freezing, stuck, thaw };
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
  const { fetch, stuck, thaw } = freezeWrites(5);
  const a = await openNode('a', { fetch });
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

test.each(['is gone', 'stops'] as const)(
  'a run that was asked for is carried out by another daemon if the first one %s',
  async (how) => {
    const { fleet, openNode, lose } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
    const acme = await fleet.addTenant('acme', {});
    acme.deliver([person('E1'), person('E2')]);
    const { fetch, stuck, thaw } = freezeWrites(1);
    const [a, b] = [await openNode('a', { fetch }), await openNode('b')];
    await a.claim();
    const asked = await a.daemon.ask('acme', 'run', 'kim@example.com');
    await stuck;
    const stopped = how === 'stops' ? a.daemon.stop() : null;
    if (how === 'is gone') await lose();
    else thaw();
    await stopped;
    const find = () => b.daemon.findAsked('acme', asked?.id ?? '');
    expect((await find())?.state).toBe('running');
    await b.claim();
    expect(await find()).toMatchObject({ state: 'ended', problem: null, by: 'kim@example.com' });
    thaw();
    await a.daemon.idle();
    expect(acme.sandbox.state().users.length).toBe(2);
    expect((await find())?.problem).toBeNull();
  },
);

test('a daemon whose tenant was taken over in the middle of a run sends no message of it', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
  const receiver = await openReceiver();
  const acme = await fleet.addTenant('acme', {
    guards: { users: { deactivate: { max: 0 } } },
    notify: { channels: { ops: receiver.channel } },
  });
  const b = await openNode('b');
  let isTakenOver = true;
  const a = await openNode('a', {
    fetch: async (url, init) => {
      if (!isTakenOver) {
        isTakenOver = true;
        await lose();
        await b.claim();
      }
      return fetch(url, init);
    },
  });
  await a.claim();
  for (const [at, status] of ['active', 'left'].entries()) {
    acme.deliver([person('E1', { status }), person('E2')]);
    fleet.clock.set(`2026-11-21T08:${15 + 15 * at}:10Z`);
    await wait();
    isTakenOver = at === 0;
    await a.claim();
  }
  expect(fleet.log.filter(({ code }) => code === 'SYNC_LEASE_LOST')).not.toEqual([]);
  expect(receiver.tried.map(({ title }) => title)).toEqual([expect.stringContaining('users.deactivate')]);
  // It runs again, and does not report the run that it could not end.
  fleet.clock.set('2026-11-21T08:45:10Z');
  await wait();
  await a.claim();
  expect(receiver.tried).toHaveLength(1);
});

test('a service that is away for one daemon after another is left alone for longer each time', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2026-11-21T08:00:30Z');
  await fleet.addTenant('acme', { schedule: { every: '* * * * *' } });
  const away = { fetch: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })) };
  const [a, b] = [await openNode('a', away), await openNode('b', away)];
  await a.claim();
  const pauses: number[] = [];
  for (const [at, node] of [a, b, a].entries()) {
    await server.ask("UPDATE tenant SET paused_until = now() + interval '1 h', last_holder = NULL");
    // Rows are looked at every 2 s.
    await until(async () => {
      await node.claim();
      return node.daemon.list()[0]?.status?.awayInARow === at;
    });
    await server.ask('UPDATE tenant SET paused_until = NULL');
    fleet.clock.set(`2026-11-21T${9 + at}:00:00Z`.replace('T9', 'T09'));
    await wait();
    await node.claim();
    const [row] = await server.ask('SELECT next_slot FROM tenant');
    pauses.push((Number(row?.next_slot) - fleet.clock.now()) / 60_000);
  }
  expect(pauses).toEqual([1, 2, 4]);
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
