import * as z from 'zod';
import type { Secret } from '../../base/secrets/secret.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import { emptySchema, proxiesSchema, secretSchema } from '../../base/settings/schema-parts.js';
import { trimSlash } from '../../base/settings/trim-slash.js';
import type { Columns } from '../../model/column.js';
import { type ColumnInput, columns, keyColumn, prefer } from '../cells/column-schema.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import { SCIM_COLUMNS } from '../scim-protocol/columns.js';

export const pushSchema = z.strictObject({
  type: z.literal('scim-push'),
  tokens: z
    .array(secretSchema)
    .min(1)
    .describe('Bearer tokens that clients may use, each as { env } or { file }. List two while you replace a token.'),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s/@]+(\/[^\s?#]*)?$/, {
      error: 'expected an address such as https://sync.example.com/scim/v2/idp, without user name, password or query',
    })
    .optional()
    .describe('Address at which clients reach the source, if a proxy is in front of the daemon.'),
  trusted_proxies: proxiesSchema
    .optional()
    .describe(
      'Addresses and CIDR ranges of proxies whose `X-Forwarded-For` or `Forwarded` is trusted; without it, none is.',
    ),
  key: keyColumn.default('id'),
  columns: columns.optional().describe('Additional columns, for extensions or for attributes without a column.'),
  prefer,
  empty: emptySchema.optional(),
});
export type PushInput = z.infer<typeof pushSchema>;

/** A source that receives people from identity providers over SCIM 2.0. */
export type PushSourceConfig = Readonly<ReturnType<typeof resolvePush>>;

export function resolvePush(path: YamlPath, input: PushInput, { readSecret, report }: Resolving) {
  checkKey([...path, 'key'], { key: input.key, columns: SCIM_COLUMNS, mayBeOptional: true }, report);
  const tokens: readonly Secret[] = input.tokens.map((token, index) => readSecret([...path, 'tokens', index], token));
  const trustedProxies: readonly string[] = input.trusted_proxies ?? [];
  return {
    type: 'scim-push' as const,
    tokens,
    /** The address without a trailing slash; null for the address in the client's request. */
    baseUrl: input.base_url === undefined ? null : trimSlash(input.base_url),
    /** Addresses and CIDR ranges of proxies that are trusted to report the client's address. */
    trustedProxies,
    columns: addColumns([...path, 'columns'], input.columns ?? {}, report),
    key: input.key,
    prefer: input.prefer ?? null,
    mayBeEmpty: input.empty === 'allowed',
    writeBack: null,
  };
}

/** Adds columns to the default columns of a SCIM source, which cannot be declared again. */
function addColumns(path: YamlPath, inputs: Readonly<Record<string, ColumnInput>>, report: ProblemSink): Columns {
  for (const name of Object.keys(inputs).filter((one) => Object.hasOwn(SCIM_COLUMNS, one))) {
    const message = `\`${name}\` is a column of every SCIM source`;
    report.add([...path, name], message, 'Give your column another name.', 'key');
  }
  return { ...resolveColumns(path, inputs, report), ...SCIM_COLUMNS };
}
