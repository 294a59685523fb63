import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../src/base/secrets/secret.js';
import { newestOf } from '../../src/store/migrate.js';
import { pushState } from '../../src/store/remote/move-state.js';
import { openRemoteStates } from '../../src/store/remote/remote-states.js';
import { openStateFile } from '../../src/store/state/state-file.js';

/** Makes a run due as soon as a daemon claims the tenant, as if nobody had run it since before its last slot. */
export async function oweRun(url: string, tenant: string, every: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'owed-'));
  const at = new Date().toISOString();
  const { sqlite } = openStateFile(folder, { lockedAt: at });
  const anchor = { every, timezone: 'UTC', atMs: Date.now() - 1_000 * 86_400_000 };
  sqlite.prepare("INSERT INTO facts VALUES ('schedule', ?)").run(JSON.stringify(anchor));
  sqlite.close();
  const schema = newestOf('state');
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const settings = { url: new Secret(url), tls: null, connections: 1 };
  const { postgres, leases } = openRemoteStates(settings, { holder: 'test', clock, schema });
  try {
    const lease = await leases.claimOne(tenant, 0, 'move');
    await pushState(postgres, lease, folder, { at, schema });
    await leases.release(lease, { nextSlot: at, isGood: null });
  } finally {
    await postgres.close();
  }
}
