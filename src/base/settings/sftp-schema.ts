import * as z from 'zod';
import { duration, secretSchema, text } from './schema-parts.js';

const hostKey = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, {
  error:
    'expected a fingerprint such as SHA256:… with 43 characters, as `talent-sync check` and ssh-keygen -lf show it',
});

/** The login for a `drop` that is an address. */
export const sftpSchema = z
  .strictObject({
    username: text,
    password: secretSchema.optional(),
    private_key: secretSchema.optional().describe('OpenSSH or PEM.'),
    passphrase: secretSchema.optional().describe('Passphrase of the private key.'),
    host_key: z
      .union([hostKey, z.array(hostKey).min(1)])
      .optional()
      .describe(
        'Fingerprint of the server, or a list of fingerprints. Without one, nothing is read, and `check` shows the fingerprint.',
      ),
    timeout: duration.default('30s').describe('How long the server may take to answer.'),
  })
  .refine((sftp) => (sftp.password === undefined) !== (sftp.private_key === undefined), {
    error: 'sftp has exactly one of password and private_key',
  })
  .refine((sftp) => sftp.passphrase === undefined || sftp.private_key !== undefined, {
    error: 'a passphrase belongs to a private_key',
  });
export type SftpInput = z.infer<typeof sftpSchema>;
