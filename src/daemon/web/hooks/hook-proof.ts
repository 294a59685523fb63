import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSame } from '../bearer.js';

/** The parts of a request that the forms read. */
export interface HookRequest {
  readonly method: string;
  /** The complete address that the vendor called. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Checks that the sender knows a secret.
 *
 * @returns a text that is the same for a repeated request; null if the sender does not know the secret
 */
export type HookProof = (request: HookRequest, secret: string) => string | null;

export interface SignatureRule {
  readonly hash: 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  readonly given: (request: HookRequest) => readonly string[];
  /** Returns the signed parts in their order. */
  readonly parts: (request: HookRequest) => readonly (string | Buffer)[];
  /** Converts a secret to the key; by default, the key is the text of the secret. */
  readonly key?: (secret: string) => string | Buffer;
}

/** Always computes one HMAC, so that the response time does not reveal what is wrong. */
export function signed({ hash, encoding, given, parts, key = (secret) => secret }: SignatureRule): HookProof {
  return (request, secret) => {
    const hmac = createHmac(hash, key(secret));
    for (const part of parts(request)) hmac.update(part);
    const expected = hmac.digest(encoding);
    const isRight = given(request)
      .map((one) => isSame(one, expected))
      .includes(true);
    return isRight && secret !== '' ? expected : null;
  };
}

/** Compares a secret that the vendor sends itself, so a repeated request looks like a new one. */
export function shared(given: (request: HookRequest) => string): HookProof {
  return (request, secret) => (isSame(given(request), secret) && secret !== '' ? '' : null);
}

/** Returns a header that occurs once; otherwise ''. */
export function headerOf({ headers }: Pick<HookRequest, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
