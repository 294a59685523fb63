import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../base/secrets/secret.js';

/** The token of an `Authorization` header; empty when there is none. Okta's Header Auth app sends what was typed, so mostly the token alone. */
export function readBearer(header: string | undefined): string {
  return /^(?:Bearer\s+)?(?!Bearer$)(\S+)$/i.exec((header ?? '').trim())?.[1] ?? '';
}

/** Takes the same time whatever is given and whichever of the tokens it is. */
export function isAnyOf(given: string, tokens: readonly Secret[]): boolean {
  // Every one is compared: leaving off at the first would tell which it was.
  return tokens
    .map((secret) => secret.reveal())
    .map((token) => token !== '' && isSame(given, token))
    .includes(true);
}

/** Takes the same time however much of it is right. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
