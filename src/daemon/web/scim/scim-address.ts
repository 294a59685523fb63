import { pathOf } from '../visit.js';

/** The path under which a daemon receives pushes from identity providers. */
export const SCIM_ROOT = '/scim/v2';

export interface RequestTarget {
  /** The segments after the root; '\0' for a segment that cannot be decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** True if every segment can be decoded. */
  readonly isReadable: boolean;
  readonly isVersion2: boolean;
  /** @param host the host name that the client used */
  origin(host: string | undefined): string;
}

export function isScim(url: string): boolean {
  return /^\/scim(?=[/?]|$)/.test(pathOf(url));
}

export function readTarget(url: string): RequestTarget {
  const path = pathOf(url);
  const [plain = '', ...query] = path.split('?');
  const isVersion2 = plain === SCIM_ROOT || plain.startsWith(`${SCIM_ROOT}/`);
  // Other versions have no sources (RFC 7644, 3.13).
  const decoded = isVersion2 ? plain.slice(SCIM_ROOT.length).split('/').map(decode) : [];
  return {
    parts: decoded.map((part) => part ?? '\0').filter((part) => part !== ''),
    query: new URLSearchParams(query.join('?')),
    isReadable: !decoded.includes(null),
    isVersion2,
    // Only a name and a port may become part of an address in the response.
    origin: (host = '') => `http://${/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? host : 'localhost'}`,
  };
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
