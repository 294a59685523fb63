import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import type { Secret } from '../../base/secrets/secret.js';
import type { JsonObject } from '../../model/json.js';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The lifetime of a JWT; servers allow an hour at most. */
const LIFE_SECONDS = 3_600;

/** Signs a JWT (RFC 7519) with RS256. It is valid from now on. */
export function signJwt(claims: JsonObject, key: Secret, nowMs: number): string {
  const iat = Math.floor(nowMs / 1_000);
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { ...claims, iat, exp: iat + LIFE_SECONDS },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), readKey(key)).toString('base64url')}`;
}

/** Reads the key. The error is thrown without a cause, because the parser's error may quote the key. */
function readKey(key: Secret): KeyObject {
  try {
    // In environment variables, lines often end in a literal `\n`.
    const read = createPrivateKey(key.reveal().replaceAll('\\n', '\n'));
    if (read.asymmetricKeyType === 'rsa') return read;
  } catch {}
  throw new SyncError('SYNC_SOURCE_DENIED', {
    message: 'The private key cannot be read.',
    place: 'auth.private_key',
    remedy:
      "Check where the source's `auth.private_key` comes from: it should be an RSA key in PEM, complete and without a password.",
  });
}
