import * as z from 'zod';
import { duration, formulas, text } from '../../base/settings/schema-parts.js';
import { sftpSchema } from '../../base/settings/sftp-schema.js';

/** How a stream that is read from files is written back to: also by files. */
export const fileWriteBackSchema = z
  .strictObject({
    drop: text.optional().describe('Folder the files go to, or sftp://host:22/path.'),
    sftp: sftpSchema.optional(),
    name: text.default('talent-{run}.csv').describe('File name with {run}, {date} and {time}.'),
    rows: z.enum(['changed', 'all']).default('changed').describe('Which records a file has.'),
    columns: z.array(text).min(1).optional().describe('The columns of a file, in their order.'),
    encoding: text.default('utf-8'),
    bom: z.boolean().default(false).describe('Whether a file begins with a byte order mark.'),
    separator: z
      .string()
      .regex(/^[^"\r\n ]$/, { error: 'expected one character that is no quote, no blank and no line break' })
      .optional()
      .describe("Column separator; the source's own, else ;."),
    manifest: z.boolean().default(false).describe('Whether <name>.done (rows, sha256) is written beside each file.'),
    lapse: duration.default('7d').describe('After so long without the source showing what was sent, it is sent again.'),
    formulas,
  })
  .describe('Lets values be written back to the source, by files. Without it nothing ever is.');
export type FileWriteBackInput = z.infer<typeof fileWriteBackSchema>;
