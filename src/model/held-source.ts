const HELD_SOURCE = /^(sources\..+):[0-9a-f]+$/;

/** Whether a guard is a source that is held as a whole: `sources.hr.shrink:3f2a9c…`, with the beginning of its content's digest. */
export function isHeldSource(guard: string): boolean {
  return HELD_SOURCE.test(guard);
}

/** The name of a guard without what tells one content from another: the same from delivery to delivery. */
export function nameGuardKind(guard: string): string {
  return HELD_SOURCE.exec(guard)?.[1] ?? guard;
}
