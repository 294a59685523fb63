import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { describePause, type Pause, type StandStill } from '../model/pause.js';
import { explainQuiet } from '../model/quiet-hours.js';

interface Moment {
  /** The current pause; null if there is none, or if an operator ignores it. */
  readonly pause: Pause | null;
  readonly ignoreQuietHours: boolean;
  readonly nowMs: number;
}

/**
 * Stops planning and writing for a paused tenant.
 *
 * @param pause the current pause; null if there is none
 * @throws SyncError SYNC_PAUSED
 */
export function refusePaused(pause: Pause | null): void {
  if (pause === null) return;
  throw new SyncError('SYNC_PAUSED', {
    message: `The tenant is ${describePause(pause)}.`,
    place: 'talent-sync pause',
    remedy:
      'Wait until then, or end the pause with `talent-sync resume --reason "…"`. A command that runs next to the state ignores the pause with `--during-pause`.',
  });
}

/** Returns why nothing may be written at this moment; null if writing is allowed. */
export function findStandStill(
  { quietHours, schedule }: Pick<Config, 'quietHours' | 'schedule'>,
  { pause, ignoreQuietHours, nowMs }: Moment,
): StandStill | null {
  if (pause !== null) return { code: 'PAUSED', message: describePause(pause) };
  const quiet = ignoreQuietHours ? null : explainQuiet(quietHours, schedule.timezone, nowMs);
  return quiet === null ? null : { code: 'QUIET', message: quiet };
}
