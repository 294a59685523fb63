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
      .describe('The cells that mean true in a bool column.'),
    separator: text.optional().describe('Separator of the items in a cell of a list column; default ;.'),
    empty: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe('Cells that count as empty, such as 0000-00-00, n/a or -; [] for none.'),
    from: pointer.optional().describe('JSON rows: pointer of the value; default: the name of the column.'),
  }),
]);
export type ColumnInput = z.infer<typeof columnSchema>;
export const columns = z
  .record(text, columnSchema)
  .refine((all) => Object.keys(all).length > 0, { error: 'no column is declared' })
  .describe('The columns that expressions may use, with their types.');

export const keyColumn = text.describe('Column that permanently identifies a record.');
export const prefer = expression
  .describe('Ranks rows with the same key; the greatest rank wins. Without this key, all these rows are held.')
  .optional();
