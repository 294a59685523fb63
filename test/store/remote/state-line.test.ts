import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { holdState } from '../../../src/store/remote/hold-state.js';
import { preparePostgres } from '../../../src/store/remote/prepare.js';
import { sweep } from '../../depth.js';
import { type Postgres as Server, startPostgres } from '../../postgres.js';
import { EMPTY, type Node, needLease, startNode } from './remote-kit.js';

let server: Server;
let a: Node;
let b: Node;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.close());

beforeEach(async () => {
  [a, b] = [startNode(server.url, 'a'), startNode(server.url, 'b')];
  await preparePostgres(a.postgres);
  await a.postgres.ask(EMPTY);
});

/** Claims the state, runs the statements and leaves it. */
async function work(node: Node, statements: string): Promise<void> {
  const lease = needLease(await node.claim());
  const line = await node.open(lease);
  const state = node.state();
  state.exec(statements);
  state.close();
  await line.leave();
  await node.leases.release(lease, { nextSlot: new Date(0).toISOString(), isGood: true });
}

async function rowsOf(node: Node): Promise<readonly unknown[]> {
  const lease = needLease(await node.claim());
  const line = await node.open(lease);
  const state = node.state();
  const rows = state.prepare('SELECT id, text FROM t ORDER BY id').raw().all();
  expect(state.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  state.close();
  await line.leave();
  await node.leases.release(lease, { nextSlot: new Date(0).toISOString(), isGood: true });
  return rows;
}

const CREATE = 'CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);';
/** Many pages: n rows of about 1 KB. */
const fill = (n: number) =>
  `INSERT INTO t (text) SELECT printf('%0900d', value) FROM (WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s LIMIT ${n}) SELECT value FROM s);`;

test('moves a state from daemon to daemon, each with its own disk', async () => {
  await work(a, `${CREATE} INSERT INTO t VALUES (1, 'a')`);
  expect(await rowsOf(b)).toEqual([[1, 'a']]);
  await work(b, "INSERT INTO t VALUES (2, 'b')");
  expect(await rowsOf(a)).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

sweep('sends more pages than fit in one statement, and fewer after a vacuum', async () => {
  await work(a, `${CREATE} ${fill(6_000)}`);
  expect(await rowsOf(b)).toHaveLength(6_000);
  await work(b, 'DELETE FROM t WHERE id > 5; VACUUM');
  expect(await rowsOf(a)).toHaveLength(5);
  const [{ count } = {}] = await server.ask('SELECT count(*)::int FROM file_page');
  expect(count).toBeLessThan(10);
});

sweep('sends no pages to the last holder, and only changed pages to another one', async () => {
  await work(a, `${CREATE} ${fill(2_000)}`);
  await work(b, "INSERT INTO t VALUES (9999, 'b')");
  const before = b.postgres.count();
  await work(b, "INSERT INTO t VALUES (10000, 'b')");
  // Claim (after creating the tenant's row), head, one commit, release.
  expect(b.postgres.count() - before).toBe(5);
  const lease = needLease(await a.claim());
  await a.open(lease);
  const changed = await a.postgres.ask('SELECT page FROM file_page WHERE commit_number > 1');
  expect(changed.length).toBeLessThan(10);
  const state = a.state();
  expect(state.prepare('SELECT count(*) FROM t').pluck().get()).toBe(2_002);
  state.close();
});

test('stops a holder without its lease at its next commit, and ignores its writes', async () => {
  await work(a, `${CREATE} INSERT INTO t VALUES (1, 'a')`);
  const line = await a.open(needLease(await a.claim()));
  const state = a.state();
  state.exec("INSERT INTO t VALUES (2, 'shipped')");
  await line.ship();
  state.exec("INSERT INTO t VALUES (3, 'not shipped')");
  await server.ask("UPDATE tenant SET lease_until = now() - interval '1 s', next_slot = now() - interval '1 h'");
  await work(b, "INSERT INTO t VALUES (4, 'b')");
  await expect(line.ship()).rejects.toMatchObject({ code: 'SYNC_LEASE_LOST' });
  // It also fails when nothing is left to send.
  await expect(line.ship()).rejects.toMatchObject({ code: 'SYNC_LEASE_LOST' });
  state.close();
  line.drop();
  a.leases.forget('acme');
  expect(await rowsOf(a)).toEqual([
    [1, 'a'],
    [2, 'shipped'],
    [4, 'b'],
  ]);
});

test('reports the successor, once there is one, to a holder that slept through its lease', async () => {
  await work(a, `${CREATE} INSERT INTO t VALUES (1, 'a')`);
  const lease = needLease(await a.claim());
  const line = await a.open(lease);
  a.clock.wallMs += 15_000;
  await expect(line.ship()).rejects.toMatchObject({ code: 'SYNC_LEASE_LOST', message: /^acme is no longer held here/ });
  line.drop();
  a.leases.forget('acme');
  await server.ask("UPDATE tenant SET lease_until = now() - interval '1 s', next_slot = now() - interval '1 h'");
  const again = await a.open(needLease(await a.claim()));
  a.clock.wallMs += 15_000;
  await server.ask("UPDATE tenant SET lease_until = now() - interval '1 s', next_slot = now() - interval '1 h'");
  await work(b, "INSERT INTO t VALUES (2, 'b')");
  await expect(again.ship()).rejects.toMatchObject({ code: 'SYNC_LEASE_LOST', message: 'acme was taken over by b.' });
  again.drop();
});

test('keeps a commit complete or not at all, however PostgreSQL ends', async () => {
  await work(a, `${CREATE} INSERT INTO t VALUES (1, 'a')`);
  const lease = needLease(await a.claim());
  const line = await a.open(lease);
  const state = a.state();
  state.exec(fill(3_000));
  const shipped = line.ship().then(
    () => true,
    () => false,
  );
  await server.kill();
  const isThere = await shipped;
  await expect(line.ship()).rejects.toMatchObject({ code: 'SYNC_BACKEND_AWAY' });
  state.close();
  line.drop();
  await server.start();
  await server.ask("UPDATE tenant SET lease_until = now() - interval '1 s', next_slot = now() - interval '1 h'");
  expect((await rowsOf(b)).length).toBe(isThere ? 3_001 : 1);
});

test('frees the tenant of a holder that dies before its state has tables', async () => {
  const hold = async (node: Node) => {
    const options = { schema: 0, at: new Date().toISOString(), stop: new AbortController().signal };
    const folder = mkdtempSync(join(tmpdir(), 'held-'));
    return holdState(node.postgres, node.leases, needLease(await node.claim()), { ...options, folder });
  };
  const first = await hold(a);
  await first.ship();
  await first.release({ nextSlot: new Date(0).toISOString(), isGood: null });
  const second = await hold(b);
  expect(second.lostFrom).toBeNull();
  await second.release({ nextSlot: null, isGood: null });
});

test('reports that PostgreSQL went away between the last commit and the release', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hold-'));
  const away = new SyncError('SYNC_BACKEND_AWAY', { message: 'PostgreSQL does not answer.', remedy: 'Wait.' });
  const leases = { ...a.leases, release: () => Promise.reject(away) };
  const options = { folder, schema: 1, at: new Date(0).toISOString(), stop: new AbortController().signal };
  const held = await holdState(a.postgres, leases, needLease(await a.claim()), options);
  await expect(held.release({ nextSlot: null, isGood: null })).rejects.toBe(away);
});
