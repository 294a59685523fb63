import { z } from 'zod';
import { duration, emptySchema, expression, text, urlSchema } from '../settings/schema-parts.js';
import { sftpSchema } from '../settings/sftp-schema.js';
import { columns, pointer } from './cells/column-schema.js';
import { streamWriteBackSchema } from './crm/stream-write-back.js';
import { fileWriteBackSchema } from './drop/file-write-back-schema.js';
import { filesShape } from './drop/files-schema.js';
import { callWriteBackSchema } from './http/call-write-back-schema.js';
import { httpAccessShape } from './http/http-schema.js';
import { pushSchema } from './scim-push/push-schema.js';

const drop = text.describe('Folder the files are delivered to, or sftp://host:22/path.');
const pattern = text
  .refine((value) => !/[/\\]/.test(value), { error: 'a pattern matches file names, without a folder' })
  .describe('File names, with * and ?.');
const settle = duration.default('60s').describe('How old an unchanged file must be to count as whole.');
const separator = z.string().length(1).describe('Column separator; found out without one.');
const encoding = text.describe('UTF-8 without one; windows-1252 and others when named.');
const prefer = expression.describe('Ranks several rows of one key: the greatest wins. Without it all are held.');

const empty = emptySchema.optional();

const csvSchema = z.strictObject({
  type: z.literal('csv'),
  drop,
  sftp: sftpSchema.optional(),
  pattern,
  key: text.describe('Column that identifies a record for good.'),
  columns,
  separator: separator.optional(),
  encoding: encoding.optional(),
  settle,
  ...filesShape,
  prefer: prefer.optional(),
  empty,
  write_back: fileWriteBackSchema.optional(),
});

const scimSchema = z.strictObject({
  type: z.literal('scim'),
  base_url: urlSchema.describe('SCIM 2.0 address, up to /v2.'),
  ...httpAccessShape,
  page_size: z.int().min(1).max(1000).default(100),
  paging: z.enum(['auto', 'index', 'cursor']).default('auto'),
  filter: text.optional().describe('SCIM filter that the provider applies.'),
  attributes: z.array(text).optional(),
  excluded_attributes: z.array(text).optional(),
  memberships: z.enum(['user', 'groups']).default('user'),
  incremental: z.strictObject({ full_every: duration }).optional(),
  key: text.default('id').describe('Column that identifies a record for good.'),
  prefer: prefer.optional(),
  empty,
  write_back: callWriteBackSchema.optional(),
});

const next = z
  .union([
    z.literal('none'),
    z.strictObject({
      link: pointer.optional(),
      token: pointer.optional(),
      parameter: text.optional(),
      offset: text.optional(),
      limit: text.optional(),
      size: z.int().min(1).max(10_000).optional(),
      header: text.optional(),
    }),
  ])
  .describe('Where the next page begins; none where all rows come at once.');

const headers = z
  .record(text, z.string())
  .refine((all) => !Object.keys(all).some((name) => /^(proxy-)?authorization$|^cookie$|api-?key|token/i.test(name)), {
    error: 'a header that lets in is a secret: it belongs into `auth`',
  });

const incremental = z.strictObject({
  full_every: duration,
  modified: pointer.optional(),
  parameter: text.optional(),
  template: text
    .refine((value) => value.includes('{since}'), { error: 'expected a text with {since} in it' })
    .optional(),
  time: z.enum(['iso', 'seconds', 'milliseconds']).default('iso'),
  overlap: duration.default('10m'),
});

/** One shape for files, feeds and presets, so that a key in the wrong place is told as such; `resolve-feeds.ts` says which belongs where. */
const streamSchema = z.strictObject({
  pattern: pattern.optional(),
  path: z
    .string()
    .regex(/^\/[^?#]*$/, { error: 'expected a path such as /v1/companies; parameters go into `query`' })
    .optional(),
  object: text.optional(),
  rows: pointer.optional().describe('JSON pointer of the list of rows; the document itself without one.'),
  key: text.optional(),
  columns: columns.optional(),
  properties: z.array(text).optional(),
  filter: text.optional(),
  query: z.record(text, z.string()).optional(),
  headers: headers.optional(),
  total: pointer.optional(),
  next: next.optional(),
  deleted: z
    .union([
      pointer,
      z.strictObject({ at: pointer, is: z.array(text).min(1) }),
      z.strictObject({ when: expression.describe('True for a row whose record is deleted.') }),
    ])
    .optional(),
  incremental: incremental.optional(),
  separator: separator.optional(),
  encoding: encoding.optional(),
  settle,
  ...filesShape,
  prefer: prefer.optional(),
  empty,
  write_back: streamWriteBackSchema.optional(),
});
export type StreamInput = z.infer<typeof streamSchema>;

const crmSchema = z.strictObject({
  type: z.literal('crm'),
  drop: drop.optional(),
  sftp: sftpSchema.optional(),
  base_url: urlSchema.optional(),
  ...httpAccessShape,
  preset: z.enum(['hubspot', 'salesforce', 'dynamics']).optional(),
  streams: z.record(text, streamSchema).optional(),
});
export type CrmInput = z.infer<typeof crmSchema>;

export const sourceSchema = z.discriminatedUnion('type', [csvSchema, scimSchema, pushSchema, crmSchema]);
export type SourceInput = z.infer<typeof sourceSchema>;
