import { parse } from 'csv-parse/sync';
import { messageOf } from '../errors.js';
import type { ImportSetting } from './fixture.js';
import { Refusal } from './route.js';

/** Column title in lower case → cell. */
export type ImportRow = Readonly<Record<string, string>>;

/** Rows of an upload. Throws a 400 where the file as a whole cannot be used (spec, CSV import: 4xx on input errors). */
export function parseImportFile(file: string, setting: ImportSetting): readonly ImportRow[] {
  const header = file.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '';
  const titles = new Set<string>();
  let rows: ImportRow[];
  try {
    rows = parse(file, {
      bom: true,
      // Comma or semicolon: whichever the header has more of.
      delimiter: header.split(';').length > header.split(',').length ? ';' : ',',
      columns: (names: string[]) => {
        const lower = names.map((name) => name.trim().toLowerCase());
        for (const name of lower) titles.add(name);
        return lower;
      },
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw new Refusal(400, `the file cannot be read: ${messageOf(error)}`);
  }
  const required = ['email'];
  if (setting.default_country === undefined) required.push('country_code');
  if (setting.default_office === undefined) required.push('office_name');
  const absent = required.filter((title) => !titles.has(title));
  if (absent.length > 0) throw new Refusal(400, `the file has no column ${absent.join(', ')}`);
  return rows;
}
