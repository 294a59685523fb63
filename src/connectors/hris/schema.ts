import * as z from 'zod';
import { hookSchema } from '../../base/settings/hook.js';
import { duration, emptySchema, endSchema, secretSchema, text, urlSchema } from '../../base/settings/schema-parts.js';
import { columns, keyColumn, prefer } from '../cells/column-schema.js';
import { callWriteBackSchema } from '../http/call-write-back.js';
import { authShape, httpAccessShape } from '../http/http-schema.js';
import { LOGIN_PARTS, type LoginPart } from './vendor.js';
import { PEOPLE_VENDOR_NAMES } from './vendors.js';

const loginPart = z.union([text, secretSchema]).optional();
const loginShape = Object.fromEntries(LOGIN_PARTS.map((part) => [part, loginPart])) as Record<
  LoginPart,
  typeof loginPart
>;

export const hrisSchema = z.strictObject({
  type: z.literal('hris'),
  preset: z.enum(PEOPLE_VENDOR_NAMES).describe('The system, which determines addresses, columns, paging and login.'),
  base_url: urlSchema.optional().describe('Required if each customer has its own address.'),
  ...httpAccessShape,
  auth: z.strictObject({ ...loginShape, ...authShape }).describe('The login data from the vendor.'),
  key: keyColumn.optional(),
  columns: columns
    .optional()
    .describe('More columns, such as custom fields; `from` specifies where they are in a record.'),
  filter: text.optional(),
  prefer,
  empty: emptySchema.optional(),
  end: endSchema.optional(),
  incremental: z
    .strictObject({ full_every: duration.default('24h'), overlap: duration.default('10m') })
    .optional()
    .describe(
      'Between complete reads, only changes are requested, if the vendor provides them; `full_every: 0h`: never.',
    ),
  write_back: callWriteBackSchema.optional(),
  hook: hookSchema.optional(),
});
export type HrisInput = z.infer<typeof hrisSchema>;
