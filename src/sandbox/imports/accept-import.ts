import { parse } from 'csv-parse/sync';
import { messageOf } from '../../base/errors.js';
import { ImportSetting } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { requireAdministrator } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { readFlagParameter } from '../fields/values.js';
import type { ImportDocument } from '../store/documents.js';
import { createId } from '../store/store.js';

/** Accepts an import. The response only says that the file arrived and the import started (spec, CSV import). */
export function postImport(call: Call): object {
  const { world, params, query, contentType, bytes } = call;
  requireAdministrator(call.key);
  const { config_name: config = '' } = params;
  requireImportSetting(world, config);
  if (contentType !== 'text/csv') refuse(415, 'Content-Type must be text/csv');
  // Any other value is an error, because a client that requested a dry run must not get a real import.
  const isDry = readFlagParameter(query, 'dry_run');
  if (isDry === undefined && query.dry_run !== undefined) refuse(400, 'dry_run must be true or false');
  const { id, dry_run } = acceptImport(world, config, decodeFile(bytes), isDry ?? false);
  return { import_task: id, dry_run };
}

/** Returns an import setting. `default` always exists; the fixture may change it. */
export function requireImportSetting({ account: { imports } }: World, config: string): ImportSetting {
  const setting = Object.hasOwn(imports, config) ? imports[config] : undefined;
  if (setting) return setting;
  if (config !== 'default') refuse(404, `import setting ${config} is not known`);
  return ImportSetting.parse({});
}

/** Stores an uploaded file, which is processed later. */
export function acceptImport(world: World, config: string, file: string, dry_run: boolean): ImportDocument {
  const setting = requireImportSetting(world, config);
  parseImportFile(file, setting);
  const task = world.store.imports.put({
    id: createId(),
    config,
    dry_run,
    file,
    state: 'waiting',
    created: 0,
    updated: 0,
    deactivated: 0,
    problems: [],
  });
  world.scheduleImport(task.id, setting.delay_ms);
  return task;
}

export function decodeFile(bytes: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? Buffer.alloc(0));
  } catch {
    return refuse(400, 'the file is not UTF-8');
  }
}

/** Column title in lower case → cell. */
export type ImportRow = Readonly<Record<string, string>>;

/** Parses the rows of an upload. Throws 400 if the file is unusable (spec, CSV import: 4xx on input errors). */
export function parseImportFile(file: string, setting: ImportSetting): readonly ImportRow[] {
  const header = file.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '';
  const titles = new Set<string>();
  const readTitles = (names: string[]): string[] => {
    const lower = names.map((name) => name.trim().toLowerCase());
    for (const name of lower) titles.add(name);
    return lower;
  };
  // The separator is a comma or a semicolon, depending on which occurs more often in the header.
  const delimiter = header.split(';').length > header.split(',').length ? ';' : ',';
  let rows: ImportRow[];
  try {
    rows = parse(file, { bom: true, delimiter, columns: readTitles, skip_empty_lines: true, trim: true });
  } catch (error) {
    refuse(400, `the file cannot be read: ${messageOf(error)}`);
  }
  const required = ['email'];
  if (setting.default_country === undefined) required.push('country_code');
  if (setting.default_office === undefined) required.push('office_name');
  const absent = required.filter((title) => !titles.has(title));
  if (absent.length > 0) refuse(400, `the file has no column ${absent.join(', ')}`);
  return rows;
}
