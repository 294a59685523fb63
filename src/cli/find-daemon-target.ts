import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAEMON_FILE } from '../config/load-web.js';

/**
 * The configuration that a daemon command reads: the named one, else the folder of `daemon.yaml`, else the file of a single
 * tenant.
 */
export function findDaemonTarget(named: string | undefined, folder = '.'): string {
  if (named !== undefined) return named;
  return existsSync(join(folder, DAEMON_FILE)) ? folder : join(folder, 'talent-sync.yaml');
}

/** The folder of the `daemon.yaml` next to a tenant's file; null if there is none. */
export function findDaemonNextTo(file: string): string | null {
  const folder = dirname(file);
  return existsSync(join(folder, DAEMON_FILE)) ? folder : null;
}
