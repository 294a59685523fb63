import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { describePause, type Pause, type StandStill } from '../model/pause.js';
import { explainQuiet } from '../model/quiet-hours.js';

interface Moment {
  /** As of now; null where there is none, or where an operator works all the same. */
  readonly pause: Pause | null;
  readonly ignoreQuietHours: boolean;
  readonly nowMs: number;
}

/**
 * Nothing is planned or written for a tenant that is paused.
 *
 * @param pause as of now; null if there is none
 * @throws SyncError SYNC_PAUSED
 */
export function refusePaused(pause: Pause | null): void {
  if (pause === null) return;
  throw new SyncError('SYNC_PAUSED', {
    message: `The tenant is ${describePause(pause)}.`,
    place: 'talent-sync pause',
    remedy:
      'Wait until then, or end the pause with `talent-sync resume --reason "…"`. Next to the state, `--during-pause` ignores it.',
  });
}

/** Why nothing may be written at a moment; null where it may be. */
export function findStandStill(
  { quietHours, schedule }: Pick<Config, 'quietHours' | 'schedule'>,
  { pause, ignoreQuietHours, nowMs }: Moment,
): StandStill | null {
  if (pause !== null) return { code: 'PAUSED', message: describePause(pause) };
  const quiet = ignoreQuietHours ? null : explainQuiet(quietHours, schedule.timezone, nowMs);
  return quiet === null ? null : { code: 'QUIET', message: quiet };
}
