import { createHmac, timingSafeEqual } from 'node:crypto';
import type { World } from '../account/world.js';
import type { Call } from '../calls/call.js';

/** About ten minutes. Links to user pictures are valid for twenty (spec, Limits, Signed URL lifetime). */
const LIFETIME_MS = 10 * 60 * 1000;
export const USER_IMAGE_LIFETIME_MS = 20 * 60 * 1000;

export const FILES = '/files';
/** File id of the picture that is shown for people without one. */
export const NEUTRAL_PICTURE = 'neutral-picture';

/** Returns a link to a file that needs no authentication header and expires by the account's clock. */
export function signUrl({ world, baseUrl }: Call, fileId: string, lifetimeMs = LIFETIME_MS): string {
  const expires = String(world.clock.now() + lifetimeMs);
  return `${baseUrl}${FILES}/${fileId}?expires=${expires}&signature=${sign(world, fileId, expires)}`;
}

export function isSigned(world: World, fileId: string, expires: string, signature: string): boolean {
  const wanted = Buffer.from(sign(world, fileId, expires));
  const given = Buffer.from(signature);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return false;
  return Number(expires) > world.clock.now();
}

function sign(world: World, fileId: string, expires: string): string {
  return createHmac('sha256', world.secret).update(`${fileId} ${expires}`).digest('hex');
}
