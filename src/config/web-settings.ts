import * as z from 'zod';
import type { Secret } from '../base/secrets/secret.js';
import { milliseconds, orNull, proxiesSchema, secretSchema, text, urlSchema } from '../base/settings/schema-parts.js';
import { trimSlash } from '../base/settings/trim-slash.js';
import { type Grant, ROLES } from './access/roles.js';

/** The listener of the pages, the log-in and the permissions, which apply to all tenants of a daemon. */
export interface WebSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Without a trailing slash; null if the pages are reachable only from this machine. */
  readonly publicUrl: string | null;
  /** Absolute path of the folder that contains operators.db. */
  readonly state: string;
  readonly openid: OpenIdSettings | null;
  readonly proxy: ProxyLogin | null;
  /** True if personal tokens are accepted. */
  readonly tokens: boolean;
  /** Addresses of proxies that may set trusted headers. */
  readonly trustedProxies: readonly string[];
  readonly grants: readonly Grant[];
  readonly idleMs: number;
  readonly longestMs: number;
}

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** null for a public client, which uses PKCE only. */
  readonly clientSecret: Secret | null;
  readonly scopes: readonly string[];
  /** Claims that contain the identity, the name to show, and the groups. */
  readonly who: string;
  /** `required`: the provider must state that it has verified the e-mail address. */
  readonly emailVerified: 'required' | 'trusted';
  readonly name: string;
  readonly groups: string;
}

export interface ProxyLogin {
  /** Header that contains the identity of the person. */
  readonly who: string;
  /** Header that contains the groups, separated by commas; null for no groups. */
  readonly groups: string | null;
}

const header = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, { error: 'expected the name of a header, such as X-Forwarded-Email' });
const listen = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, { error: 'expected an address and a port, such as 127.0.0.1:8090' })
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
  })
  .refine(({ port }) => port <= 65_535, { error: 'expected a port up to 65535' });

const openidSchema = z.strictObject({
  issuer: urlSchema.describe('Address of the identity provider; its settings are read from /.well-known there.'),
  client_id: text,
  client_secret: secretSchema.optional().describe('Without it, the client is public.'),
  scopes: z.array(text).default(['openid', 'profile', 'email']),
  who: text.default('email').describe('Claim that names a person in the audit log.'),
  email_verified: z
    .enum(['required', 'trusted'])
    .default('required')
    .describe('trusted: accept an address if the provider does not say that it is verified.'),
  name: text.default('name').describe('Claim with the name that is shown.'),
  groups: text.default('groups').describe('Claim with the list of groups.'),
});

const grantSchema = z
  .strictObject({
    role: z
      .enum(ROLES)
      .describe(
        'viewer looks; privacy also erases people; approver also decides on pending changes; operator also starts runs, pauses the tenant and previews; previewer may only preview an edited configuration.',
      ),
    who: z.array(text).default([]).describe('People, as the log-in names them.'),
    groups: z.array(text).default([]).describe('Groups of the identity provider.'),
    tenants: z.array(text).optional().describe('Tenants, by the names of their files; by default all.'),
    pseudonyms: z.boolean().default(false).describe('People of the tenant are shown under pseudonyms.'),
  })
  .refine(({ who, groups }) => who.length + groups.length > 0, {
    error: 'a role needs `who`, `groups` or both',
  })
  .transform(({ tenants, ...grant }): Grant => ({ ...grant, tenants: tenants ?? null }));

export const webSchema = z
  .strictObject({
    listen: listen.prefault('127.0.0.1:8090').describe('Address and port of the pages.'),
    public_url: orNull(urlSchema).describe('Address that people open; links in messages use it too.'),
    state: text.describe('Folder of operators.db: log-ins and tokens.'),
    login: z
      .strictObject({
        openid: openidSchema.optional(),
        proxy: z
          .strictObject({ who: header.default('X-Forwarded-Email'), groups: orNull(header) })
          .optional()
          .describe('Log-in by a header from `trusted_proxies`, which have identified the person.'),
        tokens: z.boolean().default(true).describe('Personal tokens of `talent-sync operator add`.'),
      })
      .prefault({}),
    trusted_proxies: proxiesSchema.default([]).describe('Addresses of proxies whose headers are trusted.'),
    roles: z.array(grantSchema).default([]),
    sessions: z
      .strictObject({
        idle: milliseconds.prefault('1h').describe('A log-in ends after this time without a request.'),
        longest: milliseconds
          .prefault('12h')
          .describe('A log-in ends after this time; the next one reads the groups again.'),
      })
      .prefault({}),
  })
  .describe(
    'The operator pages. Only for a daemon: in its only configuration, or in daemon.yaml of a folder of tenants.',
  );

export type WebInput = z.output<typeof webSchema>;

interface WebSurroundings {
  /** Reads the secret at a path. */
  readonly readSecret: (path: readonly string[], secret: z.infer<typeof secretSchema>) => Secret;
  readonly toPath: (relative: string) => string;
}

export function resolveWeb(input: WebInput, { readSecret, toPath }: WebSurroundings): WebSettings {
  const { listen: at, public_url, state, login, trusted_proxies, roles, sessions } = input;
  const { openid, proxy, tokens } = login;
  return {
    ...at,
    publicUrl: public_url === null ? null : trimSlash(public_url),
    state: toPath(state),
    openid:
      openid === undefined
        ? null
        : {
            issuer: openid.issuer,
            clientId: openid.client_id,
            clientSecret:
              openid.client_secret === undefined
                ? null
                : readSecret(['web', 'login', 'openid', 'client_secret'], openid.client_secret),
            scopes: openid.scopes,
            who: openid.who,
            emailVerified: openid.email_verified,
            name: openid.name,
            groups: openid.groups,
          },
    proxy: proxy ?? null,
    tokens,
    trustedProxies: trusted_proxies,
    grants: roles,
    idleMs: sessions.idle,
    longestMs: sessions.longest,
  };
}
