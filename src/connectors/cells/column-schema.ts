import * as z from 'zod';
import { expression, text } from '../../base/settings/schema-parts.js';

export const pointer = z.string().regex(/^(\/.*)?$/, { error: 'expected a JSON pointer such as /results' });

const COLUMN_TYPES = ['string', 'int', 'number', 'bool', 'date', 'datetime', 'list', 'map'] as const;
const columnType = z.enum(COLUMN_TYPES);
const columnSchema = z.union([
  columnType,
  z.strictObject({
    type: columnType,
    optional: z.boolean().default(false).describe('An empty cell is absent: expressions read it as record.?name.'),
    format: text.optional().describe('Dates: dd.MM.yyyy, dd-MMM-yyyy, yyyy-MM-dd HH:mm; ISO 8601 without one.'),
    true: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .optional()
      .describe('The cells of a bool column that mean true.'),
    separator: text.optional().describe('What separates the items in a cell of a list column; ; without one.'),
    empty: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe('Cells that mean nothing, such as 0000-00-00, n/a or -; [] where no word does.'),
    from: pointer.optional().describe('JSON rows: pointer of the value; the name of the column without one.'),
  }),
]);
export type ColumnInput = z.infer<typeof columnSchema>;
export const columns = z
  .record(text, columnSchema)
  .refine((all) => Object.keys(all).length > 0, { error: 'no column is declared' })
  .describe('The columns expressions may use, with their types.');

export const keyColumn = text.describe('Column that identifies a record for good.');
export const prefer = expression
  .describe('Ranks several rows of one key: the greatest wins. Without it all are held.')
  .optional();
