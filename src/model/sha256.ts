import { createHash } from 'node:crypto';

/** The SHA-256 of a text, or of bytes. */
export function sha256(content: string | Uint8Array, encoding: 'hex' | 'base64' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(content).digest(encoding);
}
