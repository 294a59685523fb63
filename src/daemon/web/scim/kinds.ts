import { flattenUser } from '../../../connectors/scim-protocol/flatten-user.js';
import type { NamedMembers } from '../../../connectors/scim-protocol/members.js';
import { readVersion, renderGroup, renderUser } from '../../../connectors/scim-protocol/render.js';
import { GROUPS, type ResourceType, USERS } from '../../../connectors/scim-protocol/resource-type.js';
import { ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../../../model/json.js';
import type { PushType } from '../../../store/state/push-order.js';
import { foldPushed, type PushHead, type PushRow } from '../../../store/state/push-store.js';
import type { PushContext } from './push-context.js';

/** The differences between the two resource types. */
export interface ResourceKind {
  readonly type: ResourceType & { readonly name: PushType };
  /** Default values of a new resource. */
  readonly defaults: JsonObject;
  nameOf(attributes: JsonObject): string;
  displayOf(attributes: JsonObject): string;
  /** True if the other resource is a duplicate of this one. */
  isTwin(attributes: JsonObject, other: PushHead): boolean;
  /**
   * @param members the members to show in groups
   * @param isWhole true to show the groups of people; without them there is no version either
   */
  render(
    context: PushContext,
    rows: readonly PushRow[],
    members: NamedMembers,
    isWhole: boolean,
  ): readonly JsonObject[];
}

const USER_KIND: ResourceKind = {
  type: USERS,
  defaults: { active: true },
  nameOf: ({ userName }) => printScalar(userName),
  displayOf: ({ displayName, userName }) => printScalar(displayName ?? userName),
  isTwin: () => true,
  render({ store, source, base }, rows, _members, isWhole) {
    const users = isWhole ? store.asUsers(source, rows) : rows.map((row) => ({ ...row, groups: [] }));
    return users.map((user) => renderUser(user, base));
  },
};

/** Groups with the same name are distinct if both have their own external id. Otherwise the second one is a repeated POST. */
const GROUP_KIND: ResourceKind = {
  type: GROUPS,
  defaults: {},
  nameOf: ({ displayName }) => printScalar(displayName),
  displayOf: ({ displayName }) => printScalar(displayName),
  isTwin: ({ externalId }, other) =>
    externalId === undefined || other.externalId === null || other.externalId === externalId,
  render: ({ store, source, base }, rows, members) =>
    store.asGroups(source, rows, members).map((group) => renderGroup(group, base)),
};

export const KINDS: readonly ResourceKind[] = [USER_KIND, GROUP_KIND];

/** The columns used to find a resource. */
export function indexRow(
  kind: ResourceKind,
  attributes: JsonObject,
): Pick<PushRow, 'nameKey' | 'externalId' | 'display'> {
  const { externalId } = attributes;
  return {
    nameKey: foldPushed(kind.nameOf(attributes)),
    externalId: typeof externalId === 'string' ? externalId : null,
    display: kind.displayOf(attributes),
  };
}

/** The key of a person's record; null if the key column is empty. */
export function recordKey(key: string, id: string, attributes: JsonObject): string | null {
  const value = flattenUser({ ...attributes, id }, [key])[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? null : text;
}

/** The new attributes, plus the attribute that held the key if the client left it out. */
export function keepKey(
  { key, id }: { readonly key: string; readonly id: string },
  before: JsonObject,
  said: JsonObject,
): JsonObject {
  const was = recordKey(key, id, before);
  if (was === null || recordKey(key, id, said) !== null) return said;
  for (const [name, value] of Object.entries(before)) {
    const inside = objectOf(said[name]);
    const parts = isJsonObject(value)
      ? Object.entries(value).map(([part, one]): Json => ({ ...inside, [part]: one }))
      : [value];
    for (const part of said[name] === undefined || isJsonObject(value) ? parts : []) {
      const whole = { ...said, [name]: part };
      if (recordKey(key, id, whole) === was) return whole;
    }
  }
  return said;
}

function printScalar(value: Json | undefined): string {
  return isJsonObject(value) ? '' : String(value ?? '');
}

/** The current entity tag of a resource. */
export function versionOf(kind: ResourceKind, row: PushRow, context: PushContext): string {
  const [resource = {}] = kind.render(context, [row], [], true);
  return readVersion(resource);
}

/** @throws ScimError 412 if the client names another version (RFC 7644, 3.14) */
export function checkVersion(
  kind: ResourceKind,
  row: PushRow,
  ifMatch: string | undefined,
  context: PushContext,
): void {
  if (ifMatch === undefined || isListed(versionOf(kind, row, context), ifMatch)) return;
  throw new ScimError(412, 'The resource has changed since that version.');
}

/** True if the client already has this version. */
export function isKnown(version: string, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch !== undefined && isListed(version, ifNoneMatch);
}

/** Compares weakly, because some clients drop the `W/`. */
function isListed(version: string, header: string): boolean {
  const plain = (tag: string): string => tag.trim().replace(/^W\//i, '');
  const tags = header.split(',').map(plain);
  return tags.includes('*') || tags.includes(plain(version));
}
