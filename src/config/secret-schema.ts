import { z } from 'zod';

const text = z.string().min(1);

/** A secret is never written down: only where it is. */
export const secretSchema = z
  .strictObject({
    env: text.optional().describe('Name of the environment variable that holds the secret.'),
    file: text.optional().describe("Path of the file that holds the secret, from the configuration's folder."),
  })
  .refine((secret) => (secret.env === undefined) !== (secret.file === undefined), {
    error: 'a secret is named by exactly one of env and file',
  });
export type SecretInput = z.infer<typeof secretSchema>;
