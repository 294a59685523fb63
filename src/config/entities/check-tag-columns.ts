import { IMPORT_COLUMNS } from '../../model/import-columns.js';
import type { FieldSource } from '../config.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import type { BulkLoadConfig } from './entity-schema.js';

/** Checks that each tag column belongs to a mapped category and has a unique title. */
export function checkTagColumns(
  { tagColumns }: BulkLoadConfig,
  fields: Readonly<Record<string, FieldSource>>,
  report: ConfigProblems,
): void {
  const titles = new Map<string, string>(IMPORT_COLUMNS.map((title) => [title, 'a column of the import itself']));
  const mapped = fields.tags;
  for (const [category, title] of Object.entries(tagColumns)) {
    const path = ['users', 'bulk_load', 'tag_columns', category];
    if (typeof mapped !== 'object' || !(category in mapped)) {
      const remedy = `Add \`${category}: …\` to \`users.fields.tags\`, or remove it here.`;
      report.add(path, `the category \`${category}\` is not mapped`, remedy, 'key');
    }
    const taken = titles.get(title.trim().toLowerCase());
    if (taken !== undefined) {
      report.add(path, `"${title}" is ${taken} already`, 'Give the column the title that the import setting maps.');
    }
    titles.set(title.trim().toLowerCase(), `the column of \`${category}\``);
  }
}
