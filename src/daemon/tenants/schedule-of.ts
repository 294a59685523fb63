import type { Clock } from '../../base/clock.js';
import { SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { Anchor, Due } from '../../config/schedule/due.js';
import { findDelay, findDueLater, type SpreadSchedule } from '../../config/schedule/spread.js';

/** @throws SyncError SYNC_CONFIG_INVALID if the configuration has no `schedule.every` */
export function scheduleOf({ schedule, file }: Config): SpreadSchedule {
  const { every, timezone, spreadMs = null } = schedule;
  if (every !== undefined) return { every, timezone, spreadMs };
  throw new SyncError('SYNC_CONFIG_INVALID', {
    message: 'The configuration does not say when to run.',
    place: `${file}: schedule.every`,
    remedy: 'Add `schedule: { every: "*/15 * * * *" }`, or let a scheduler start `talent-sync sync`.',
  });
}

/** Milliseconds between each time of the schedule and the tenant's run; 0 without a schedule. */
export function delayOf(config: Config, tenant: string): number {
  return config.schedule.every === undefined ? 0 : findDelay(scheduleOf(config), tenant);
}

/** Finds what is due for a tenant, including its own delay. */
export function createDueFinder(tenant: string, clock: Clock): (config: Config, anchor: Anchor | null) => Due {
  let known: { readonly of: string; readonly delayMs: number } | null = null;
  return (config, anchor) => {
    const schedule = scheduleOf(config);
    const of = JSON.stringify(schedule);
    if (known?.of !== of) known = { of, delayMs: findDelay(schedule, tenant) };
    return findDueLater(schedule, known.delayMs, anchor, clock.now());
  };
}
