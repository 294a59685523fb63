import * as z from 'zod';
import { Secret } from '../secrets/secret.js';
import type { ReadSecret, YamlPath } from './resolving.js';
import { secretSchema, text, urlSchema } from './schema-parts.js';

/** The proxy for connections to another system. It opens tunnels (CONNECT). */
export const proxySchema = z.strictObject({
  url: urlSchema,
  username: text.optional(),
  password: secretSchema.optional(),
});

export interface ProxySettings {
  readonly url: string;
  readonly login: { readonly username: string; readonly password: Secret } | null;
}

export function resolveProxy(
  path: YamlPath,
  { url, username, password }: z.infer<typeof proxySchema>,
  readSecret: ReadSecret,
): ProxySettings {
  if (username === undefined) return { url, login: null };
  const read = password === undefined ? new Secret('') : readSecret([...path, 'password'], password);
  return { url, login: { username, password: read } };
}
