import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { preparePostgres } from '../../../src/store/remote/prepare.js';
import { beginSignalled } from '../../../src/store/remote/watches.js';
import { sweep } from '../../depth.js';
import { type Postgres as Server, startPostgres } from '../../postgres.js';
import { EMPTY, type Node, needLease, startNode } from './remote-kit.js';

let server: Server;
let nodes: readonly [Node, Node, Node];
let a: Node;
let b: Node;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.close());

beforeEach(async () => {
  nodes = [startNode(server.url, 'a'), startNode(server.url, 'b'), startNode(server.url, 'c')];
  [a, b] = nodes;
  await preparePostgres(a.postgres);
  await a.postgres.ask(EMPTY);
});

/** Moves all times in the tenant's row into the past, by the server's clock. */
async function pass(interval: string): Promise<void> {
  const moved = ['lease_until', 'next_slot', 'paused_until', 'config_since', 'held_since'];
  await server.ask(`UPDATE tenant SET ${moved.map((one) => `${one} = ${one} - interval '${interval}'`).join(', ')},
    configs_before = (SELECT coalesce(jsonb_object_agg(config, since::timestamptz - interval '${interval}'), '{}')
      FROM jsonb_each_text(configs_before) AS b (config, since))`);
}

async function findHolder(): Promise<unknown> {
  return (await server.ask('SELECT holder FROM tenant'))[0]?.holder;
}

const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000).toISOString();
const NOW = () => new Date().toISOString();

test('gives a due slot to one daemon, however many ask at the same time', async () => {
  const tenants = Array.from({ length: 30 }, (_, at) => `t${at}`);
  await a.leases.register(tenants);
  const candidates = tenants.map((tenant) => ({ tenant, config: 'c1', callLimitMs: 0 }));
  const claimed = await Promise.all(nodes.map((node) => node.leases.claimDue(candidates, 12)));
  const names = claimed.flat().map(({ tenant }) => tenant);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(12);
  expect(await a.leases.claimDue(candidates, 0)).toEqual([]);
});

test('keeps a minimum interval between signalled runs, whichever daemon starts them', async () => {
  await a.leases.register(['acme']);
  expect(await beginSignalled(a.postgres, 'acme', 60_000)).toBe(0);
  expect(await beginSignalled(b.postgres, 'acme', 60_000)).toBeGreaterThan(50_000);
  expect(await beginSignalled(b.postgres, 'acme', 0)).toBe(0);
  await server.ask("UPDATE tenant SET signalled_at = signalled_at - interval '61 s'");
  expect(await beginSignalled(b.postgres, 'acme', 60_000)).toBe(0);
});

test('after a release, waits for the next slot and prefers the daemon that has the mirror', async () => {
  const lease = needLease(await a.claim());
  expect(await b.claim()).toBeNull();
  expect(await findHolder()).toBe('a');
  expect(await a.leases.release(lease, { nextSlot: IN_AN_HOUR(), isGood: true })).toBe(true);
  expect(await a.claim()).toBeNull();
  await pass('1 hour');
  expect(await b.claim()).toBeNull();
  expect(await a.claim()).toMatchObject({ tenant: 'acme', fence: 2 });
  await pass('3 s');
  expect(await b.claim()).toBeNull();
});

test("gives a silent daemon's lease to another one only after its longest call is over", async () => {
  needLease(await a.claim('acme', { callLimitMs: 30_000 }));
  await pass('20 s');
  expect(await b.claim()).toBeNull();
  await pass('20 s');
  expect(await b.claim()).toBeNull();
  await pass('6 s');
  expect(await b.claim()).toMatchObject({ fence: 2 });
});

describe('a lease ends for its holder', () => {
  test.each([
    ['by the wall clock', 'wallMs'],
    ['by the monotonic clock', 'monotonicMs'],
  ] as const)('%s', async (_, clock) => {
    const lease = needLease(await a.claim());
    expect(lease.fault()).toBeNull();
    a.clock[clock] += 14_999;
    expect(lease.fault()).toBeNull();
    a.clock[clock] += 1;
    expect(lease.fault()).toMatchObject({ code: 'SYNC_LEASE_LOST' });
    // Nobody has claimed it, so a renewal keeps it.
    await a.leases.renew();
    expect(lease.fault()).toBeNull();
  });

  test('when another daemon holds it', async () => {
    const lease = needLease(await a.claim());
    await pass('16 s');
    needLease(await b.claim());
    await a.leases.renew();
    expect(lease.fault()).toMatchObject({ code: 'SYNC_LEASE_LOST' });
    expect(await a.leases.release(lease, { nextSlot: null, isGood: true })).toBe(false);
    expect(await findHolder()).toBe('b');
  });

  test('after a failover that lost it, though the number is granted again', async () => {
    const lease = needLease(await a.claim());
    // The standby did not have the claim yet.
    await server.ask('UPDATE tenant SET fence = 0, claim = NULL, holder = NULL, lease_until = NULL');
    expect(await b.claim()).toBeNull();
    await pass('3 s');
    expect(await b.claim()).toMatchObject({ fence: lease.fence });
    await a.leases.renew();
    expect(lease.fault()).toMatchObject({ code: 'SYNC_LEASE_LOST' });
  });
});

test('gives the tenant to a new configuration during a rollout, and not back to the old one', async () => {
  const lease = needLease(await a.claim('acme', { config: 'old' }));
  await a.leases.release(lease, { nextSlot: IN_AN_HOUR(), isGood: true });
  expect(await a.claim('acme', { config: 'old' })).toBeNull();
  // It is not due, but new.
  const next = needLease(await b.claim('acme', { config: 'new' }));
  await b.leases.release(next, { nextSlot: NOW(), isGood: true });
  await pass('5 min');
  expect(await a.claim('acme', { config: 'old' })).toBeNull();
  // An operator who deliberately reverts it waits until the end of the rollout.
  await pass('6 min');
  expect(await a.claim('acme', { config: 'old' })).toMatchObject({ fence: 3 });
});

sweep('after several edits, makes each replaced configuration wait until the end of the rollout', async () => {
  for (const [at, config] of ['first', 'second', 'third'].entries()) {
    const lease = needLease(await nodes[at as 0 | 1 | 2].claim('acme', { config }));
    await nodes[at as 0 | 1 | 2].leases.release(lease, { nextSlot: NOW(), isGood: true });
    await pass('4 min');
  }
  // The first one was replaced 8 minutes ago.
  expect(await a.claim('acme', { config: 'first' })).toBeNull();
  expect(await a.claim('acme', { config: 'second' })).toBeNull();
  await pass('3 min');
  expect(await b.claim('acme', { config: 'second' })).toBeNull();
  const lease = needLease(await a.claim('acme', { config: 'first' }));
  await a.leases.release(lease, { nextSlot: NOW(), isGood: true });
  await pass('3 s');
  expect(await b.claim('acme', { config: 'third' })).toBeNull();
  expect(await b.claim('acme', { config: 'first' })).not.toBeNull();
});

test('claims nothing during a pause', async () => {
  await a.leases.register(['acme']);
  await server.ask("UPDATE tenant SET paused_until = now() + interval '1 hour'");
  expect(await a.claim()).toBeNull();
  await pass('2 hours');
  expect(await a.claim()).not.toBeNull();
});

test('creates the tables once, and needs a user with the right to do so', async () => {
  expect(await preparePostgres(a.postgres)).toEqual({ from: 2, to: 2 });
  await server.ask('REVOKE ALL ON tenant FROM talent; ALTER TABLE tenant OWNER TO postgres');
  await expect(a.claim()).rejects.toMatchObject({ code: 'SYNC_BACKEND_UNPREPARED' });
  await server.ask('ALTER TABLE tenant OWNER TO talent');
});
