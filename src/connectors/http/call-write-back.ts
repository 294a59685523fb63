import * as z from 'zod';
import { formulas, milliseconds } from '../../base/settings/schema-parts.js';
import { type CallWriteBack, resolveFormulas } from '../write-back-config.js';

const callForm = z.strictObject({
  lapse: milliseconds
    .prefault('1d')
    .describe('If the source does not show a sent value for this long, it is sent again.'),
  formulas,
});

/** Reads the settings; `true` means the defaults. */
export const callWriteBackSchema = z
  .union([z.literal(true).transform(() => callForm.parse({})), callForm])
  .describe('Allows mappings to write to the source.');

/** The settings for writing to a stream over HTTP, including the call that changes a record. */
export const requestForm = callForm.extend({
  method: z.enum(['PATCH', 'PUT', 'POST']).optional().describe('HTTP method; default PATCH.'),
  path: z
    .string()
    .regex(/^\/[^?#]*$/, { error: 'expected a path such as /v1/companies/{key}' })
    .optional()
    .describe('Path under base_url, with {key}; default: <path of the stream>/{key}.'),
  body: z.unknown().optional().describe('JSON in which {key}, {cells} and {cells.<column>} are replaced.'),
});

export function resolveCallBasics({ lapse, formulas: kept }: z.infer<typeof callForm>): CallWriteBack {
  return { lapseMs: lapse, ...resolveFormulas(kept), request: null };
}
