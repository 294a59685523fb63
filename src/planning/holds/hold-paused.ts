import { writeMinute } from '../../model/date-in-zone.js';
import type { Entity } from '../../model/entity.js';
import type { Stores } from '../../store/open-stores.js';

/**
 * Sets aside changes that the service keeps rejecting, until their next attempt. This concerns the identical change
 * only: a changed source, service or mapping gives another change, which is tried immediately.
 */
export function holdPaused({ work, refusals }: Stores, now: string): void {
  for (const { entity, key, changeId, times, firstAt, nextAt, message } of refusals.pausedAt(now)) {
    const change = work.planned(`${entity}:${key}`);
    if (change?.id !== changeId) continue;
    work.pause(`${entity}:${key}`, `its next try after ${writeMinute(nextAt)}`);
    work.hold({
      entity,
      key,
      place: change.place,
      code: 'SYNC_CHANGE_PAUSED',
      reason: `Rejected ${times} times since ${writeMinute(firstAt)}, next try after ${writeMinute(nextAt)}: ${message}`,
      about: changeId,
      remedy: `Correct the value in the source or the mapping; the next run then tries it immediately. \`sync --only\` tries it unchanged.`,
    });
  }
}

/**
 * Forgets the rejections of a change that a run no longer derives, because its object has changed since. An example is
 * an office that was occupied for a while.
 */
export function forgetMoved({ work, refusals }: Stores, stopped: readonly { readonly entity: Entity }[]): void {
  for (const { entity, key, changeId } of refusals.all()) {
    if (stopped.some((stop) => stop.entity === entity)) continue;
    if (work.planned(`${entity}:${key}`)?.id !== changeId) refusals.forget(entity, key);
  }
}
