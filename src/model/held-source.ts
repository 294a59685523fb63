import { isShortenedDigest, shortenDigest } from './sha256.js';

/** The guard that holds every change when state.db is new but traces of an earlier one exist. */
export const STATE_LOST = 'state.lost';
/** The guard that holds removals after state.db was replaced by a backup. */
export const STATE_RESTORED = 'state.restored';

/** True for a guard about the complete state. */
export function isHeldState(guard: string): boolean {
  return guard === STATE_LOST || guard === STATE_RESTORED;
}

const HELD_SOURCE = /^(sources\..+):([0-9a-f]+)$/;

/**
 * Names the guard that holds one delivery of a source. It contains the full digest of the content, so its approval covers no
 * other delivery.
 */
export function nameHeldSource(source: string, suspicion: string, digest: string): string {
  return `sources.${source}.${suspicion}:${digest}`;
}

/** True for a guard that holds one complete delivery: `sources.hr.shrink:3f2a9c…`. */
export function isHeldSource(guard: string): boolean {
  return HELD_SOURCE.test(guard);
}

/** The source that a guard holds completely, and the digest of its content as far as the name has it; null for any other guard. */
export function readHeldSource(guard: string): { readonly source: string; readonly digest: string } | null {
  const [, source, digest] = /^sources\.(.+)\.\w+:([0-9a-f]+)$/.exec(guard) ?? [];
  return source === undefined || digest === undefined ? null : { source, digest };
}

/** True if an approval covers something other than single changes: a delivery, or the state. */
export function isHeldWhole(guard: string): boolean {
  return isHeldSource(guard) || isHeldState(guard);
}

/** The name of a guard without the digest of its content: the same for every delivery. */
export function nameGuardKind(guard: string): string {
  return HELD_SOURCE.exec(guard)?.[1] ?? guard;
}

/** Shortens the id of a hold to what people see and type. */
export function showHold(id: string): string {
  return shortenDigest(id);
}

/** Shortens a guard to what people see and type: only the first digits of a digest stay. */
export function showGuard(guard: string): string {
  const [, kind, digest = ''] = HELD_SOURCE.exec(guard) ?? [];
  return kind === undefined ? guard : `${kind}:${shortenDigest(digest)}`;
}

/** True if the name has only the beginning of a delivery's digest, as versions before 0.3 wrote it. */
export function isShortBinding(guard: string): boolean {
  return isShortenedDigest(HELD_SOURCE.exec(guard)?.[2] ?? '');
}
