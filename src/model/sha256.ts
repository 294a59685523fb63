import { hash } from 'node:crypto';

/** Returns the SHA-256 of a text or of bytes. */
export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64' | 'base64url' = 'hex'): string {
  return hash('sha256', content, encoding);
}

/** Number of digits of a digest that people see and may type instead of it. */
const SHOWN_DIGITS = 12;

/**
 * Shortens a digest for display and returns any other id unchanged. Comparisons, storage and the audit log use the full digest.
 */
export function shortenDigest(digest: string): string {
  return /^[0-9a-f]{64}$/.test(digest) ? digest.slice(0, SHOWN_DIGITS) : digest;
}

/** True if a stored name contains only the beginning of a digest. Versions before 0.3 bound decisions to 48 bits. */
export function isShortenedDigest(name: string): boolean {
  return name.length === SHOWN_DIGITS && /^[0-9a-f]+$/.test(name);
}

/** Length of a short hash in base64url: 132 bits. */
export const SHORT_HASH_LENGTH = 22;

/** Returns 132 bits of the SHA-256 in 22 characters, which is enough to distinguish the contents of rows. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SHORT_HASH_LENGTH);
}
