import * as z from 'zod';
import { parseDuration } from '../../settings/duration.js';
import { duration, formulas } from '../../settings/schema-parts.js';
import { type CallWriteBack, type Formulas, resolveFormulas } from '../write-back-config.js';

const USUAL_LAPSE = '1d';

/** How values are written back by calls. `true` is all of it as it is without a word. */
export const callWriteBackShape = {
  lapse: duration
    .default(USUAL_LAPSE)
    .describe('After so long without the source showing what was sent, it is sent again.'),
  formulas,
};

export const callWriteBackSchema = z
  .union([z.literal(true), z.strictObject(callWriteBackShape)])
  .describe('Mappings may write to it.');

/** Of a stream besides: which call changes a record. */
export const requestShape = {
  method: z.enum(['PATCH', 'PUT', 'POST']).optional().describe('PATCH without it.'),
  path: z
    .string()
    .regex(/^\/[^?#]*$/, { error: 'expected a path such as /v1/companies/{key}' })
    .optional()
    .describe('Path under base_url, with {key}; <path of the stream>/{key} without it.'),
  body: z.unknown().optional().describe('JSON in which {key}, {cells} and {cells.<column>} are filled.'),
};

/** How a stream over HTTP is written to. */
export const requestForm = z.strictObject({ ...callWriteBackShape, ...requestShape });
export type RequestWriteBackInput = true | z.infer<typeof requestForm>;

export function resolveCallBasics(
  input: true | { readonly lapse: string; readonly formulas: Formulas } | undefined,
): CallWriteBack | null {
  if (input === undefined) return null;
  const { lapse, formulas } = input === true ? { lapse: USUAL_LAPSE, formulas: 'hold' as const } : input;
  return { lapseMs: parseDuration(lapse), ...resolveFormulas(formulas), request: null };
}
