import * as z from 'zod';
import { duration, formulas, text } from '../../base/settings/schema-parts.js';
import { sftpSchema } from '../../base/settings/sftp-schema.js';

/** The settings for writing back by files to a stream that is read from files. */
export const fileWriteBackSchema = z
  .strictObject({
    drop: text.optional().describe('Folder for the files, or sftp://host:22/path.'),
    sftp: sftpSchema.optional(),
    name: text.default('talent-{run}.csv').describe('File name with {run}, {date} and {time}.'),
    rows: z.enum(['changed', 'all']).default('changed').describe('The records in a file.'),
    columns: z.array(text).min(1).optional().describe('The columns of a file, in order.'),
    encoding: text.default('utf-8'),
    bom: z.boolean().default(false).describe('true: a file begins with a byte order mark.'),
    separator: z
      .string()
      .regex(/^[^"\r\n ]$/, { error: 'expected one character other than a quote, a blank or a line break' })
      .optional()
      .describe("Column separator; default: the source's own, otherwise ;."),
    manifest: z.boolean().default(false).describe('true: <name>.done (rows, sha256) is written next to each file.'),
    lapse: duration.default('7d').describe('If the source does not show a sent value for this long, it is sent again.'),
    formulas,
  })
  .describe('Allows mappings to write to the source, by files. Without this key, nothing is written back.');
export type FileWriteBackInput = z.infer<typeof fileWriteBackSchema>;
