import { entityTag } from '../../scim/render.js';
import { ScimError } from '../../scim/scim-error.js';

/** @throws ScimError 412 when the client knows another version (RFC 7644, 3.14) */
export function checkVersion(version: number, ifMatch: string | undefined): void {
  if (ifMatch === undefined || isListed(version, ifMatch)) return;
  throw new ScimError(412, 'The resource has changed since that version.');
}

/** Whether the client has this very version already. */
export function isKnown(version: number, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch !== undefined && isListed(version, ifNoneMatch);
}

/** Compared weakly: some clients drop the `W/`. */
function isListed(version: number, header: string): boolean {
  const plain = (tag: string): string => tag.trim().replace(/^W\//i, '');
  const tags = header.split(',').map(plain);
  return tags.includes('*') || tags.includes(plain(entityTag(version)));
}
