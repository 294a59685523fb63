import * as z from 'zod';
import type { Route } from '../../calls/call.js';
import { PART_TYPES, PARTS, SECTION_TYPES, SECTIONS } from '../../fields/section-kinds.js';
import { ENTRIES, ENTRY_KINDS } from '../../store/project-documents.js';
import { CVS } from './cv-operations.js';
import { Cv, CvMetadata, CvPreview, CvSearchPage, nameSchema, PART_SCHEMAS, SECTION_SCHEMAS } from './cv-schemas.js';
import { OPENAPI_FORMS, type OpenApiForm, type OpenApiPart } from './openapi-form.js';
import type { OperationGroup, ServiceOperation } from './operation.js';
import { CUSTOMERS, PROJECTS } from './project-operations.js';
import * as projects from './project-schemas.js';
import * as proposals from './proposal-operations.js';
import { Picture, Texts } from './shapes.js';
import * as tags from './tag-operations.js';
import * as users from './user-operations.js';

const GROUPS: readonly OperationGroup[] = [
  users.USERS,
  users.COUNTRIES,
  tags.TAGS,
  CVS,
  CUSTOMERS,
  PROJECTS,
  proposals.PROPOSALS,
  proposals.REPORTS,
  proposals.DOCUMENTS,
];

const Refused = z.looseObject({ error: z.string(), errors: z.array(z.string()) });

/** Schemas with names, which become type names in generated clients. All other schemas are inlined. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Texts,
  Picture,
  Refused,
  User: users.User,
  ScopedUser: users.ScopedUser,
  ImportTask: users.ImportTask,
  Office: users.Office,
  Country: users.Country,
  Tag: tags.Tag,
  TagCategory: tags.TagCategory,
  RecordTag: tags.RecordTag,
  SkillMasterdata: tags.SkillMasterdata,
  Cv,
  CvPreview,
  CvSearchPage,
  CvMetadata,
  ...Object.fromEntries(SECTION_TYPES.map((type) => [nameSchema(SECTIONS[type].wrapper), SECTION_SCHEMAS[type]])),
  ...Object.fromEntries(PART_TYPES.map((type) => [nameSchema(PARTS[type].wrapper), PART_SCHEMAS[type]])),
  Industry: projects.Industry,
  Customer: projects.Customer,
  CustomerPage: projects.CustomerPage,
  ...Object.fromEntries(ENTRY_KINDS.map((kind) => [nameSchema(ENTRIES[kind].wrapper), projects.ENTRY_SCHEMAS[kind]])),
  Owner: projects.Owner,
  Attachment: projects.Attachment,
  Project: projects.Project,
  ProjectPreview: projects.ProjectPreview,
  ProjectSearchPage: projects.ProjectSearchPage,
  UpdatedCvs: projects.UpdatedCvs,
  Proposal: proposals.Proposal,
  Collaborators: proposals.Collaborators,
  TailoredCv: proposals.TailoredCv,
  TailoredReference: proposals.TailoredReference,
  CvReport: proposals.CvReport,
  ReferenceReport: proposals.ReferenceReport,
};

/** Returns `METHOD path` → operation, for the test that compares the operations with the routes. */
export function listOperations(): ReadonlyMap<string, ServiceOperation & { readonly tag: string }> {
  return new Map(
    GROUPS.flatMap(({ tag, operations }) =>
      Object.entries(operations).map(([place, operation]) => [place, { ...operation, tag }] as const),
    ),
  );
}

/** Builds the OpenAPI document of the service, with one operation per route. */
export function buildOpenApi(
  routes: readonly Pick<Route, 'method' | 'path'>[],
  form: OpenApiForm = OPENAPI_FORMS['3.1'],
): OpenApiPart {
  const operations = listOperations();
  const schemas = createSchemas([...operations.values()], form);
  const paths: Record<string, Record<string, OpenApiPart>> = {};
  for (const { method, path } of routes) {
    const operation = operations.get(`${method} ${path}`);
    if (operation === undefined) continue;
    const place = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[place] ??= {};
    paths[place][method.toLowerCase()] = describeOperation(operation, path, schemas);
  }
  return {
    openapi: form.openapi,
    info: {
      title: 'Talent service',
      version: '1',
      description:
        'Profiles, CVs and reference projects of a consultancy. Operations marked `x-beyond-the-interface` are served in addition to the documented interface.',
      license: form.license,
    },
    servers: [{ url: '/', description: 'The server that provides this document' }],
    security: [{ key: [] }],
    tags: GROUPS.map(({ tag: name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key of the account.' } },
      parameters: { UseLegacyCodes: { ...USE_LEGACY_CODES, schema: form.flag } },
      headers: { RequestId: { description: 'Identifies the request.', schema: { type: 'string' } } },
      responses: { Refused: REFUSED },
    },
  };
}

const USE_LEGACY_CODES = {
  name: 'use_legacy_codes',
  in: 'query',
  description:
    '`false` selects ISO 639-1 language codes. Any other value, or none, selects legacy codes: `int` for English, `se` for Swedish.',
};

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const REFUSED = {
  description: 'The call was rejected. The `retry-after` of a 429 says when to try again.',
  headers: REQUEST_ID,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
};

interface OpenApiSchemas {
  readonly form: OpenApiForm;
  readonly components: OpenApiPart;
  of(schema: z.ZodType): OpenApiPart;
}

/** Builds the JSON Schemas of all operations. Schemas with names become components; the others are inlined. */
function createSchemas(operations: readonly ServiceOperation[], form: OpenApiForm): OpenApiSchemas {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  for (const [name, schema] of Object.entries(COMPONENTS)) {
    registry.add(schema, { id: name });
    names.set(schema, name);
  }
  const unnamed = new Map<z.ZodType, string>();
  for (const { body, answer } of operations) {
    for (const schema of [body, answer]) {
      if (!(schema instanceof z.ZodType) || names.has(schema) || unnamed.has(schema)) continue;
      unnamed.set(schema, `unnamed ${unnamed.size}`);
      registry.add(schema, { id: unnamed.get(schema) ?? '' });
    }
  }
  const { schemas } = z.toJSONSchema(registry, { ...form.schemas, uri: (name) => `#/components/schemas/${name}` });
  const written = (name: string): OpenApiPart => stripHead(schemas[name] ?? {});
  return {
    form,
    components: Object.fromEntries(Object.keys(COMPONENTS).map((name) => [name, written(name)])),
    of(schema: z.ZodType): OpenApiPart {
      const name = names.get(schema);
      if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
      return written(unnamed.get(schema) ?? '');
    },
  };
}

function stripHead({ $schema: _, $id: __, id: ___, ...schema }: OpenApiPart): OpenApiPart {
  return schema;
}

function describeOperation(
  { id, tag, summary, query = {}, needs = [], body, answer, isBeyond }: ServiceOperation & { readonly tag: string },
  path: string,
  { form, of: schemaOf }: OpenApiSchemas,
): OpenApiPart {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, schema: PATH_PARAMETERS[name] ?? { type: 'string' } };
  });
  const inQuery = Object.entries(query).map(([name, schema]) => {
    return {
      name,
      in: 'query',
      required: needs.includes(name),
      schema:
        schema instanceof z.ZodBoolean ? form.flag : stripHead(z.toJSONSchema(schema, form.schemas) as OpenApiPart),
    };
  });
  const hasCodes = answer instanceof z.ZodType || path.includes('/:language_code/');
  const withCodes = hasCodes ? [{ $ref: '#/components/parameters/UseLegacyCodes' }] : [];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(isBeyond ? { 'x-beyond-the-interface': true } : {}),
    // A signed link grants access itself.
    ...(path.startsWith('/files/') ? { security: [] } : {}),
    parameters: [...inPath, ...inQuery, ...withCodes],
    ...(body === undefined ? {} : { requestBody: { required: true, content: describeBody(body, schemaOf) } }),
    responses: { ...describeAnswer(answer, schemaOf), '4XX': { $ref: '#/components/responses/Refused' } },
  };
}

const PATH_PARAMETERS: Readonly<Record<string, OpenApiPart>> = {
  section_type: { type: 'string', enum: SECTION_TYPES },
  filetype: { type: 'string', enum: ['pdf', 'docx', 'pptx'] },
  collaborator_type: { type: 'string', enum: ['user', 'api_user'] },
};

const UPLOAD = { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] };

function describeBody(
  body: NonNullable<ServiceOperation['body']>,
  schemaOf: (schema: z.ZodType) => OpenApiPart,
): OpenApiPart {
  if (body === 'text/csv') return { 'text/csv': { schema: { type: 'string' } } };
  if (body === 'multipart/form-data') return { 'multipart/form-data': { schema: UPLOAD } };
  return { 'application/json': { schema: schemaOf(body) } };
}

function describeAnswer(answer: ServiceOperation['answer'], schemaOf: (schema: z.ZodType) => OpenApiPart): OpenApiPart {
  const headers = REQUEST_ID;
  if (answer === 'nothing') return { 204: { description: 'Done.', headers } };
  if (answer === 'redirect') return { 302: { description: 'The address is in `location`.', headers } };
  if (answer === 'file') {
    const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    return { 200: { description: 'The file; `content-type` has its type.', headers, content } };
  }
  return { 200: { description: 'Done.', headers, content: { 'application/json': { schema: schemaOf(answer) } } } };
}
