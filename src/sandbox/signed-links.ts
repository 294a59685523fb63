import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Call, World } from './route.js';

/** About ten minutes (spec, Limits, Signed URL lifetime). */
const LIFETIME_MS = 10 * 60 * 1000;

export const FILES = '/files';

/** A link to a file that needs no header, and that stops to work by the account's clock. */
export function signUrl({ world, baseUrl }: Call, fileId: string): string {
  const expires = String(world.clock.now() + LIFETIME_MS);
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
