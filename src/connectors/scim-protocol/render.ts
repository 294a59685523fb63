import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { PushedGroup, PushedUser } from '../../model/pushed.js';
import { sha256 } from '../../model/sha256.js';
import { listCustom } from './custom-extension.js';
import { GROUPS, type ResourceType, USERS } from './resource-type.js';

/**
 * The entity tag in `meta.version` (RFC 7643, 3.1). It is weak, because a resource can be written in several ways. For a
 * person, it also covers the groups, which are changed elsewhere, and the creation time, because a deleted person may be
 * created again.
 */
function entityTag({ version, created }: Stored, groups: PushedUser['groups']): string {
  const belongs = groups.length === 0 ? '' : `.${sha256(JSON.stringify(groups), 'base64url').slice(0, 12)}`;
  return `W/"${version}.${Date.parse(created).toString(36)}${belongs}"`;
}

/** Reads the entity tag of a rendered resource. */
export function readVersion({ meta }: JsonObject): string {
  return isJsonObject(meta) ? String(meta.version) : '';
}

export function locate(base: string, { endpoint }: ResourceType, id: string): string {
  return `${base}/${endpoint}/${encodeURIComponent(id)}`;
}

/** @param base the address at which the client reached the source, without a trailing slash */
export function renderUser(user: PushedUser, base: string): JsonObject {
  const groups = user.groups.map(({ id, display }) => ({
    value: id,
    $ref: locate(base, GROUPS, id),
    display,
    type: 'direct',
  }));
  return renderResource(
    USERS,
    user,
    renderMeta(USERS, user, base, user.groups),
    groups.length === 0 ? null : { groups },
  );
}

export function renderGroup(group: PushedGroup, base: string): JsonObject {
  const members = renderMembers(group.members, base);
  const more = members.length === 0 ? null : { members };
  return renderResource(GROUPS, group, renderMeta(GROUPS, group, base, []), more);
}

export function renderMembers(members: PushedGroup['members'], base: string): readonly JsonObject[] {
  return members.map(({ id, type, display }) => ({
    value: id,
    ...(type === null ? {} : { type, $ref: locate(base, type === 'User' ? USERS : GROUPS, id) }),
    ...(display === null ? {} : { display }),
  }));
}

type Stored = Pick<PushedUser, 'id' | 'attributes' | 'created' | 'modified' | 'version'>;

/**
 * Builds a resource. `Object.assign` is used because a literal with several spreads takes a hundred times as long as a
 * literal with one.
 */
function renderResource(type: ResourceType, stored: Stored, meta: Json, more: JsonObject | null): JsonObject {
  const { id, attributes } = stored;
  const schemas = listSchemas(type, attributes);
  return more === null
    ? { schemas, id, ...attributes, meta }
    : Object.assign({ schemas, id }, attributes, more, { meta });
}

function listSchemas(type: ResourceType, attributes: JsonObject): readonly string[] {
  const extensions = type.extensions.map((schema) => schema.id).filter((urn) => attributes[urn] !== undefined);
  return [type.schema.id, ...extensions, ...listCustom(type, attributes)];
}

function renderMeta(type: ResourceType, stored: Stored, base: string, groups: PushedUser['groups']): Json {
  const { id, created, modified } = stored;
  return {
    resourceType: type.name,
    created,
    lastModified: modified,
    location: locate(base, type, id),
    version: entityTag(stored, groups),
  };
}
