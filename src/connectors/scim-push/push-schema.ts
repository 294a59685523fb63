import { z } from 'zod';
import { emptySchema, secretSchema } from '../../settings/schema-parts.js';
import { columns } from '../cells/column-schema.js';

/** A source that an identity provider pushes into, over SCIM 2.0. */
export const pushSchema = z.strictObject({
  type: z.literal('scim-push'),
  tokens: z
    .array(secretSchema)
    .min(1)
    .describe(
      'Bearer tokens that let a client in, each as { env } or { file }; several while one takes over from another.',
    ),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s/@]+(\/[^\s?#]*)?$/, {
      error: 'expected an address such as https://sync.example.com/scim/v2/idp, without user name, password or query',
    })
    .optional()
    .describe('Address under which clients reach it, where a proxy stands before the daemon.'),
  trusted_proxies: z
    .array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
        error: 'expected an address or a range such as 10.0.0.0/8',
      }),
    )
    .optional()
    .describe(
      'Addresses and CIDR ranges of proxies whose `X-Forwarded-For` or `Forwarded` is believed; nobody’s without it.',
    ),
  key: z.string().min(1).default('id').describe('Column that identifies a record for good.'),
  columns: columns.optional().describe('More columns: of extensions, or of attributes without a column.'),
  prefer: z
    .string()
    .min(1)
    .optional()
    .describe('Ranks several rows of one key: the greatest wins. Without it all are held.'),
  empty: emptySchema.optional(),
});
export type PushSourceInput = z.infer<typeof pushSchema>;
