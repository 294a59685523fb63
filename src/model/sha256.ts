import { createHash, hash } from 'node:crypto';

/** The SHA-256 of a text, or of bytes. */
export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(content).digest(encoding);
}

/** Characters of a short hash, in base64url: 132 bits. */
export const SHORT_HASH_LENGTH = 22;

/** 132 bits of it, in 22 characters: enough to tell the contents of rows apart, of which each has several. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, SHORT_HASH_LENGTH);
}
