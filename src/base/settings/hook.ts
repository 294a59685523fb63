import * as z from 'zod';
import { HOOK_FORMS, type HookForm, hookFormOf } from '../../model/hook-forms.js';
import type { Secret } from '../secrets/secret.js';
import type { ReadSecret, YamlPath } from './resolving.js';
import { proxiesSchema, secretSchema, urlSchema } from './schema-parts.js';

/** Each request is checked with an HMAC per secret, so the number of secrets is limited. */
const MOST_SECRETS = 4;

export const hookSchema = z
  .strictObject({
    secret: secretSchema.optional().describe('The secret that the vendor signs with or sends, as { env } or { file }.'),
    secrets: z
      .array(secretSchema)
      .min(1)
      .max(MOST_SECRETS)
      .optional()
      .describe('Several secrets, to use instead of `secret` while one replaces another.'),
    form: z
      .enum(HOOK_FORMS)
      .optional()
      .describe("How the vendor proves who it is; default: the form of the source's preset, otherwise generic."),
    url: urlSchema
      .optional()
      .describe('Address that the vendor calls, if a proxy changes the host or the path; HubSpot signs it.'),
    trusted_proxies: proxiesSchema
      .optional()
      .describe(
        'Addresses and CIDR ranges of proxies whose `X-Forwarded-For` or `Forwarded` is trusted; without it, none is.',
      ),
  })
  .refine(({ secret, secrets }) => (secret === undefined) !== (secrets === undefined), {
    error: 'a hook needs either `secret` or `secrets`',
  })
  .describe('Lets the vendor signal a change to `/hooks/TENANT/SOURCE` of the daemon.');

/** The settings for a vendor's change signals. */
export interface HookSettings {
  readonly form: HookForm;
  readonly secrets: readonly Secret[];
  /** The address that the vendor calls; null to use the address in the request. */
  readonly url: string | null;
  /** Addresses and CIDR ranges of proxies that are trusted to report the caller's address. */
  readonly trustedProxies: readonly string[];
}

/** @param preset the preset of the source; null if it has none */
export function resolveHook(
  path: YamlPath,
  { secret, secrets, form, url, trusted_proxies }: z.infer<typeof hookSchema>,
  preset: string | null,
  readSecret: ReadSecret,
): HookSettings {
  return {
    form: form ?? hookFormOf(preset),
    secrets:
      secret === undefined
        ? (secrets ?? []).map((one, index) => readSecret([...path, 'secrets', index], one))
        : [readSecret([...path, 'secret'], secret)],
    url: url ?? null,
    trustedProxies: trusted_proxies ?? [],
  };
}
