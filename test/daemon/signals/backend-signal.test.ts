import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { watchAll } from '../../../src/daemon/signals/watch-all.js';
import { orderOf } from '../../../src/daemon/tenants/orders.js';
import { APPROVE } from '../../../src/operations/approve.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import type { Postgres } from '../../postgres.js';
import { person } from '../../scenarios/company.js';
import { EMPTY } from '../../store/remote/remote-kit.js';
import { openRemoteFleet, startPrepared, until } from '../remote-fleet.js';

const PLAIN = { only: null, full: false, asOf: null, ignoreQuietHours: false, isDetailed: false, look: null };

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

test('performs one run before the next slot for a change signalled to both daemons', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', { schedule: { on_change: true } });
  acme.deliver([person('E1')]);
  const [a, b] = [await openNode('a'), await openNode('b')];
  for (const time of ['08:01', '08:15']) {
    fleet.clock.set(`2037-11-21T${time}:10Z`);
    await wait();
    await a.claim();
  }
  expect(acme.takeWrites()).toBe(1);
  for (const node of [a, b]) node.keepClaiming();
  acme.deliver([person('E1'), person('E2')]);
  for (const { daemon } of [a, b]) daemon.signals.signal({ tenant: 'acme', source: 'hr', kind: 'file' });
  await until(async () => {
    fleet.clock.advance(1_000);
    const ended = await server.ask("SELECT FROM inbox WHERE kind = 'runNow' AND ended_at IS NOT NULL");
    return ended.length === 1;
  });
  expect(acme.takeWrites()).toBe(1);
  expect(await server.ask("SELECT FROM inbox WHERE kind = 'runNow'")).toHaveLength(1);
});

sweep("one daemon watches a tenant's sources at a time: the last holder, until it is gone", async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  await fleet.addTenant('acme', { schedule: { on_change: true } });
  await fleet.addTenant('nightly', {});
  const [a, b] = [await openNode('a'), await openNode('b')];
  const watches = [a, b].map(({ daemon, backend }) => {
    const watch = watchAll(daemon, { clock: systemClock, logger: pino({ level: 'silent' }), claim: backend.watch });
    closeAfterTest(watch);
    return watch;
  });
  const claim = async (order: readonly number[]) => {
    for (const at of order) await watches[at]?.claimAll();
    return await server.ask('SELECT name, watched_by FROM tenant WHERE watched_until > now() ORDER BY name');
  };
  await b.claim();
  expect(await claim([1, 0])).toEqual([{ name: 'acme', watched_by: 'b' }]);
  expect(watches.map((watch) => watch.watched())).toEqual([[], ['acme']]);
  await wait();
  await a.claim();
  expect(await claim([1, 0, 1])).toEqual([{ name: 'acme', watched_by: 'a' }]);
  await server.ask("UPDATE tenant SET watched_until = now() - interval '1 s'");
  expect(await claim([1])).toEqual([{ name: 'acme', watched_by: 'b' }]);
});

test('merges waiting signals from the same source into one order of their own', async () => {
  const { fleet, openNode } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  await fleet.addTenant('acme', { schedule: { on_change: true } });
  const { backend } = await openNode('a');
  const hookOf = async (source: string, atMs: number) => {
    const signals = [{ kind: 'hook', source, atMs }] as const;
    return (await backend.ask('acme', 'run', 'signal', { ...PLAIN, signals })).id;
  };
  const first = await hookOf('hr', 1);
  expect(await hookOf('hr', 2)).toBe(first);
  const others = [await hookOf('crm', 1), (await backend.ask('acme', 'run', 'somebody', null)).id];
  expect(new Set([first, ...others]).size).toBe(3);
  // A signal during a run may have come too late for that run.
  const [statement, values] = backend.inbox.beginWork(first);
  await server.ask(statement, values);
  expect(await hookOf('hr', 3)).not.toBe(first);
});

test('starts no run for a decision that the holder rejects', async () => {
  const { fleet, openNode } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', { schedule: { on_change: true } });
  acme.deliver([person('E1')]);
  const { daemon, backend, claim } = await openNode('a');
  await claim();
  const input = { guard: 'users.create', reason: 'as agreed' };
  await backend.inbox.put(orderOf('acme', APPROVE, { by: 'somebody', via: 'person' }, input));
  await claim();
  expect((await backend.inbox.newest('acme', 1))[0]?.answer).toMatchObject({ error: expect.anything() });
  expect(daemon.signals.next('acme')).toBeNull();
});
