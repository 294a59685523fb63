import { pathOf } from '../visit.js';

/** Under this path a daemon takes what identity providers push. */
export const SCIM_ROOT = '/scim/v2';

/** What a request is about, as its address says. */
export interface RequestTarget {
  /** What follows the root; '' where a part is no text. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** Whether every part of it is text. */
  readonly isReadable: boolean;
  readonly isVersion2: boolean;
  /** @param host what the client called us */
  origin(host: string | undefined): string;
}

export function isScim(url: string): boolean {
  return /^\/scim(?=[/?]|$)/.test(pathOf(url));
}

export function readTarget(url: string): RequestTarget {
  const path = pathOf(url);
  const [plain = '', ...query] = path.split('?');
  const isVersion2 = plain === SCIM_ROOT || plain.startsWith(`${SCIM_ROOT}/`);
  // Under another version there is nobody's source (RFC 7644, 3.13).
  const decoded = isVersion2 ? plain.slice(SCIM_ROOT.length).split('/').map(decode) : [];
  return {
    parts: decoded.map((part) => part ?? '\0').filter((part) => part !== ''),
    query: new URLSearchParams(query.join('?')),
    isReadable: !decoded.includes(null),
    isVersion2,
    // Nothing but a name and a port becomes part of an address that is answered.
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
