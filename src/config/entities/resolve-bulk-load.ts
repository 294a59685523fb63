import { IMPORT_COLUMNS } from '../../model/import-columns.js';
import { parseDuration } from '../../settings/duration.js';
import type { BulkLoadConfig, FieldSource } from '../config.js';
import type { ConfigProblems } from '../yaml/report.js';
import type { BulkLoadInput } from './entity-schema.js';

/** Checks the tag columns: each for a category that is mapped, under a title that no other column has. */
export function resolveBulkLoad(
  input: BulkLoadInput,
  fields: Readonly<Record<string, FieldSource>>,
  report: ConfigProblems,
): BulkLoadConfig {
  const titles = new Map<string, string>(IMPORT_COLUMNS.map((title) => [title, 'a column of the import itself']));
  const mapped = fields.tags;
  for (const [category, title] of Object.entries(input.tag_columns)) {
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
  return {
    setting: input.setting,
    missing: input.missing,
    from: input.from,
    language: input.language ?? null,
    tagColumns: input.tag_columns,
    separator: input.separator,
    confirmWithinMs: parseDuration(input.confirm_within),
  };
}
