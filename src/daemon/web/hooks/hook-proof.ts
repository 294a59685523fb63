import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSame } from '../bearer.js';

/** The parts of a request that the forms look at. */
export interface HookRequest {
  readonly method: string;
  /** The complete address that the vendor called. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Checks that the sender knows a secret. @returns a text that a repeated request has as well; null where the sender does not know it */
export type HookProof = (request: HookRequest, secret: string) => string | null;

export interface SignatureRule {
  readonly hash: 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** The signatures that the request shows. */
  readonly given: (request: HookRequest) => readonly string[];
  /** The parts that are signed, in this order. */
  readonly parts: (request: HookRequest) => readonly (string | Buffer)[];
  /** The key that a secret stands for; its text without one. */
  readonly key?: (secret: string) => string | Buffer;
}

/** One HMAC, whatever the request lacks: the time that an answer takes says nothing about the reason. */
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

/** The vendor sends the secret itself. A repeated request looks like a new one. */
export function shared(given: (request: HookRequest) => string): HookProof {
  return (request, secret) => (isSame(given(request), secret) && secret !== '' ? '' : null);
}

/** A header that came once; empty where it did not come. */
export function headerOf({ headers }: Pick<HookRequest, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
