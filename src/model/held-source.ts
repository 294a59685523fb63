import { shortenDigest } from './sha256.js';

/** The guard that holds all changes when state.db is new but there are traces of an earlier one. */
export const STATE_LOST = 'state.lost';
/** The guard that holds removals after state.db was replaced by a backup. */
export const STATE_RESTORED = 'state.restored';

/** True for a guard that holds changes because of the state as a unit. */
export function isHeldState(guard: string): boolean {
  return guard === STATE_LOST || guard === STATE_RESTORED;
}

const HELD_SOURCE = /^(sources\..+):([0-9a-f]+)$/;

/**
 * Returns the name of the guard that holds one delivery of a source. The name contains the full digest of the content, so that
 * its approval applies to no other delivery.
 */
export function nameHeldSource(source: string, suspicion: string, digest: string): string {
  return `sources.${source}.${suspicion}:${digest}`;
}

/** True for a guard that holds one entire delivery: `sources.hr.shrink:3f2a9c…`. */
export function isHeldSource(guard: string): boolean {
  return HELD_SOURCE.test(guard);
}

/** Returns the source that a guard holds, and the part of the content digest in the guard's name; null for other guards. */
export function readHeldSource(guard: string): { readonly source: string; readonly digest: string } | null {
  const [, source, digest] = /^sources\.(.+)\.\w+:([0-9a-f]+)$/.exec(guard) ?? [];
  return source === undefined || digest === undefined ? null : { source, digest };
}

/** True if an approval covers more than single changes: a delivery, or the state. */
export function isHeldWhole(guard: string): boolean {
  return isHeldSource(guard) || isHeldState(guard);
}

/** Returns a guard's name without the content digest, so that it is the same for every delivery. */
export function nameGuardKind(guard: string): string {
  return HELD_SOURCE.exec(guard)?.[1] ?? guard;
}

/** Shortens the id of a hold to the form that people see and type. */
export function showHold(id: string): string {
  return shortenDigest(id);
}

/** Shortens a guard to the form that people see and type, with only the first digits of a digest. */
export function showGuard(guard: string): string {
  const [, kind, digest = ''] = HELD_SOURCE.exec(guard) ?? [];
  return kind === undefined ? guard : `${kind}:${shortenDigest(digest)}`;
}
