import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { newestOf } from '../../../src/store/migrate.js';
import type { Lease } from '../../../src/store/remote/leases.js';
import { pullState, pushState } from '../../../src/store/remote/move-state.js';
import { preparePostgres } from '../../../src/store/remote/prepare.js';
import { openPushedFile } from '../../../src/store/remote/pushed-file.js';
import { openRemoteStates } from '../../../src/store/remote/remote-states.js';
import { findPushedCopy, isWorkingCopy } from '../../../src/store/remote/working-copy.js';
import { openStateFile } from '../../../src/store/state/state-file.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { type Postgres as Server, startPostgres } from '../../postgres.js';
import { EMPTY } from './remote-kit.js';

let server: Server;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.close());

const AT = '2026-01-01T00:00:00.000Z';
const schema = newestOf('state');
const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'moved-'));

function connect(holder: string) {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const remote = openRemoteStates(
    { url: new Secret(server.url), tls: null, connections: 4 },
    { holder, clock, schema },
  );
  closeAfterTest(remote.postgres);
  return remote;
}

type Remote = ReturnType<typeof connect>;

let a: Remote;
let b: Remote;

/** PostgreSQL has a state of acme that nobody holds. */
beforeEach(async () => {
  [a, b] = [connect('a'), connect('b')];
  await preparePostgres(a.postgres);
  await a.postgres.ask(EMPTY);
  const folder = makeFolder();
  openStateFile(folder, { lockedAt: AT }).sqlite.close();
  const lease = await hold(a);
  await pushState(a.postgres, lease, folder, { at: AT, schema });
  await release(a, lease);
});

const hold = ({ leases }: Remote): Promise<Lease> => leases.claimOne('acme', 0, 'move');

async function release({ leases }: Remote, lease: Lease): Promise<void> {
  await leases.release(lease, { nextSlot: null, isGood: null });
}

async function pull(by: Remote, folder: string): Promise<void> {
  const lease = await hold(by);
  try {
    await pullState(by.postgres, lease, folder, AT);
  } finally {
    await release(by, lease);
  }
}

/** True if PostgreSQL has the state. */
async function isThere(): Promise<boolean> {
  const [row] = await server.ask(
    "SELECT left_at FROM tenant JOIN file ON tenant = tenant.name AND file.name = 'state'",
  );
  return row !== undefined && row.left_at === null;
}

test('leaves the state in PostgreSQL if the lease is lost during a pull, which can be repeated', async () => {
  const folder = makeFolder();
  const lease = await hold(a);
  await server.ask("UPDATE tenant SET lease_until = now() - interval '1 s'");
  const other = await hold(b);
  const lost = { code: 'SYNC_LEASE_LOST', message: 'acme was taken over by b.' };
  await expect(pullState(a.postgres, lease, folder, AT)).rejects.toMatchObject(lost);
  expect([await isThere(), isWorkingCopy(folder)]).toEqual([true, true]);
  await release(b, other);
  await pull(b, folder);
  expect([await isThere(), isWorkingCopy(folder)]).toEqual([false, false]);
});

test('does not move a state with a pending decision, and rejects decisions after a move', async () => {
  const order = { tenant: 'acme', kind: 'approve', content: { who: 'user:E1' }, as: 'decisions' } as const;
  const id = await a.inbox.put(order);
  const folder = makeFolder();
  await expect(pull(b, folder)).rejects.toMatchObject({ code: 'SYNC_STATE_LOCKED' });
  expect(await a.inbox.find('acme', id)).toMatchObject({ state: 'queued' });
  await a.inbox.withdraw('acme', id);
  await pull(b, folder);
  await expect(a.inbox.put(order)).rejects.toMatchObject({ code: 'SYNC_STATE_ELSEWHERE' });
  expect(await server.ask('SELECT FROM inbox')).toEqual([]);
});

sweep('includes a push that arrives during a pull, and rejects one that arrives after it', async () => {
  const own = makeFolder();
  const pushed = openPushedFile(a.postgres, { tenant: 'acme', folder: own, now: () => AT });
  closeAfterTest(pushed);
  const push = (): void => {
    const file = new Database(join(findPushedCopy(own) ?? own, 'state.db'));
    file.exec(PUSH);
    file.close();
  };
  const folder = makeFolder();
  const lease = await hold(b);
  let pulling: Promise<'moved'> | null = null;
  await pushed.write(async () => {
    pulling = pullState(b.postgres, lease, folder, AT).then(() => 'moved');
    await Promise.race([pulling, untilBlocked()]);
    push();
  });
  expect(await pulling).toBe('moved');
  const state = new Database(join(folder, 'state.db'), { readonly: true });
  expect(state.prepare('SELECT id FROM pushed_resources').pluck().all()).toEqual(['u1']);
  state.close();
  await expect(pushed.write(push)).rejects.toMatchObject({ code: 'SYNC_STATE_ELSEWHERE' });
  expect(await server.ask('SELECT FROM file')).toEqual([]);
});

const PUSH = `INSERT INTO pushed_resources (source, type, id, name_key, display, created, modified, version, body)
  VALUES ('idp', 'User', 'u1', 'u1', 'u1', '${AT}', '${AT}', 1, '{}')`;

/** Waits until a connection is blocked by a lock. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const blocked = await server.ask("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    if (blocked.length > 0) return;
    await setTimeout(20);
  }
}
