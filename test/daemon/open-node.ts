import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/base/secrets/secret.js';
import type { Daemon } from '../../src/daemon/daemon.js';
import { openBackend } from '../../src/daemon/tenants/backend.js';
import { closeAfterTest } from '../closing.js';
import type { Fleet } from './fleet.js';

export interface NodeOptions {
  readonly name: string;
  /** Address of its PostgreSQL. */
  readonly url: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Another machine with the same configurations and sources, and an empty disk. */
export async function openNode(fleet: Fleet, { name, url, fetch }: NodeOptions): Promise<Daemon> {
  const disk = join(fleet.folder, name);
  mkdirSync(disk);
  symlinkSync(join(fleet.folder, 'drop'), join(disk, 'drop'));
  cpSync(join(fleet.folder, 'tenants'), join(disk, 'tenants'), { recursive: true });
  const backend = openBackend({
    settings: { url: new Secret(url), ca: null, key: null, isEncrypted: false },
    holder: name,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger: fleet.logger,
  });
  closeAfterTest(backend);
  const daemon = fleet.openDaemon({
    target: join(disk, 'tenants'),
    backend,
    ...(fetch === undefined ? {} : { fetch }),
  });
  await daemon.start();
  return daemon;
}
