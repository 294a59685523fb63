import * as z from 'zod';
import { ENTITIES, type Entity } from '../model/entity.js';
import { FIELDS, type Field } from '../model/fields.js';
import { configSchema } from './schema.js';

/** A JSON Schema node with the keywords that this module uses. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** Builds the schema of the configuration for editors; `npm run schema` writes it to `config/talent-sync.schema.json`. */
export function buildJsonSchema(): JsonSchema {
  // The conversion through text drops the library's hidden members.
  const schema = JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }))) as JsonSchema;
  return shareRepeated({ title: 'talent-sync configuration', ...nameFields(schema) });
}

/** Inserts the fields of an entity in place of the mark in the schema. */
function nameFields(node: JsonSchema): JsonSchema {
  const { fieldsOf, propertyNames, ...rest } = node;
  if (!isEntity(fieldsOf)) return mapParts(node, nameFields);
  const fields = Object.entries(FIELDS[fieldsOf]).map(([name, field]) => [name, buildField(field)] as const);
  return { ...rest, properties: Object.fromEntries(fields), additionalProperties: false };
}

function isEntity(name: unknown): name is Entity {
  return ENTITIES.some((entity) => entity === name);
}

/** A part shorter than this saves nothing compared with a reference to it. */
const SHORTEST_SHARED = 100;

/** Moves repeated parts to `$defs`. Each gets the name of the key under which it first occurs. */
function shareRepeated(schema: JsonSchema): JsonSchema {
  const uses = new Map<string, number>();
  const count = (node: JsonSchema): JsonSchema => {
    const text = JSON.stringify(node);
    const before = uses.get(text) ?? 0;
    uses.set(text, before + 1);
    return before === 0 ? mapParts(node, count) : node;
  };
  count(schema);
  const shared = new Map<string, string>();
  const $defs: Record<string, JsonSchema> = {};
  const share = (node: JsonSchema, key: string): JsonSchema => {
    const text = JSON.stringify(node);
    if (text.length < SHORTEST_SHARED || (uses.get(text) ?? 0) < 2) return mapParts(node, share, key);
    const name = shared.get(text) ?? findFreeName(key, $defs);
    if (!shared.has(text)) {
      shared.set(text, name);
      // Reserves the name before the parts inside are processed.
      $defs[name] = {};
      $defs[name] = mapParts(node, share, key);
    }
    return { $ref: `#/$defs/${name}` };
  };
  return { ...share(schema, ''), $defs };
}

function findFreeName(key: string, taken: object): string {
  let name = key;
  for (let number = 2; name in taken; number++) name = `${key}_${number}`;
  return name;
}

/** Applies a function to every schema inside a node. `key` is the key of the node. */
function mapParts(node: JsonSchema, map: (part: JsonSchema, key: string) => JsonSchema, key = ''): JsonSchema {
  const { properties, additionalProperties, items, anyOf, oneOf } = node;
  const each = (part: JsonSchema): JsonSchema => map(part, key);
  return {
    ...node,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, map(part, name)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: each(additionalProperties) }),
    ...(items && { items: each(items) }),
    ...(anyOf && { anyOf: anyOf.map(each) }),
    ...(oneOf && { oneOf: oneOf.map(each) }),
  };
}

const EXPRESSION: JsonSchema = { type: 'string', minLength: 1, description: 'A CEL expression.' };
const RULES: Readonly<Record<string, JsonSchema>> = {
  apply: { enum: ['always', 'create', 'empty'], description: 'When the field is written; default always.' },
  when_empty: { enum: ['keep', 'clear'], description: 'Meaning of an empty source value; default keep.' },
  authority: {
    enum: ['source', 'service', 'newest'],
    description: 'Side that owns the field; default source.',
  },
  write_back: {
    description: "Writes the service's value back to the source: true for a plain column, otherwise the keys below.",
    anyOf: [
      { type: 'boolean' },
      object(
        {
          column: { type: 'string', description: 'The column that gets the value.' },
          value: { type: 'string', description: "CEL over the service's object; by default the field's own value." },
          source: { type: 'string', description: 'Source of the column, if several have one.' },
          when_empty: {
            enum: ['keep', 'clear'],
            description: 'Meaning of an empty value in the service; default keep.',
          },
        },
        { required: ['column'], additionalProperties: false },
      ),
    ],
  },
};

/** A single expression counts as English. */
const TEXTS: JsonSchema = {
  anyOf: [
    EXPRESSION,
    object({}, { propertyNames: { pattern: '^[a-z]{2}$' }, additionalProperties: EXPRESSION, minProperties: 1 }),
  ],
};
const ENTRY: JsonSchema = object({ label: TEXTS, value: TEXTS }, { required: ['value'], additionalProperties: false });
const CUSTOM_VALUE: JsonSchema = {
  anyOf: [
    EXPRESSION,
    ...[
      { amount: EXPRESSION, currency: EXPRESSION },
      { amount: EXPRESSION, unit: EXPRESSION },
    ].map((parts) => object(parts, { required: ['amount'], additionalProperties: false })),
    object({ from: EXPRESSION, to: EXPRESSION }, { minProperties: 1, additionalProperties: false }),
  ],
};
const CUSTOM_FIELD: JsonSchema = {
  anyOf: [
    CUSTOM_VALUE,
    object(
      { value: CUSTOM_VALUE, ...RULES, sensitivity: EXPRESSION, anonymized: TEXTS },
      { required: ['value'], additionalProperties: false },
    ),
  ],
};

const LANGUAGES = object({}, { propertyNames: { pattern: '^[a-z]{2}$' }, additionalProperties: orRuled(EXPRESSION) });

function buildField(field: Field): JsonSchema {
  switch (field.shape) {
    case 'multilingual':
    case 'roles':
      return orRuled(
        field.plainLanguage === undefined ? LANGUAGES : { anyOf: [EXPRESSION, LANGUAGES] },
        'Language → expression.',
      );
    case 'tags':
      return orRuled(
        object({}, { additionalProperties: orRuled(EXPRESSION) }),
        'External id of the category → expression that returns the external id of the tag.',
      );
    case 'tag_sets':
      return orRuled(
        object({}, { additionalProperties: orRuled(EXPRESSION) }),
        'External id of the category → expression that returns the external id of a tag, or a list of them.',
      );
    case 'entries':
      return orRuled(
        { anyOf: [EXPRESSION, { type: 'array', minItems: 1, items: { anyOf: [TEXTS, ENTRY] } }] },
        'An expression that returns a list, or a list of texts, each in its languages.',
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

function object(properties: Readonly<Record<string, JsonSchema>>, rest: JsonSchema): JsonSchema {
  return { type: 'object', properties: { ...properties }, ...rest };
}

function orRuled(value: JsonSchema, description?: string): JsonSchema {
  const ruled = object({ value, ...RULES }, { required: ['value'], additionalProperties: false });
  return { ...(description === undefined ? {} : { description }), anyOf: [value, ruled] };
}
