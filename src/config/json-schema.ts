import { z } from 'zod';
import { ENTITIES, type Entity } from '../model/entity.js';
import { FIELDS, type Field } from '../model/fields.js';
import { configSchema } from './schema.js';

/** A JSON Schema node, as far as it is read here. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly [keyword: string]: unknown;
}

/** The schema of the configuration for editors; written to `config/talent-sync.schema.json`. */
export function buildJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const entity = jsonSchema.fieldsOf;
      if (!isEntity(entity)) return;
      const properties = Object.entries(FIELDS[entity]).map(([name, field]) => [name, buildField(field)] as const);
      jsonSchema.properties = Object.fromEntries(properties);
      jsonSchema.additionalProperties = false;
      delete jsonSchema.fieldsOf;
      delete jsonSchema.propertyNames;
    },
  });
  // Through text: what an editor reads, without the library's hidden members.
  return { title: 'talent-sync configuration', ...(JSON.parse(JSON.stringify(schema)) as JsonSchema) };
}

function isEntity(name: unknown): name is Entity {
  return ENTITIES.some((entity) => entity === name);
}

type Node = z.core.JSONSchema.BaseSchema;

const EXPRESSION: Node = { type: 'string', minLength: 1, description: 'A CEL expression.' };
const RULES: Readonly<Record<string, Node>> = {
  apply: { enum: ['always', 'create', 'empty'], description: 'When it is written; always without it.' },
  when_empty: { enum: ['keep', 'clear'], description: 'What an empty source value means; keep without it.' },
  authority: {
    enum: ['source', 'service', 'newest'],
    description: 'Whom it belongs to; the source without it.',
  },
  write_back: {
    description: 'Tells the source what the service holds: true for a plain column, else what to write where.',
    anyOf: [
      { type: 'boolean' },
      object(
        {
          column: { type: 'string', description: 'The column that takes it.' },
          value: { type: 'string', description: "CEL over the service's object; the field's own value without it." },
          source: { type: 'string', description: 'Its source, where several have the column.' },
          when_empty: { enum: ['keep', 'clear'], description: 'What an emptiness in the service means.' },
        },
        { required: ['column'], additionalProperties: false },
      ),
    ],
  },
};

/** One expression is English. */
const TEXTS: Node = {
  anyOf: [
    EXPRESSION,
    object({}, { propertyNames: { pattern: '^[a-z]{2}$' }, additionalProperties: EXPRESSION, minProperties: 1 }),
  ],
};
const ENTRY: Node = object({ label: TEXTS, value: TEXTS }, { required: ['value'], additionalProperties: false });
const CUSTOM_VALUE: Node = {
  anyOf: [
    EXPRESSION,
    ...[
      { amount: EXPRESSION, currency: EXPRESSION },
      { amount: EXPRESSION, unit: EXPRESSION },
    ].map((parts) => object(parts, { required: ['amount'], additionalProperties: false })),
    object({ from: EXPRESSION, to: EXPRESSION }, { minProperties: 1, additionalProperties: false }),
  ],
};
const CUSTOM_FIELD: Node = {
  anyOf: [
    CUSTOM_VALUE,
    object(
      { value: CUSTOM_VALUE, ...RULES, sensitivity: EXPRESSION, anonymized: TEXTS },
      { required: ['value'], additionalProperties: false },
    ),
  ],
};

function buildField(field: Field): Node {
  switch (field.shape) {
    case 'multilingual':
    case 'roles':
      return orRuled(
        object({}, { propertyNames: { pattern: '^[a-z]{2}$' }, additionalProperties: orRuled(EXPRESSION) }),
        'Language → expression.',
      );
    case 'tags':
      return orRuled(
        object({}, { additionalProperties: orRuled(EXPRESSION) }),
        'External id of the category → expression giving the external id of the tag.',
      );
    case 'tag_sets':
      return orRuled(
        object({}, { additionalProperties: orRuled(EXPRESSION) }),
        'External id of the category → expression giving the external id of a tag, or a list of them.',
      );
    case 'entries':
      return orRuled(
        { anyOf: [EXPRESSION, { type: 'array', minItems: 1, items: { anyOf: [TEXTS, ENTRY] } }] },
        'An expression giving a list, or a list of texts, each in its languages.',
      );
    case 'custom_fields':
      return orRuled(object({}, { additionalProperties: CUSTOM_FIELD }), 'Name of the custom field → its value.');
    case 'office':
      return orRuled(
        object(
          { country: EXPRESSION, name: EXPRESSION, create_missing: { type: 'boolean', default: false } },
          { required: ['country', 'name'], additionalProperties: false },
        ),
        'Country (two letters) and name of the office.',
      );
    case 'offices': {
      const required = ['country', 'name'];
      const office = object({ country: EXPRESSION, name: EXPRESSION }, { required, additionalProperties: false });
      return orRuled({ type: 'array', minItems: 1, items: office }, 'Offices, each by country and name.');
    }
    default:
      return orRuled(EXPRESSION);
  }
}

function object(properties: Readonly<Record<string, Node>>, rest: Node): Node {
  return { type: 'object', properties: { ...properties }, ...rest };
}

function orRuled(value: Node, description?: string): Node {
  const ruled = object({ value, ...RULES }, { required: ['value'], additionalProperties: false });
  return { ...(description === undefined ? {} : { description }), anyOf: [value, ruled] };
}

/** The keys a mapping may have at a path of the configuration, or null where any name may stand. */
export function listKnownKeys(
  schema: JsonSchema,
  path: readonly (string | number)[],
  data: unknown,
): readonly string[] | null {
  let nodes: readonly JsonSchema[] = [schema];
  let value = data;
  for (const segment of path) {
    nodes = nodes.flatMap((node) => listBranches(node, value)).flatMap((node) => stepInto(node, segment));
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[segment] : undefined;
  }
  const keys = nodes.flatMap((node) => listBranches(node, value)).flatMap((node) => Object.keys(node.properties ?? {}));
  return keys.length === 0 ? null : [...new Set(keys)];
}

/** The branches of a union that can be meant; a source's `type` chooses among the sources. */
function listBranches(node: JsonSchema, value: unknown): readonly JsonSchema[] {
  const branches = node.anyOf ?? node.oneOf;
  if (branches === undefined) return [node];
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const chosen = branches.filter((branch) => branch.properties?.type?.const === type);
  return chosen.length === 1 ? chosen : branches;
}

function stepInto(node: JsonSchema, segment: string | number): readonly JsonSchema[] {
  if (typeof segment === 'number') return node.items === undefined ? [] : [node.items];
  const property = node.properties?.[segment];
  if (property !== undefined) return [property];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
}
