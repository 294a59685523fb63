import type * as z from 'zod';

export type OpenApiPart = Readonly<Record<string, unknown>>;

/** Options of zod's JSON Schema output. */
type SchemaForm = Pick<NonNullable<Parameters<typeof z.toJSONSchema>[1]>, 'target' | 'override'>;

/** The differences between versions of OpenAPI. */
export interface OpenApiForm {
  readonly openapi: string;
  readonly license: OpenApiPart;
  readonly schemas: SchemaForm;
  /** A boolean in a query. */
  readonly flag: OpenApiPart;
}

export const OPENAPI_FORMS = {
  '3.1': {
    openapi: '3.1.0',
    license: { name: 'MIT', identifier: 'MIT' },
    schemas: {},
    flag: { type: 'boolean' },
  },
  // For client generators that support no later version. Their clients write booleans in their own language's style: `False`.
  '3.0': {
    openapi: '3.0.3',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    schemas: { target: 'openapi-3.0', override: simplify },
    flag: { type: 'string', enum: ['true', 'false'] },
  },
} satisfies Readonly<Record<string, OpenApiForm>>;

/** These clients cannot read a union of types, and give `_id` and `id`, which are equal, the same name. */
function simplify({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.anyOf !== undefined) {
    delete jsonSchema.anyOf;
    delete jsonSchema.nullable;
  }
  // A nullable schema must state its type; only objects are referenced by `allOf`.
  if (jsonSchema.nullable === true) jsonSchema.type ??= 'object';
  if (jsonSchema.properties?.id === undefined) return;
  delete jsonSchema.properties._id;
  if (jsonSchema.required !== undefined) jsonSchema.required = jsonSchema.required.filter((name) => name !== '_id');
}
