import type { Json, JsonObject } from '../../model/json.js';
import type { Attribute } from './attributes.js';
import { RESOURCE_TYPES } from './resource-type.js';
import { COMMON } from './schemas.js';

/** The largest page size; requests for more resources get this many. */
export const LARGEST_PAGE = 500;

/** The maximum number of bytes in a body. */
export const LARGEST_BODY = 4 * 1024 * 1024;
/** The maximum number of bytes in the body of a group with all its members, as returned by GET. */
export const LARGEST_GROUP_BODY = 24 * 1024 * 1024;
export const MOST_BULK_OPERATIONS = 1_000;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** Describes the configuration of the service (RFC 7643, section 5). */
export function describeService(base: string): JsonObject {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: MOST_BULK_OPERATIONS, maxPayloadSize: LARGEST_BODY },
    filter: { supported: true, maxResults: LARGEST_PAGE },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token in the Authorization header.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** Describes the resource types (RFC 7643, section 6). */
export function describeResourceTypes(base: string): readonly JsonObject[] {
  return RESOURCE_TYPES.map(({ name, endpoint, schema, extensions }) => ({
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint: `/${endpoint}`,
    description: schema.description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }));
}

/**
 * Describes the schemas (RFC 7643, section 7). The only common attribute in them is `externalId`, because clients use
 * the schemas to find attributes that they may set. `schemas`, `id` and `meta` belong to no schema (RFC 7643, 3.1).
 */
export function describeSchemas(base: string): readonly JsonObject[] {
  const external = COMMON.filter(({ name }) => name === 'externalId');
  const schemas = RESOURCE_TYPES.flatMap(({ schema, extensions }) => [
    { ...schema, attributes: [...external, ...schema.attributes] },
    ...extensions,
  ]);
  return schemas.map(({ id, name, description, attributes }) => ({
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }));
}

function describeAttribute({ subAttributes, ...rest }: Attribute): Json {
  return { ...rest, ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(describeAttribute) }) };
}
