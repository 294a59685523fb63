import { readVersion } from '../../scim/render.js';
import { ScimError } from '../../scim/scim-error.js';
import type { PushRow } from '../../store/state/push-store.js';
import type { ResourceKind } from './kinds.js';
import type { PushContext } from './push-context.js';

/** The entity tag of a resource as it is now. */
export function versionOf(kind: ResourceKind, row: PushRow, context: PushContext): string {
  const [resource = {}] = kind.render(context, [row], [], true);
  return readVersion(resource);
}

/** @throws ScimError 412 when the client knows another version (RFC 7644, 3.14) */
export function checkVersion(
  kind: ResourceKind,
  row: PushRow,
  ifMatch: string | undefined,
  context: PushContext,
): void {
  if (ifMatch === undefined || isListed(versionOf(kind, row, context), ifMatch)) return;
  throw new ScimError(412, 'The resource has changed since that version.');
}

/** Whether the client has this very version already. */
export function isKnown(version: string, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch !== undefined && isListed(version, ifNoneMatch);
}

/** Compared weakly: some clients drop the `W/`. */
function isListed(version: string, header: string): boolean {
  const plain = (tag: string): string => tag.trim().replace(/^W\//i, '');
  const tags = header.split(',').map(plain);
  return tags.includes('*') || tags.includes(plain(version));
}
