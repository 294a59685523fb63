import * as z from 'zod';
import type { ApiRoute } from './api-route.js';
import { DAEMON_API } from './daemon-api.js';
import { NOW_API } from './now-api.js';
import * as people from './people-schemas.js';
import * as schemas from './schemas.js';
import { TENANT_API } from './tenant-api.js';

type DescribedPart = Readonly<Record<string, unknown>>;

/** Describes the API as an OpenAPI document, built from the same schemas that check requests. */
export function buildOpenApi(): DescribedPart {
  const paths: Record<string, Record<string, DescribedPart>> = {};
  for (const route of [...DAEMON_API, ...NOW_API, ...TENANT_API]) {
    const place = toTemplate(route.path);
    paths[place] = { ...paths[place], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'talent-sync',
      version: '1',
      description:
        'The documents that commands print with `--json`, and their decisions, served by the operator pages.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    security: [{ token: [] }, { session: [] }],
    tags: [
      { name: 'daemon', description: 'The daemon' },
      { name: 'tenant', description: 'One tenant' },
    ],
    paths,
    components: {
      schemas: schemasPart(),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A personal token of `talent-sync operator add`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'talent-sync',
          description: 'The log-in of the pages. A POST needs `x-csrf-token`, which `/api/session` gives.',
        },
      },
      responses: {
        Refusal: {
          description: 'The request was not carried out: what happened, where, and what to do.',
          content: { 'application/problem+json': { schema: refTo('Refusal') } },
        },
      },
    },
  };
}

/** Names of the schemas, which become type names in generated clients. */
const NAMED = Object.entries({ ...schemas, ...people });
const NAMES = new Map<unknown, string>(NAMED.map(([name, schema]) => [schema, name]));

/** Describes the schemas as inputs, so that fields added by later versions do not make an answer invalid. */
function schemasPart(): DescribedPart {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of NAMED) registry.add(schema, { id: name });
  const { schemas: written } = z.toJSONSchema(registry, { io: 'input', uri: (name) => `#/components/schemas/${name}` });
  return Object.fromEntries(Object.entries(written).map(([name, schema]) => [name, stripHead(schema)]));
}

function describeRoute({ method, path, name, summary, audience, input, answer }: ApiRoute): DescribedPart {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, found = '']) => found);
  const others = Object.entries(input.shape).filter(([field]) => !inPath.includes(field));
  const isAsked = method === 'GET';
  return {
    operationId: name,
    tags: [path.includes('/:tenant') ? 'tenant' : 'daemon'],
    summary,
    description: audience === 'logged in' ? 'For everybody who is logged in.' : `Needs the role ${audience}.`,
    parameters: [
      ...inPath.map((found) => ({ name: found, in: 'path', required: true, schema: { type: 'string' } })),
      ...(isAsked ? others.map(([found, schema]) => describeParameter(found, schema as z.ZodType)) : []),
    ],
    ...(isAsked ? {} : { requestBody: describeBody(Object.fromEntries(others)) }),
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: refTo(NAMES.get(answer) ?? '') } },
      },
      '4XX': { $ref: '#/components/responses/Refusal' },
    },
  };
}

function describeParameter(name: string, schema: z.ZodType): DescribedPart {
  const { description, ...written } = toSchema(schema);
  return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: written };
}

function describeBody(fields: z.core.$ZodShape): DescribedPart {
  return { required: true, content: { 'application/json': { schema: toSchema(z.strictObject(fields)) } } };
}

function toSchema(schema: z.ZodType): DescribedPart {
  return stripHead(z.toJSONSchema(schema, { io: 'input' }));
}

function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function refTo(name: string): DescribedPart {
  return { $ref: `#/components/schemas/${name}` };
}

function stripHead({ $schema: _, $id: __, id: ___, ...schema }: DescribedPart): DescribedPart {
  return schema;
}
