import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import { orderOf, workOrderOf } from '../../src/daemon/tenants/orders.js';
import { APPROVE } from '../../src/operations/approve.js';
import { createInbox } from '../../src/store/remote/inbox.js';
import { openPostgres, type Postgres } from '../../src/store/remote/postgres.js';
import type { Postgres as Server } from '../postgres.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { startPrepared } from './remote-fleet.js';

let server: Server;
let postgres: Postgres;

beforeAll(async () => {
  server = await startPrepared();
  postgres = openPostgres({ url: new Secret(server.url), tls: null, connections: 4 });
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});
beforeEach(() => server.ask(EMPTY));

/** Each approval comes from another person. */
const approval = (at: number) =>
  orderOf('acme', APPROVE, { by: `p${at}@example.com`, via: 'machine' }, { who: 'user:E1', reason: 'has left' });
const ORDER = { only: null, full: true, asOf: null, ignoreQuietHours: false, isDetailed: false, look: null };
const run = (at: number) => workOrderOf('acme', 'run', `p${at}@example.com`, ORDER);

test('limits waiting decisions and waiting requests separately while the holder is gone', async () => {
  const inbox = createInbox(postgres);
  for (let at = 0; at < 21; at += 1) await inbox.put(approval(at));
  for (let at = 0; at < 20; at += 1) await inbox.put(run(at));
  const message = expect.stringMatching(/^20 requests of this kind are already pending/);
  await expect(inbox.put(run(20))).rejects.toMatchObject({ code: 'SYNC_WEB_REFUSED', message });
  await inbox.put(approval(21));
  // Another tenant still has room.
  await inbox.put({ ...run(20), tenant: 'north' });
  await server.ask(`INSERT INTO inbox (id, tenant, key, kind, content)
    SELECT 'x' || n, 'acme', 'x' || n, 'approve', '' FROM generate_series(1, 978) AS n`);
  const full = expect.stringMatching(/^1000 decisions of this kind are already pending/);
  await expect(inbox.put(approval(22))).rejects.toMatchObject({ code: 'SYNC_WEB_REFUSED', message: full });
});
