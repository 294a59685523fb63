import { isPrivate, readAddress } from '../base/http/private-address.js';
import { urlSchema } from '../base/settings/schema-parts.js';

/**
 * Every call to the service contains the API key, so an unencrypted address is accepted only on this machine or its private
 * networks.
 */
export const serviceUrlSchema = urlSchema
  .refine((url) => !url.startsWith('http:') || isNear(new URL(url)), {
    error: 'http:// would send the key unencrypted',
  })
  .refine((url) => !/\/api\/v1\/?$/.test(url), { error: '`/api/v1` is not a part of the address' });

/** True for an address on a private network, or for a name that is resolved only there. */
function isNear(url: URL): boolean {
  const address = readAddress(url);
  if (address !== null) return isPrivate(address);
  return !url.hostname.includes('.') || /\.(localhost|local|internal|svc|test|lan|home\.arpa)$/.test(url.hostname);
}
