import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { oneIn, sweep } from '../depth.js';
import { openReceiver } from '../operations/notify/receiver.js';
import type { Postgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { crmOf, deliverProjects } from './crm-drop.js';
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

/** After a number of writes, the next one hangs, and so do all calls after it, until `thaw` is called. */
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

test('each daemon continues where another has stopped', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  const north = await fleet.addTenant('north', {});
  const [a, b] = [await openNode('a'), await openNode('b')];
  acme.deliver([person('E1'), person('E2')]);
  north.deliver([person('N1')]);
  // First contact: the schedule counts from now.
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.claim();
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([2, 1]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  fleet.clock.set('2037-11-21T08:30:10Z');
  await wait();
  await b.claim();
  expect([acme.takeWrites(), north.takeWrites()]).toEqual([1, 0]);
  acme.deliver([person('E1', { title: 'Lead' }), person('E2', { status: 'left' })]);
  fleet.clock.set('2037-11-21T08:45:10Z');
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
  fleet.clock.set('2037-11-21T09:00:10Z');
  await wait();
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  await a.claim();
  // Two tenants. The query that looks at the rows of all tenants is not counted.
  const ofRuns = sent.mock.calls.filter(([text]) => !String(text).includes('t.erased_at'));
  sent.mockRestore();
  expect(ofRuns.length).toBeGreaterThan(2);
  expect(ofRuns.length).toBeLessThanOrEqual(2 * 6);
  const after = await newestCommit('acme');
  expect(after.number).toBe(before.number + 1);
  expect(after.pages * 4_096).toBeLessThanOrEqual(64 * 1_024);
});

sweep("runs the other tenants if some tenants' folders are missing on its machine", async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  for (const name of ['n1', 'n2', 'n3', 'n4']) {
    const write_back = { drop: `../gone/${name}/back` };
    await fleet.addTenant(name, { sources: { hr: { drop: `../gone/${name}`, write_back } } });
  }
  const a = await openNode('a');
  acme.deliver([person('E1')]);
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.claim();
  expect(acme.takeWrites()).toBe(1);
  const said = fleet.log.filter(({ msg }) => msg.startsWith('this machine lacks folders that the tenant needs'));
  expect(said).toHaveLength(4);
  expect(said[0]?.folders).toEqual([join(a.disk, 'gone/n1'), join(a.disk, 'gone/n1/back')]);
});

sweep('`check` lists every folder that a tenant of a backend needs', async () => {
  const { fleet, openMachine } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', { sources: { hr: { write_back: { drop: '../gone/back' } } } });
  acme.deliver([person('E1')]);
  const { disk, type } = openMachine('desk');
  const { code, stdout } = await type('check', '--quick', '--json');
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly {
      readonly name: string;
      readonly ok: boolean;
      readonly error?: { readonly code: string };
    }[];
  };
  const folders = checks.filter(({ name }) => name.startsWith('folder '));
  expect(folders.map(({ name, ok, error }) => [name, ok, error?.code ?? null])).toEqual([
    [`folder ${join(disk, 'drop/acme')}`, true, null],
    [`folder ${join(disk, 'gone/back')}`, false, 'SYNC_SOURCE_MISSING'],
  ]);
  expect(code).toBe(1);
});

sweep('a hanging run blocks its daemon for other tenants for a quarter of an hour', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  const north = await fleet.addTenant('north', {});
  const { fetch: freezing, stuck, thaw } = freezeWrites(0);
  const a = await openNode('a', {
    fetch: (url, init) => (String(url).startsWith(acme.sandbox.url) ? freezing : fetch)(url, init),
    parallel: 1,
  });
  // The run must end before its daemon can stop.
  closeAfterTest({ close: thaw });
  acme.deliver([person('E1')]);
  north.deliver([person('N1')]);
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.daemon.claim();
  await stuck;
  expect(await server.ask('SELECT name FROM tenant WHERE holder IS NOT NULL')).toEqual([{ name: 'acme' }]);
  fleet.clock.set('2037-11-21T08:31:00Z');
  a.daemon.tick();
  await until(async () => {
    // The schedule of the other tenant counts from its first contact.
    fleet.clock.advance(15 * 60_000);
    await wait();
    await a.daemon.claim();
    return north.takeWrites() > 0;
  });
  expect(fleet.log.find(({ msg }) => msg.startsWith('a run takes long'))).toMatchObject({ tenant: 'acme' });
});

test('another daemon finishes the run of a lost daemon, and repeats no change', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', { service: { rate_limit: { concurrency: 2 } } });
  const staff = Array.from({ length: 12 }, (_, at) => person(`E${at}`));
  acme.deliver(staff);
  const { fetch, stuck, thaw } = freezeWrites(5);
  const a = await openNode('a', { fetch });
  const b = await openNode('b');
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.daemon.claim();
  await stuck;
  await lose();
  await b.claim();
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // Only calls handed over before the stop can still arrive.
  acme.takeWrites();
  thaw();
  await a.daemon.idle();
  expect(acme.takeWrites()).toBeLessThanOrEqual(2);
  expect(fleet.log.filter(({ msg }) => msg === 'defect')).toEqual([]);
  expect(acme.sandbox.state().users.length).toBe(staff.length);
  // The next run finds nothing to do, on any daemon.
  fleet.clock.set('2037-11-21T08:30:10Z');
  await wait();
  await a.claim();
  expect(acme.takeWrites()).toBe(0);
});

sweep('a daemon lost while creating projects duplicates only calls it had handed over, and reports them', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', crmOf('acme', { service: { rate_limit: { concurrency: 2 } } }));
  const wanted = Array.from({ length: 12 }, (_, at) => `P${at + 1}`);
  const count = (): number =>
    (acme.sandbox.state().customers as readonly { projects: object[] }[])[0]?.projects.length ?? 0;
  acme.deliver([person('E1')]);
  deliverProjects(fleet, 'acme', 1, wanted);
  const { fetch, stuck, thaw } = freezeWrites(6);
  let stoppedMs = 0;
  const [a, b] = [await openNode('a', { fetch, stoppedMs: () => stoppedMs }), await openNode('b')];
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  let isStuck = false;
  void stuck.then(() => {
    isStuck = true;
  });
  await until(async () => {
    await a.daemon.claim();
    return isStuck;
  });
  await lose();
  await b.claim();
  expect(count()).toBe(wanted.length);
  acme.takeWrites();
  stoppedMs = 60_000;
  thaw();
  await a.daemon.idle();
  // The service accepts a second project with the same external id, so only the fence prevents duplicates.
  const late = acme.takeWrites();
  expect(late).toBeGreaterThan(0);
  expect(late).toBeLessThanOrEqual(2);
  expect(count()).toBe(wanted.length + late);
  for (const [node, at] of [
    [b, '08:30'],
    [a, '08:45'],
  ] as const) {
    fleet.clock.set(`2037-11-21T${at}:10Z`);
    await wait();
    await server.ask('UPDATE tenant SET last_holder = NULL');
    await node.claim();
    const twins = node.daemon.list()[0]?.status?.facts?.waiting.filter(({ code }) => code === 'SYNC_OBJECT_TWINS');
    expect(twins?.reduce((sum, one) => sum + one.count, 0)).toBe(late);
    expect(acme.takeWrites()).toBe(0);
  }
  expect(fleet.log.filter(({ msg }) => msg === 'defect')).toEqual([]);
});

sweep.each(oneIn(1, ['is gone', 'stops'] as const))(
  'another daemon carries out a requested run if the first daemon %s',
  async (how) => {
    const { fleet, openNode, lose } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
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
    // The daemon that stopped would have a head start of 2 s.
    await server.ask('UPDATE tenant SET last_holder = NULL');
    await b.claim();
    expect(await find()).toMatchObject({ state: 'ended', problem: null, by: 'kim@example.com' });
    thaw();
    await a.daemon.idle();
    expect(acme.sandbox.state().users.length).toBe(2);
    expect((await find())?.problem).toBeNull();
  },
);

sweep('a daemon that lost its tenant during a run sends no message about the run', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
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
    fleet.clock.set(`2037-11-21T08:${15 + 15 * at}:10Z`);
    await wait();
    isTakenOver = at === 0;
    await a.claim();
  }
  expect(fleet.log.filter(({ code }) => code === 'SYNC_LEASE_LOST')).not.toEqual([]);
  expect(receiver.tried.map(({ title }) => title)).toEqual([
    expect.stringContaining('1 person to deactivate, held for an approval'),
  ]);
  // It runs again, and does not report the run it could not finish.
  fleet.clock.set('2037-11-21T08:45:10Z');
  await wait();
  await a.claim();
  expect(receiver.tried).toHaveLength(1);
});

sweep('retries an unreachable service at growing intervals, also when the daemon changes', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  await fleet.addTenant('acme', { schedule: { every: '* * * * *' } });
  const away = { fetch: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })) };
  const [a, b] = [await openNode('a', away), await openNode('b', away)];
  await a.claim();
  const pauses: number[] = [];
  for (const [at, node] of [a, b, a].entries()) {
    await server.ask("UPDATE tenant SET paused_until = now() + interval '1 h', last_holder = NULL");
    // Daemons look at the rows every 2 s.
    await until(async () => {
      await node.claim();
      return node.daemon.list()[0]?.status?.awayInARow === at;
    });
    await server.ask('UPDATE tenant SET paused_until = NULL');
    fleet.clock.set(`2037-11-21T${9 + at}:00:00Z`.replace('T9', 'T09'));
    await wait();
    await node.claim();
    const [row] = await server.ask('SELECT next_slot FROM tenant');
    pauses.push((Number(row?.next_slot) - fleet.clock.now()) / 60_000);
  }
  expect(pauses).toEqual([1, 2, 4]);
});

test('sends nothing without PostgreSQL, and resumes by itself', async () => {
  const { fleet, openNode, wait, lose } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  acme.deliver([person('E1'), person('E2')]);
  const a = await openNode('a', {
    fetch: async (url, init) => {
      // PostgreSQL stops between the plan and the first call.
      if (acme.sandbox.calls().length === 2) await server.stop();
      return fetch(url, init);
    },
  });
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  expect(a.backend.answers()).toBe(true);
  await a.claim();
  expect(acme.takeWrites()).toBe(0);
  await a.claim();
  const b = await openNode('b');
  await b.claim();
  // A daemon started meanwhile does not know how late any tenant is.
  expect([a.backend.answers(), b.backend.answers()]).toEqual([false, false]);
  await server.start();
  await lose();
  await b.claim();
  expect(b.backend.answers()).toBe(true);
  expect(acme.takeWrites()).toBe(2);
});
