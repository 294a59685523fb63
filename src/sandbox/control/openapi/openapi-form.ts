import type * as z from 'zod';

export type OpenApiPart = Readonly<Record<string, unknown>>;

/** Options of zod's JSON Schema output. */
type SchemaForm = Pick<NonNullable<Parameters<typeof z.toJSONSchema>[1]>, 'target' | 'override'>;

/** The parts of the document that differ between OpenAPI versions. */
export interface OpenApiForm {
  readonly openapi: string;
  readonly license: OpenApiPart;
  readonly schemas: SchemaForm;
  /** The schema of a boolean in a query. */
  readonly flag: OpenApiPart;
}

export const OPENAPI_FORMS = {
  '3.1': {
    openapi: '3.1.0',
    license: { name: 'MIT', identifier: 'MIT' },
    schemas: {},
    flag: { type: 'boolean' },
  },
  // For client generators that do not support later versions. Their clients write booleans in the style of their language:
  // `False`.
  '3.0': {
    openapi: '3.0.3',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    schemas: { target: 'openapi-3.0', override: simplify },
    flag: { type: 'string', enum: ['true', 'false'] },
  },
} satisfies Readonly<Record<string, OpenApiForm>>;

/**
 * Simplifies schemas for clients that cannot read a union of types and would give the equal fields `_id` and `id` the same
 * name.
 */
function simplify({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.anyOf !== undefined) {
    delete jsonSchema.anyOf;
    delete jsonSchema.nullable;
  }
  // A nullable schema must have a type, and `allOf` refers only to objects.
  if (jsonSchema.nullable === true) jsonSchema.type ??= 'object';
  if (jsonSchema.properties?.id === undefined) return;
  delete jsonSchema.properties._id;
  if (jsonSchema.required !== undefined) jsonSchema.required = jsonSchema.required.filter((name) => name !== '_id');
}
