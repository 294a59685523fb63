import { createHash, hash } from 'node:crypto';

/** The SHA-256 of a text, or of bytes. */
export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(content).digest(encoding);
}

/** Digits of a digest that people are shown, and that they may type in its place. */
const SHOWN_DIGITS = 12;

/** The beginning of a digest, as people are shown it; any other id is shown whole. What is compared, stored or audited is the whole one. */
export function shortenDigest(digest: string): string {
  return /^[0-9a-f]{64}$/.test(digest) ? digest.slice(0, SHOWN_DIGITS) : digest;
}

/** Whether a stored name is the beginning of a digest alone: versions before 0.3 bound decisions to 48 bits. */
export function isShortenedDigest(name: string): boolean {
  return name.length === SHOWN_DIGITS && /^[0-9a-f]+$/.test(name);
}

/** Characters of a short hash, in base64url: 132 bits. */
export const SHORT_HASH_LENGTH = 22;

/** 132 bits of it, in 22 characters: enough to tell the contents of rows apart, of which each has several. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SHORT_HASH_LENGTH);
}
