import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openStores } from '../../src/store/open-stores.js';
import { catchError } from '../samples.js';
import { person } from '../scenarios/company.js';
import { openFleet } from './fleet.js';

/**
 * Makes the state look like an earlier version's, with a table that the newest migration cannot create. Returns a
 * function that repairs it.
 */
function ageState(file: string): () => void {
  const state = new Database(file);
  const newest = 'SELECT max(created_at) FROM __drizzle_migrations';
  const row = state.prepare(`SELECT * FROM __drizzle_migrations WHERE created_at = (${newest})`).get();
  const { hash, created_at } = row as { readonly hash: string; readonly created_at: number };
  state.prepare('DELETE FROM __drizzle_migrations WHERE created_at = ?').run(created_at);
  state.close();
  return () => {
    const again = new Database(file);
    again.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)').run(hash, created_at);
    again.close();
  };
}

test('a failed migration stops only its tenant, is reported everywhere, and makes one copy for all attempts', async () => {
  const fleet = await openFleet('2026-06-01T09:59:30Z');
  const [acme, beta] = [await fleet.addTenant('acme', {}), await fleet.addTenant('beta', {})];
  acme.deliver([person('A1')]);
  beta.deliver([person('B1')]);
  const first = fleet.openDaemon();
  await first.start();
  await first.idle();
  await fleet.walk(first, '2026-06-01T10:00:00Z');
  await first.stop();
  const folder = join(fleet.folder, 'state', 'acme');
  const repair = ageState(join(folder, 'state.db'));
  const backups = (): readonly string[] => readdirSync(join(folder, 'backups'));
  const told = () => fleet.log.filter(({ level, tenant }) => level === 'error' && tenant === 'acme');

  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  beta.deliver([person('B1'), person('B2')]);
  await fleet.walk(daemon, '2026-06-01T10:15:00Z');
  expect(beta.sandbox.state().users).toHaveLength(2);
  expect(told()).toMatchObject([
    { code: 'SYNC_STATE_MIGRATION', msg: expect.stringContaining('the tenant is stopped until a restart or SIGHUP') },
  ]);
  expect(backups()).toHaveLength(1);
  const because = expect.stringMatching(
    /could not be updated to this version: .*(already exists|duplicate column).* The file is unchanged/,
  );
  expect(daemon.list()).toMatchObject([
    { name: 'acme', status: { phase: 'stopped', because } },
    { name: 'beta', status: { phase: 'idle' } },
  ]);
  expect(await fleet.metric('talent_sync_tenant_phase', { tenant: 'acme', phase: 'stopped' })).toBe(1);
  expect(await fleet.metric('talent_sync_tenant_ready', { tenant: 'acme' })).toBe(0);
  // Commands that only read report it too.
  const seen = catchError(() => openStores(folder));
  expect(seen.code).toBe('SYNC_STATE_MIGRATION');
  expect(seen.message).toMatch(
    /the update to this version at 2026-06-01T10:00:00\.000Z failed: .*(already exists|duplicate column)/,
  );
  expect(seen.remedy).toContain(backups()[0]);

  daemon.reload();
  await daemon.idle();
  expect(told()).toHaveLength(2);
  expect(backups()).toHaveLength(1);
  repair();
  daemon.reload();
  await daemon.idle();
  acme.deliver([person('A1'), person('A2')]);
  await fleet.walk(daemon, '2026-06-01T10:30:00Z');
  expect(acme.sandbox.state().users).toHaveLength(2);
  expect(told()).toHaveLength(2);
});
