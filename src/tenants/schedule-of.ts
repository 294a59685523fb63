import type { Config } from '../config/config.js';
import { SyncError } from '../errors.js';
import type { Schedule } from '../schedule/due.js';

/** @throws SyncError SYNC_CONFIG_INVALID when the configuration leaves it to something else to start runs */
export function scheduleOf({ schedule, file }: Config): Schedule {
  const { every, timezone } = schedule;
  if (every !== undefined) return { every, timezone };
  throw new SyncError('SYNC_CONFIG_INVALID', {
    message: 'The configuration does not say when to run.',
    place: `${file}: schedule.every`,
    remedy: 'Add `schedule: { every: "*/15 * * * *" }`, or let a scheduler start `talent-sync sync`.',
  });
}
