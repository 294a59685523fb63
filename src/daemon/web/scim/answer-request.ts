import {
  describeResourceTypes,
  describeSchemas,
  describeService,
} from '../../../connectors/scim-protocol/discovery.js';
import { compileProjection, isAsked, type Projection } from '../../../connectors/scim-protocol/project.js';
import { locate, readVersion } from '../../../connectors/scim-protocol/render.js';
import { describeScimError, ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import type { Json, JsonObject } from '../../../model/json.js';
import type { PushRow } from '../../../store/state/push-store.js';
import { answerBulk } from './bulk.js';
import { isKnown, KINDS, type ResourceKind, versionOf } from './kinds.js';
import { readProjection, readQuery, readSearch } from './list-request.js';
import { listResources } from './list-resources.js';
import type { PushContext, ScimAnswer } from './push-context.js';
import { renderMembersInto } from './render-whole.js';
import { createResource, deleteResource, findOne, patchResource, replaceResource } from './write-resource.js';

/** An authorized request after its body was read. */
export interface ScimRequest {
  readonly method: string;
  /** The path after the source, such as `['Users', '4711']`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** @throws ScimError invalidSyntax */
  body(): Json;
}

type Handler = (request: ScimRequest, context: PushContext) => ScimAnswer | Promise<ScimAnswer>;
type Methods = Readonly<Record<string, Handler>>;

/**
 * | address                                                | methods                 |
 * |--------------------------------------------------------|-------------------------|
 * | /Users, /Groups                                        | GET, POST               |
 * | /Users/ID, /Groups/ID                                  | GET, PUT, PATCH, DELETE |
 * | /.search, /Users/.search, /Groups/.search              | POST                    |
 * | /ServiceProviderConfig, /ResourceTypes, /Schemas, each /ID | GET                 |
 * | /Bulk                                                  | POST                    |
 * | /Me                                                    | 501                     |
 */
export async function answerRequest(request: ScimRequest, context: PushContext): Promise<ScimAnswer> {
  const methods = findMethods(request.parts);
  const handler = methods[request.method];
  if (handler !== undefined) return handler(request, context);
  const allow = Object.keys(methods).join(', ');
  const error = new ScimError(405, `This address accepts ${allow}.`);
  return { status: 405, body: describeScimError(error), headers: { allow } };
}

/** Routes with one path segment. */
const FIXED: ReadonlyMap<string, Methods> = new Map([
  ['.search', { POST: searchIn(KINDS) }],
  ['Bulk', { POST: ({ body }: ScimRequest, context: PushContext) => answerBulk(body(), context) }],
  ['ServiceProviderConfig', { GET: describeServiceAt }],
]);

function findMethods([first = '', second, ...more]: readonly string[]): Methods {
  const kind = KINDS.find(({ type }) => type.endpoint === first);
  const fixed = second === undefined ? FIXED.get(first) : undefined;
  if (more.length === 0) {
    if (fixed !== undefined) return fixed;
    if (kind !== undefined) return methodsOf(kind, second);
    if (first === 'Me') throw new ScimError(501, '/Me is not supported: a client is not a user here.');
    if (first === 'ResourceTypes') return { GET: describeIn(describeResourceTypes, second) };
    if (first === 'Schemas') return { GET: describeIn(describeSchemas, second) };
  }
  throw new ScimError(404, 'There is nothing at this address.');
}

function methodsOf(kind: ResourceKind, id: string | undefined): Methods {
  if (id === '.search') return { POST: searchIn([kind]) };
  return id === undefined ? methodsOfAll(kind) : methodsOfOne(kind, id);
}

function searchIn(kinds: readonly ResourceKind[]): Handler {
  return async ({ body }, context) => ({ status: 200, text: await listResources(kinds, readSearch(body()), context) });
}

/** Reads the projection before writing anything, so that a rejected request changes nothing. */
function methodsOfAll(kind: ResourceKind): Methods {
  return {
    async GET({ query }, context) {
      return { status: 200, text: await listResources([kind], readQuery(query), context) };
    },
    POST({ body, query }, context) {
      const projection = readProjection(query);
      const row = createResource(kind, body(), context);
      const location = locate(context.base, kind.type, row.id);
      return answerOne({ kind, row, projection }, context, 201, { location });
    },
  };
}

function methodsOfOne(kind: ResourceKind, id: string): Methods {
  return {
    GET({ query, ifNoneMatch }, context) {
      const row = findOne(kind, id, context);
      const etag = versionOf(kind, row, context);
      if (isKnown(etag, ifNoneMatch)) return { status: 304, headers: { etag } };
      return answerOne({ kind, row, projection: readProjection(query) }, context);
    },
    PUT({ body, query, ifMatch }, context) {
      const projection = readProjection(query);
      const row = replaceResource({ kind, id, ifMatch }, body(), context);
      return answerOne({ kind, row, projection }, context);
    },
    PATCH({ body, query, ifMatch }, context) {
      const projection = readProjection(query);
      const row = patchResource({ kind, id, ifMatch }, body(), context);
      // A group may have thousands of members, so members are returned only to clients that ask for attributes (RFC 7644,
      // 3.5.2).
      if (kind.type.name === 'Group' && projection.attributes.length === 0)
        return { status: 204, headers: { etag: versionOf(kind, row, context) } };
      return answerOne({ kind, row, projection }, context);
    },
    DELETE({ ifMatch }, context) {
      deleteResource({ kind, id, ifMatch }, context);
      return { status: 204 };
    },
  };
}

interface AskedResource {
  readonly kind: ResourceKind;
  readonly row: PushRow;
  readonly projection: Projection;
}

function answerOne(
  { kind, row, projection }: AskedResource,
  context: PushContext,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): ScimAnswer {
  const [resource = {}] = kind.render(context, [row], [], true);
  const project = compileProjection(kind.type, projection);
  const body = project(resource);
  // RFC 7643, 3.1: the header has the same value as meta.location.
  const location = locate(context.base, kind.type, row.id);
  const headers = { etag: readVersion(resource), 'content-location': location, ...more };
  const withMembers = kind.type.name === 'Group' && isAsked(kind.type, projection, 'members');
  if (!withMembers) return { status, body, headers };
  return { status, text: renderMembersInto(JSON.stringify(body), row, project, context), headers };
}

function describeServiceAt({ query }: ScimRequest, { base }: PushContext): ScimAnswer {
  refuseFilter(query);
  return { status: 200, body: describeService(base) };
}

function refuseFilter(query: URLSearchParams): void {
  if (query.has('filter')) throw new ScimError(403, 'This cannot be filtered.');
}

/** Discovery returns complete lists, and rejects filters (RFC 7644, section 4). */
function describeIn(list: (base: string) => readonly JsonObject[], id: string | undefined): Handler {
  return ({ query }, { base }) => {
    refuseFilter(query);
    const all = list(base);
    if (id === undefined) {
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
      const counts = { totalResults: all.length, startIndex: 1, itemsPerPage: all.length };
      return { status: 200, body: { schemas, ...counts, Resources: all } };
    }
    const one = all.find((resource) => String(resource.id).toLowerCase() === id.toLowerCase());
    if (one === undefined) throw new ScimError(404, 'There is nothing at this address.');
    return { status: 200, body: one };
  };
}
