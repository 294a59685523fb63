import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import type { Secret } from '../../base/secrets/secret.js';
import { sha256 } from '../../model/sha256.js';

/**
 * Encodes content for storage in PostgreSQL. With a key, this is AES-256-GCM: a nonce of 12 bytes, a tag of 16 bytes,
 * and the text. `about` identifies the place, so content that was copied to another place cannot be opened.
 */
export interface Seal {
  close(content: Buffer, about: About): Buffer;
  /** @throws SyncError SYNC_BACKEND_SEAL if the key differs, or if different content was stored there */
  open(content: Buffer, about: About): Buffer;
  /** Equal texts have equal digests. With a key, others cannot test a guessed text. */
  digest(text: string): string;
}

/** The tenant and the file or document, then any further parts that identify the place. */
export type About = readonly (string | number)[];

const NONCE = 12;
const TAG = 16;
/** Prefix of sealed content. SQLite files, JSON and plans begin with other bytes. */
const MARK = Buffer.from([0xfe, 0x01]);

export function createSeal(key: Secret | null): Seal {
  if (key === null) return { close: (content) => content, open: openPlain, digest: sha256 };
  const secret = createHash('sha256').update(key.reveal()).digest();
  return {
    close(content, about) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(bytesOf(about));
      const text = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([MARK, nonce, cipher.getAuthTag(), text]);
    },
    open(content, about) {
      if (!isSealed(content)) throw unopened('is not encrypted, but `key` is set');
      const [nonce, tag] = [content.subarray(2, 2 + NONCE), content.subarray(2 + NONCE, 2 + NONCE + TAG)];
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG }).setAAD(bytesOf(about));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(content.subarray(2 + NONCE + TAG)), decipher.final()]);
      } catch {
        throw unopened('was encrypted with another key, or differs from what was stored there');
      }
    },
    digest: (text) => createHmac('sha256', secret).update(text).digest('hex'),
  };
}

function openPlain(content: Buffer): Buffer {
  if (isSealed(content)) throw unopened('is encrypted, but `key` is not set');
  return content;
}

function isSealed(content: Buffer): boolean {
  return content.subarray(0, MARK.length).equals(MARK);
}

function bytesOf(about: About): Buffer {
  return Buffer.from(about.join('\0'));
}

function unopened(what: string): SyncError {
  return new SyncError('SYNC_BACKEND_SEAL', {
    message: `The content in PostgreSQL ${what}.`,
    place: 'backend.postgres.key',
    remedy: 'Give each daemon and command the key that the states were stored with.',
  });
}
