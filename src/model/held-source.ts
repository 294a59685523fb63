/** The guard that holds every change while state.db is new beside the traces of an earlier one. */
export const STATE_LOST = 'state.lost';

const HELD_SOURCE = /^(sources\..+):[0-9a-f]+$/;

/** Whether a guard is a source that is held as a whole: `sources.hr.shrink:3f2a9c…`, with the beginning of its content's digest. */
export function isHeldSource(guard: string): boolean {
  return HELD_SOURCE.test(guard);
}

/** Whether a guard holds something that is no change of a plan: a delivery, or a state that was lost. */
export function isHeldWhole(guard: string): boolean {
  return isHeldSource(guard) || guard === STATE_LOST;
}

/** The name of a guard without what tells one content from another: the same from delivery to delivery. */
export function nameGuardKind(guard: string): string {
  return HELD_SOURCE.exec(guard)?.[1] ?? guard;
}
