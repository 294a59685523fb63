import { requireAdministrator } from '../access.js';
import type { ImportDocument } from '../documents.js';
import { parseImportFile } from '../import-file.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { createId } from '../store.js';
import { readParameter } from '../values.js';

export const USER_IMPORT_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/api/v1/users/import/csv/:config_name', access: 'write', handle: postImport },
];

/** The answer says only that the file arrived and the synchronisation started (spec, CSV import). */
function postImport(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const config = call.params.config_name ?? '';
  requireImportSetting(world, config);
  if (call.contentType !== 'text/csv') throw new Refusal(415, 'Content-Type must be text/csv');
  const dry_run = readDryRun(call);
  const { id } = acceptImport(world, config, decodeFile(call.bytes), dry_run);
  return { status: 200, body: { import_task: id, dry_run } };
}

/** A value that is neither is refused: a client that asked for a rehearsal must not get the real import. */
function readDryRun(call: Call): boolean {
  const sent = readParameter(call.query, 'dry_run') ?? 'false';
  if (sent !== 'true' && sent !== 'false') throw new Refusal(400, 'dry_run must be true or false');
  return sent === 'true';
}

function requireImportSetting(world: World, config: string) {
  const setting = findImportSetting(world, config);
  if (!setting) throw new Refusal(404, `import setting ${config} is not known`);
  return setting;
}

/** An upload, by whatever way it came: kept, and processed later. */
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

/** `default` always exists; the fixture may say otherwise what it does. */
export function findImportSetting(world: World, config: string) {
  const settings = world.account.imports;
  if (Object.hasOwn(settings, config)) return settings[config];
  if (config !== 'default') return undefined;
  return { missing: 'keep', default_role: 'consultant', tag_columns: {}, delay_ms: 50 } as const;
}

export function decodeFile(bytes: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? Buffer.alloc(0));
  } catch {
    throw new Refusal(400, 'the file is not UTF-8');
  }
}
