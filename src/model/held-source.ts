import { isShortenedDigest, shortenDigest } from './sha256.js';

/** The guard that holds every change while state.db is new beside the traces of an earlier one. */
export const STATE_LOST = 'state.lost';
/** The guard that holds what takes something away after a backup was put in the place of state.db. */
export const STATE_RESTORED = 'state.restored';

/** Says whether a guard asks about the complete state. */
export function isHeldState(guard: string): boolean {
  return guard === STATE_LOST || guard === STATE_RESTORED;
}

const HELD_SOURCE = /^(sources\..+):([0-9a-f]+)$/;

/** The guard that holds one delivery of a source: with the whole digest of its content, so that no other one passes with it. */
export function nameHeldSource(source: string, suspicion: string, digest: string): string {
  return `sources.${source}.${suspicion}:${digest}`;
}

/** Says whether a guard holds one complete delivery: `sources.hr.shrink:3f2a9c…`. */
export function isHeldSource(guard: string): boolean {
  return HELD_SOURCE.test(guard);
}

/** The source that a guard holds as a whole, and the digest of its content, as far as the name has it; null for any other guard. */
export function readHeldSource(guard: string): { readonly source: string; readonly digest: string } | null {
  const [, source, digest] = /^sources\.(.+)\.\w+:([0-9a-f]+)$/.exec(guard) ?? [];
  return source === undefined || digest === undefined ? null : { source, digest };
}

/** Whether one approval is about something other than single changes: a delivery, or the state. */
export function isHeldWhole(guard: string): boolean {
  return isHeldSource(guard) || isHeldState(guard);
}

/** The name of a guard without what tells one content from another: the same from delivery to delivery. */
export function nameGuardKind(guard: string): string {
  return HELD_SOURCE.exec(guard)?.[1] ?? guard;
}

/** The id of a hold as people are shown it, and as they type it. */
export function showHold(id: string): string {
  return shortenDigest(id);
}

/** A guard as people are shown it, and as they type it: of a content the first digits. */
export function showGuard(guard: string): string {
  const [, kind, digest = ''] = HELD_SOURCE.exec(guard) ?? [];
  return kind === undefined ? guard : `${kind}:${shortenDigest(digest)}`;
}

/** Whether it names a delivery by the beginning of its digest alone, as versions before 0.3 did. */
export function isShortBinding(guard: string): boolean {
  return isShortenedDigest(HELD_SOURCE.exec(guard)?.[2] ?? '');
}
