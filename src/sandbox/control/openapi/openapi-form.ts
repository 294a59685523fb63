import type * as z from 'zod';

export type OpenApiPart = Readonly<Record<string, unknown>>;

/** How zod writes schemas. */
type SchemaForm = Pick<NonNullable<Parameters<typeof z.toJSONSchema>[1]>, 'target' | 'override'>;

/** How a version of OpenAPI is written. */
export interface OpenApiForm {
  readonly openapi: string;
  readonly license: OpenApiPart;
  readonly schemas: SchemaForm;
  /** A yes or no in a query. */
  readonly flag: OpenApiPart;
}

export const OPENAPI_FORMS = {
  '3.1': {
    openapi: '3.1.0',
    license: { name: 'MIT', identifier: 'MIT' },
    schemas: {},
    flag: { type: 'boolean' },
  },
  // For generators of clients that read no later version. Their clients write flags as their own language does: `False`.
  '3.0': {
    openapi: '3.0.3',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    schemas: { target: 'openapi-3.0', override: simplify },
    flag: { type: 'string', enum: ['true', 'false'] },
  },
} satisfies Readonly<Record<string, OpenApiForm>>;

/** Their clients cannot read a choice of types, and call `_id` and `id`, which are equal, by the same name. */
function simplify({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.anyOf !== undefined) {
    delete jsonSchema.anyOf;
    delete jsonSchema.nullable;
  }
  // What may be null must say its type; only objects are named by `allOf`.
  if (jsonSchema.nullable === true) jsonSchema.type ??= 'object';
  if (jsonSchema.properties?.id === undefined) return;
  delete jsonSchema.properties._id;
  if (jsonSchema.required !== undefined) jsonSchema.required = jsonSchema.required.filter((name) => name !== '_id');
}
