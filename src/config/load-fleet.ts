import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { text } from '../base/settings/schema-parts.js';
import { configError, openYaml } from './load.js';
import { DAEMON_FILE } from './load-web.js';
import { checkShape } from './yaml/check-shape.js';

/** Several daemons that share a list of tenants. */
export interface FleetSettings {
  /** How many there are; their ordinals begin with 0. */
  readonly daemons: number;
  /** Folder of each daemon's own volume; a tenant's state is the folder of its name in it. */
  readonly volume: string;
  /** Folder that they share, over which states are handed. */
  readonly handOver: string;
  /** Names of all tenants; each has a configuration in the folder. */
  readonly tenants: readonly string[];
}

export const fleetSchema = z.strictObject({
  daemons: z.int().min(1).max(1_000).describe('How many daemons there are; their ordinals begin with 0.'),
  volume: text.describe("Folder of each daemon's own volume: the state of a tenant is the folder of its name in it."),
  hand_over: text.describe('Folder that all daemons share: states of tenants that move go over it.'),
  tenants: z
    .array(z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i))
    .describe('Names of all tenants; each has a configuration of that name in the folder.'),
});

/**
 * `fleet:` in `daemon.yaml` of a folder of tenants.
 *
 * @returns null where there is none
 * @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CONFIG_INVALID
 */
export function loadFleet(target: string): FleetSettings | null {
  const file = join(resolve(target), DAEMON_FILE);
  // The daemon of one configuration has no fleet.
  if (!statSync(resolve(target), { throwIfNoEntry: false })?.isDirectory()) return null;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  const { data, report } = openYaml(file, undefined, 'Begin with `fleet:`; docs/fleet.md has an example.');
  const { fleet } = checkShape(
    z.strictObject({ fleet: fleetSchema.optional(), web: z.unknown().optional(), backend: z.unknown().optional() }),
    data,
    report,
  );
  if (report.problems.length > 0) throw configError(file, report);
  if (fleet === undefined) return null;
  const { daemons = 1, volume = '', hand_over = '', tenants = [] } = fleet;
  const toPath = (path: string): string => resolve(dirname(file), path);
  return { daemons, volume: toPath(volume), handOver: toPath(hand_over), tenants };
}
