import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { PushedGroup, PushedUser } from '../../model/pushed.js';
import { sha256 } from '../../model/sha256.js';
import { listCustom } from './custom-extension.js';
import { GROUPS, type ResourceType, USERS } from './resource-type.js';

/**
 * RFC 7643, 3.1: `meta.version` is the entity tag; a weak one, since the same resource may be written in several ways. Of
 * a person the groups belong to it, which change elsewhere; and when it came, since one who was deleted may come again.
 */
function entityTag({ version, created }: Stored, groups: PushedUser['groups']): string {
  const belongs = groups.length === 0 ? '' : `.${sha256(JSON.stringify(groups), 'base64url').slice(0, 12)}`;
  return `W/"${version}.${Date.parse(created).toString(36)}${belongs}"`;
}

/** The entity tag of a resource that is rendered already. */
export function readVersion({ meta }: JsonObject): string {
  return isJsonObject(meta) ? String(meta.version) : '';
}

export function locate(base: string, { endpoint }: ResourceType, id: string): string {
  return `${base}/${endpoint}/${encodeURIComponent(id)}`;
}

/** @param base address under which the client reached the source, without a slash at its end */
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

/** Of many spreads in one literal each takes a hundred times as long as the one after plain members. */
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
