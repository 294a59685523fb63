import { SyncError } from '../../../base/errors.js';
import { Secret } from '../../../base/secrets/secret.js';
import { objectOf } from '../../../model/json.js';
import { parseOrNull } from '../../http/judge-answer.js';
import { JWT_BEARER, signJwt } from '../../http/jwt.js';
import type { HttpAuth } from '../../http/resolve-http.js';
import type { LoginPart } from '../vendor.js';

const GOOGLE = 'https://admin.googleapis.com';
const TOKENS = 'https://oauth2.googleapis.com/token';
const USERS = 'https://www.googleapis.com/auth/admin.directory.user';

/** Logs in with a service account that acts for an administrator (domain-wide delegation). */
export function logIn(
  { private_key: key, client_id: id, subject }: Partial<Readonly<Record<LoginPart, Secret>>>,
  baseUrl: string,
  writes: boolean,
): HttpAuth {
  const tokenUrl = baseUrl === GOOGLE ? TOKENS : `${baseUrl}/token`;
  return {
    oauth2: {
      tokenUrl,
      // The assertion names the account and the scope.
      clientId: '',
      clientSecret: null,
      scope: null,
      parameters: { grant_type: JWT_BEARER },
      clientAuth: 'form',
      grant(nowMs) {
        const account = readAccount(key?.reveal() ?? '', id?.reveal());
        const scope = writes ? USERS : `${USERS}.readonly`;
        const claims = { iss: account.email, sub: subject?.reveal() ?? '', scope, aud: TOKENS };
        return { assertion: signJwt(claims, account.key, nowMs) };
      },
    },
  };
}

/** Reads a private key alone, or the JSON file from Google with the account's address and key. */
function readAccount(text: string, given: string | undefined): { readonly email: string; readonly key: Secret } {
  const { client_email: email, private_key: key } = objectOf(parseOrNull(text));
  const issuer = given ?? email;
  if (typeof issuer !== 'string') {
    throw new SyncError('SYNC_SOURCE_DENIED', {
      message: 'The configuration does not name the service account of the private key.',
      place: 'auth.client_id',
      remedy:
        'Add `client_id: sync@project.iam.gserviceaccount.com` to `auth`, or give the JSON file of the key as `private_key`.',
    });
  }
  return { email: issuer, key: new Secret(typeof key === 'string' ? key : text) };
}
