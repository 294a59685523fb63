import * as z from 'zod';
import { duration, secretSchema, size, text, urlSchema } from '../../settings/schema-parts.js';

/* How a system is reached over HTTP: the same keys for every source that is. */

const authSchema = z
  .strictObject({
    bearer: secretSchema.optional(),
    basic: z.strictObject({ username: text, password: secretSchema }).optional(),
    header: z.strictObject({ name: text, value: secretSchema }).optional(),
    oauth2: z
      .strictObject({
        token_url: urlSchema,
        client_id: text,
        client_secret: secretSchema,
        scope: text.optional(),
        parameters: z.record(text, z.string()).default({}),
        client_auth: z.enum(['form', 'basic']).default('form'),
      })
      .optional(),
  })
  .refine((auth) => Object.values(auth).filter((one) => one !== undefined).length === 1, {
    error: 'auth is exactly one of bearer, basic, header and oauth2',
  });

const tlsSchema = z
  .strictObject({
    ca: text.optional().describe('PEM file of a private authority, trusted instead of the public ones.'),
    cert: text.optional().describe('PEM file of the certificate that is shown to the server.'),
    key: text.optional().describe('PEM file of its key.'),
    passphrase: secretSchema.optional(),
  })
  .refine((tls) => (tls.cert === undefined) === (tls.key === undefined), {
    error: 'a client certificate needs both cert and key',
  });

const proxySchema = z.strictObject({
  url: urlSchema,
  username: text.optional(),
  password: secretSchema.optional(),
});

export const httpAccessShape = {
  auth: authSchema.optional(),
  tls: tlsSchema.optional(),
  proxy: proxySchema.optional(),
  timeout: duration.default('60s').describe('How long one call may take.'),
  max_answer: size
    .optional()
    .describe('How long one answer may be after decompression; 64MiB without it, 256MiB for a list that has no pages.'),
};

const httpAccessSchema = z.strictObject(httpAccessShape);
export type HttpAccessInput = z.infer<typeof httpAccessSchema>;
