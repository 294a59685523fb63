import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../base/secrets/secret.js';

/**
 * The token of an `Authorization` header; empty if there is none. The scheme is optional, because Okta's Header Auth app
 * sends the value exactly as typed, usually without a scheme.
 */
export function readBearer(header: string | undefined): string {
  return /^(?:Bearer\s+)?(?!Bearer$)(\S+)$/i.exec((header ?? '').trim())?.[1] ?? '';
}

/** Compares in constant time, independent of the given text and of which token matches. */
export function isAnyOf(given: string, tokens: readonly Secret[]): boolean {
  // Compare with every token, because stopping at a match would reveal which token matched.
  return tokens
    .map((secret) => secret.reveal())
    .map((token) => token !== '' && isSame(given, token))
    .includes(true);
}

/** Compares in constant time, independent of how many characters match. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
