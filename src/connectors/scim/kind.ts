import type { SourceKind } from '../kind.js';
import { resolveScim, type ScimInput, type ScimSourceConfig, scimSchema } from './resolve.js';
import { whyNotWritable } from './writable.js';

/** A source that reads users from an identity provider over SCIM 2.0. */
export const SCIM = {
  type: 'scim',
  schema: scimSchema,
  resolve: resolveScim,
  whyNotWritable,
  describeDeciding: ({ key, columns, prefer: ranked, isEndTrusted }) => ({
    key,
    columns,
    prefer: ranked,
    ...(isEndTrusted ? { end: 'trusted' } : {}),
  }),
  describeAbsence: ({ baseUrl, key, filter }) => [baseUrl, key, ...(filter === null ? [] : [filter])],
  createReader: async (name, source, context) =>
    (await import('./scim-connector.js')).createScimConnector(name, source, context),
  createWriter: async (name, source, context) =>
    source.writeBack === null ? null : (await import('./scim-writer.js')).createScimWriter(name, source, context),
} satisfies SourceKind<ScimInput, ScimSourceConfig, ScimSourceConfig>;
