import * as z from 'zod';
import { proxySchema } from '../../base/settings/proxy.js';
import { bytes, milliseconds, orNull, secretSchema, text, urlSchema } from '../../base/settings/schema-parts.js';
import { tlsSchema } from '../../base/settings/tls.js';
import { pointer } from '../cells/column-schema.js';

/* The keys for reaching a system over HTTP. Every source that uses HTTP has the same keys. */

/** A token requested with client credentials (RFC 6749, section 4.4). */
const oauth2Schema = z
  .strictObject({
    token_url: urlSchema,
    client_id: text,
    client_secret: secretSchema,
    scope: orNull(text),
    parameters: z.record(text, z.string()).default({}),
    client_auth: z.enum(['form', 'basic', 'json']).default('form'),
    token: pointer.optional().describe('Where the token is in the answer; default /access_token.'),
  })
  .transform(({ token_url, client_id, client_secret, client_auth, token, ...rest }) => ({
    ...rest,
    tokenUrl: token_url,
    clientId: client_id,
    clientSecret: client_secret,
    /** The place for the id and the secret: the form, an Authorization header (RFC 6749, section 2.3.1), or a JSON object. */
    clientAuth: client_auth,
    ...(token === undefined ? {} : { tokenAt: token }),
  }));

export const authShape = {
  bearer: secretSchema.optional(),
  basic: z.strictObject({ username: text, password: secretSchema }).optional(),
  header: z.strictObject({ name: text, value: secretSchema }).optional(),
  oauth2: oauth2Schema.optional(),
};

const authSchema = z
  .strictObject(authShape)
  .refine((auth) => Object.values(auth).filter((one) => one !== undefined).length === 1, {
    error: 'auth is exactly one of bearer, basic, header and oauth2',
  });

export const httpAccessShape = {
  auth: authSchema.optional(),
  tls: tlsSchema.optional(),
  proxy: proxySchema.optional(),
  timeout: milliseconds.prefault('60s').describe('How long one call may take.'),
  max_answer: orNull(bytes).describe(
    'Longest response after decompression; 64MiB without it, 256MiB for a list without pages.',
  ),
};
const httpAccessSchema = z.strictObject(httpAccessShape);
export type HttpAccessInput = z.infer<typeof httpAccessSchema>;
