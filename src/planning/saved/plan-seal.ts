import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * The last member of a plan: HMAC-SHA256 over the hash of everything before it, with a key that is only in state.db. A
 * person who can write to the folder of the plans, but cannot read the state, can damage a plan but not create one.
 */

/** @param digest SHA-256 of the content, in hex */
export function sealPlan(key: string, digest: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(`plan ${digest}`).digest('hex');
}

export function isSealedWith(key: string, digest: string, seal: string): boolean {
  const [found, expected] = [Buffer.from(seal), Buffer.from(sealPlan(key, digest))];
  return found.length === expected.length && timingSafeEqual(found, expected);
}
