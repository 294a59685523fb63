import * as z from 'zod';
import { duration, emptySchema, text } from '../../base/settings/schema-parts.js';
import { columns, keyColumn, prefer } from '../cells/column-schema.js';
import { fileWriteBackSchema } from './file-write-back-schema.js';

const pointer = z.string().regex(/^\/.+$/, { error: 'expected a JSON pointer such as /rows' });

const manifestSchema = z
  .strictObject({
    pattern: text
      .refine((value) => /\{(file|stem)\}/.test(value) && !/[/\\]/.test(value), {
        error: 'expected a file name with {file} or {stem} in it',
      })
      .describe('Name of the manifest: {file} is the name of the delivery, {stem} the same without its ending.'),
    rows: pointer.optional().describe('JSON pointer of the number of rows.'),
    sha256: pointer.optional().describe("JSON pointer of the file's SHA-256, in hex."),
  })
  .refine((manifest) => manifest.rows !== undefined || manifest.sha256 !== undefined, {
    error: 'a manifest has rows or sha256, or both',
  });

const trailerSchema = z.strictObject({
  first_cell: text.describe('What the first cell of the last row says.'),
  rows: z.int().min(2).default(2).describe('Which cell of it, from 1, has the number of rows.'),
});

/** Keys that apply to every kind of delivered file. */
export const filesShape = {
  manifest: manifestSchema.optional(),
  trailer: trailerSchema.optional(),
  footer: z
    .literal('auto')
    .optional()
    .describe('auto: lines below the rows of a CSV report (totals, a copyright, who printed it) are not read as rows.'),
  shrink: z
    .strictObject({ percent: z.number().min(1).max(100).describe('So much less than the last good delivery.') })
    .optional(),
  max_bad_rows: z
    .string()
    .regex(/^(\d{1,2}(\.\d+)?|100)%$/, { error: 'expected a share such as 10%' })
    .optional()
    .describe('A greater share of rows that cannot be used stops the source.'),
  parts: text
    .refine((value) => ['{drop}', '{part}', '{parts}'].every((word) => value.split(word).length === 2), {
      error: 'expected {drop}, {part} and {parts}, once each',
    })
    .optional()
    .describe('Names of the files that are one delivery together.'),
  newest: z
    .union([
      z.enum(['name', 'modified']),
      z.strictObject({ date: text.describe('How the date in the name is written, such as dd-MM-yyyy.') }),
    ])
    .optional()
    .describe('Which of several files is the newest: the last name, the one changed last, or by the date in its name.'),
  after: z
    .enum(['leave', 'archive', 'delete'])
    .default('leave')
    .describe('What becomes of deliveries that were used, once a newer one has been.'),
  rejects: text
    .refine((value) => !/[/\\]|^\.+$/.test(value), { error: 'expected the name of a folder in the drop folder' })
    .optional()
    .describe('Folder in the drop folder for a list of bad rows of each delivery.'),
  follow_links: z
    .boolean()
    .optional()
    .describe('true: a delivery may be a link to a file that is elsewhere; who may write in the folder chooses which.'),
  stale_after: duration.optional().describe('The same content for longer than this is reported.'),
  aliases: z
    .record(text, z.array(text).min(1))
    .optional()
    .describe('Other names that a CSV header may have for a column.'),
};
const files = z.object(filesShape);
export type FileRulesInput = z.infer<typeof files>;

export const drop = text.describe('Folder the files are delivered to, or sftp://host:22/path.');
export const pattern = text
  .refine((value) => !/[/\\]/.test(value), { error: 'a pattern matches file names, without a folder' })
  .describe('File names, with * and ?.');

/** Keys of any stream of files. */
export const fileStreamShape = {
  separator: z.string().length(1).describe('Column separator; found out without one.').optional(),
  encoding: text.describe('UTF-8 without one; windows-1252 and others when named.').optional(),
  settle: duration.default('60s').describe('How old an unchanged file must be to count as whole.'),
  ...filesShape,
  prefer,
  empty: emptySchema.optional(),
};
const stream = z.object({
  ...fileStreamShape,
  pattern,
  key: keyColumn,
  columns,
  write_back: fileWriteBackSchema.optional(),
});
export type FileStreamInput = z.infer<typeof stream>;
