import { isIP } from 'node:net';
import * as z from 'zod';
import { parseDuration, parseSize } from './duration.js';

/** Used in many places of the configuration. */
export const text = z.string().min(1);
const TIME = 'expected a length of time such as 30s, 5m, 12h or 1d';
export const duration = z
  .string({ error: TIME })
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { error: TIME })
  .describe('A length of time: 30s, 5m, 12h, 1d.');
/** A limit of memory or disk space. */
const SIZE = 'expected a size such as 900KiB, 64MiB or 1GiB';
export const size = z
  .string({ error: SIZE })
  .regex(/^[1-9]\d*(KiB|MiB|GiB)$/, { error: SIZE })
  .describe('A size: 900KiB, 64MiB, 1GiB.');
/** The number of milliseconds or bytes. Set a default before the conversion, with `prefault`. */
export const milliseconds = duration.transform(parseDuration);
export const bytes = size.transform(parseSize);
/** An optional value; null if it is omitted. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}
/** A duration below one day most likely has the wrong unit. */
export const atLeastADay = duration.refine((text) => parseDuration(text) >= 86_400_000, {
  error: 'expected at least 1d',
});
export const count = z.int().min(0);
export const expression = text.describe('A CEL expression.');
/** How a write-back treats values that look like a formula. */
export const formulas = z
  .enum(['hold', 'write'])
  .default('hold')
  .describe('hold: a value that a spreadsheet would run is held; write: it is written unchanged.');

export const secretSchema = z
  .strictObject({
    env: text
      .regex(/^[A-Za-z_]\w*$/, { error: 'this is not a valid name for an environment variable' })
      .optional()
      .describe('Name of the environment variable that holds the secret.'),
    file: text.optional().describe("Path of the file that holds the secret, from the configuration's folder."),
  })
  .refine(({ env, file }) => env === undefined || file === undefined, {
    error: 'a secret is named by `env` or by `file`, not by both',
  })
  .refine(({ env, file }) => env !== undefined || file !== undefined, { error: 'a secret needs `env` or `file`' });
export type SecretInput = z.infer<typeof secretSchema>;

export const urlSchema = z.string().regex(/^https?:\/\/[^\s/@]+(\/[^\s?#]*)?$/, {
  error: 'expected an address such as https://acme.example.com, without user name, password or query',
});

/** For a stream that may be complete without any rows. */
export const emptySchema = z
  .literal('allowed')
  .describe('Allows reads without rows. By default, such a read proves nothing and changes the exit code.');

/** For a list that only the other system can confirm as complete. */
export const endSchema = z
  .literal('trusted')
  .describe('Trusts the end of the list. By default, a possibly truncated list does not prove that anyone is missing.');

/** Addresses and CIDR ranges of proxies that are trusted to report the caller's address. */
export const proxiesSchema = z.array(
  z.string().refine(isRange, { error: 'expected an address or a range such as 10.0.0.0/8' }),
);

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return (
    most !== undefined && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}
