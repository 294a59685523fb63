import * as z from 'zod';
import { hookSchema } from '../../base/settings/hook.js';
import { duration, endSchema, expression, text, urlSchema } from '../../base/settings/schema-parts.js';
import { sftpSchema } from '../../base/settings/sftp-schema.js';
import { columns, pointer } from '../cells/column-schema.js';
import { drop, fileStreamShape, pattern } from '../drop/files-schema.js';
import { httpAccessShape } from '../http/http-schema.js';
import { streamWriteBackSchema } from './stream-write-back.js';
import { VENDOR_NAMES } from './vendors/vendors.js';

const next = z
  .union([
    z.literal('none'),
    z.strictObject({
      link: pointer.optional(),
      token: pointer.optional(),
      parameter: text.optional(),
      offset: text.optional(),
      page: text.optional(),
      first: z.int().min(0).optional(),
      limit: text.optional(),
      size: z.int().min(1).max(10_000).optional(),
      header: text.optional(),
    }),
  ])
  .describe('Where the next page begins; none if all rows come in one answer.');

const headers = z
  .record(text, z.string())
  .refine((all) => !Object.keys(all).some((name) => /^(proxy-)?authorization$|^cookie$|api-?key|token/i.test(name)), {
    error: 'a header that grants access is a secret: it belongs in `auth`',
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

/**
 * One shape for files, streams over HTTP and presets, so that a misplaced key is reported as misplaced. `stream-keys.ts`
 * lists the keys of each form.
 */
const streamSchema = z.strictObject({
  pattern: pattern.optional(),
  path: z
    .string()
    .regex(/^\/[^?#]*$/, { error: 'expected a path such as /v1/companies; parameters go into `query`' })
    .optional(),
  method: z.enum(['GET', 'POST']).optional().describe('HTTP method for a list; default GET.'),
  body: z.unknown().optional().describe('JSON body of the request for a list, by POST.'),
  detail: z
    .strictObject({
      path: z.string().regex(/^\/[^?#]*\{key\}[^?#]*$/, { error: 'expected a path such as /v1/employees/{key}' }),
      record: pointer.optional().describe('JSON pointer of the record in the answer; default: the document itself.'),
      refresh: duration.default('7d'),
    })
    .optional()
    .describe('One call per record, for values that the list does not contain.'),
  object: text.optional(),
  rows: pointer.optional().describe('JSON pointer of the list of rows; default: the document itself.'),
  key: text.optional(),
  columns: columns.optional(),
  properties: z.array(text).optional(),
  filter: text.optional(),
  query: z.record(text, z.string()).optional(),
  headers: headers.optional(),
  total: pointer.optional(),
  next: next.optional(),
  end: endSchema.optional(),
  deleted: z
    .union([
      pointer,
      z.strictObject({ at: pointer, is: z.array(text).min(1) }),
      z.strictObject({ when: expression.describe('True for a row whose record is deleted.') }),
    ])
    .optional(),
  incremental: incremental.optional(),
  ...fileStreamShape,
  write_back: streamWriteBackSchema.optional(),
});
export type StreamInput = z.infer<typeof streamSchema>;

export const crmSchema = z.strictObject({
  type: z.literal('crm'),
  drop: drop.optional(),
  sftp: sftpSchema.optional(),
  base_url: urlSchema.optional(),
  ...httpAccessShape,
  preset: z.enum(VENDOR_NAMES).optional(),
  api_version: text.optional().describe("Version of the vendor's interface, if not that of the preset."),
  streams: z.record(text, streamSchema).optional(),
  hook: hookSchema.optional(),
});
export type CrmInput = z.infer<typeof crmSchema>;
