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
  first_cell: text.describe('Text of the first cell of the last row.'),
  rows: z.int().min(2).default(2).describe('Position of the cell with the number of rows, from 1.'),
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
    .strictObject({
      percent: z
        .number()
        .min(1)
        .max(100)
        .describe('Hold the delivery if it has this many percent fewer rows than the last good one.'),
    })
    .optional(),
  max_bad_rows: z
    .string()
    .regex(/^(\d{1,2}(\.\d+)?|100)%$/, { error: 'expected a share such as 10%' })
    .optional()
    .describe('A greater share of unusable rows stops the source.'),
  parts: text
    .refine((value) => ['{drop}', '{part}', '{parts}'].every((word) => value.split(word).length === 2), {
      error: 'expected {drop}, {part} and {parts}, once each',
    })
    .optional()
    .describe('Names of the files that together form one delivery.'),
  newest: z
    .union([
      z.enum(['name', 'modified']),
      z.strictObject({ date: text.describe('Format of the date in the name, such as dd-MM-yyyy.') }),
    ])
    .optional()
    .describe('The newest of several files: by name, by time of change, or by the date in the name.'),
  after: z
    .enum(['leave', 'archive', 'delete'])
    .default('leave')
    .describe('How to treat used deliveries once a newer one has been used.'),
  rejects: text
    .refine((value) => !/[/\\]|^\.+$/.test(value), { error: 'expected the name of a folder in the drop folder' })
    .optional()
    .describe('Folder in the drop folder for a list of bad rows of each delivery.'),
  follow_links: z
    .boolean()
    .optional()
    .describe(
      'true: a delivery may be a link to a file elsewhere, so anyone who can write to the folder can choose the file.',
    ),
  stale_after: duration.optional().describe('Report a source whose content has not changed for this long.'),
  aliases: z
    .record(text, z.array(text).min(1))
    .optional()
    .describe('Other names that a CSV header may have for a column.'),
};
const files = z.object(filesShape);
export type FileRulesInput = z.infer<typeof files>;

export const drop = text.describe('Folder of the delivered files, or sftp://host:22/path.');
export const pattern = text
  .refine((value) => !/[/\\]/.test(value), { error: 'a pattern matches file names, without a folder' })
  .describe('File names, with * and ?.');

/** Keys that apply to every stream of files. */
export const fileStreamShape = {
  separator: z.string().length(1).describe('Column separator; default: detected.').optional(),
  encoding: text.describe('Encoding, such as windows-1252; default UTF-8.').optional(),
  settle: duration.default('60s').describe('How long a file must be unchanged to count as complete.'),
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
