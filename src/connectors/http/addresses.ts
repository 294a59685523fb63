import { SyncError } from '../../base/errors.js';

/**
 * Returns the address that a page's link leads to.
 *
 * @param page the address of the page with the link
 * @throws SyncError SYNC_SOURCE_FORMAT for a link to another origin, because following it would send the credentials
 * there
 */
export function followLink(page: string, link: string): string {
  const from = new URL(page);
  const to = URL.canParse(link, page) ? new URL(link, page) : null;
  // URL parsers disagree on these characters, so another parser may find a different host.
  const isPlain = !/[\\\p{Cc}\p{Cf}]|^\s*https?:(?!\/\/)/iu.test(link) && to?.username === '' && to.password === '';
  if (to !== null && isPlain && to.origin === from.origin) return to.href;
  throw new SyncError('SYNC_SOURCE_FORMAT', {
    message: `The link to the next page leads to ${describeTarget(to, from)}; it is not followed.`,
    place: `GET ${stripQuery(page)}`,
    remedy: `Set \`base_url\` to the address that the system uses in its links, or have it write links to ${from.origin}.`,
  });
}

/** Removes the query, because credentials, tokens and searched names would appear in places and messages. */
export function stripQuery(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}

function describeTarget(to: URL | null, from: URL): string {
  if (to === null) return 'no address';
  return to.origin === from.origin ? 'a deceptive address' : `another origin, ${to.origin}`;
}
