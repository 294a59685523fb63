import type { ImportSetting } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { foldText, type Texts } from '../fields/languages.js';
import { USER_FIELDS } from '../fields/plain-fields.js';
import { Refusal, refuse } from '../fields/refusal.js';
import { findCountry, findOffice } from '../records/places.js';
import { setUniqueTag } from '../records/read-user-body.js';
import {
  buildUserDraft,
  createUser,
  recordMail,
  removeUser,
  resolveRoles,
  type UserDraft,
  updateUser,
} from '../records/save-user.js';
import type { ImportDocument, UserDocument } from '../store/documents.js';
import { emailKey } from '../store/store.js';
import { type ImportRow, parseImportFile, requireImportSetting } from './accept-import.js';

/** Number of rows per transaction. Other requests are answered between transactions. */
const BATCH_ROWS = 500;

type ImportTally = { created: number; updated: number; deactivated: number; problems: string[] };

/**
 * Processes an accepted file. Each row creates or changes one user. Then users who are missing from the file are kept,
 * deactivated or removed, depending on the import setting. Unusable rows are recorded and skipped. If `isStopped`, the task
 * remains pending and continues after a restart. Rows that have been processed then change nothing.
 */
export async function processImport(world: World, importId: string, isStopped: () => boolean): Promise<void> {
  const task = world.store.imports.get(importId);
  if (task?.state !== 'waiting') return;
  const setting = requireImportSetting(world, task.config);
  const rows = parseImportFile(task.file, setting);
  const tally: ImportTally = { created: 0, updated: 0, deactivated: 0, problems: [] };
  const work: ImportWork = { world, setting, seen: new Set(), tally };
  const run = task.dry_run ? world.store.rehearse : world.store.write;
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    if (isStopped()) return;
    run(() => {
      for (const [index, row] of rows.slice(start, start + BATCH_ROWS).entries()) {
        importRow(work, row, start + index + 2);
      }
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isStopped()) return;
  run(() => handleMissing(work));
  const finished: ImportDocument = { ...task, file: '', state: 'finished', ...tally };
  world.store.write(() => world.store.imports.put(finished));
}

interface ImportWork {
  readonly world: World;
  readonly setting: ImportSetting;
  /** Ids of the users who are in the file. */
  readonly seen: Set<string>;
  readonly tally: ImportTally;
}

function importRow({ world, setting, seen, tally }: ImportWork, row: ImportRow, line: number): void {
  const before = matchUser(world, row);
  // A user in the file does not count as missing, even if the row fails.
  if (before) seen.add(before.id);
  try {
    const draft = before ?? buildUserDraft(readPlace(world, setting, row));
    const patch = readRow(world, setting, row, draft);
    if (!before) {
      seen.add(createUser(world, { ...draft, ...patch, ...readPromotion(setting, row, undefined, draft) }).id);
      tally.created += 1;
      return;
    }
    const place = row.office_name || row.country_code ? readPlace(world, setting, row) : {};
    // A setting that deactivates missing users also reactivates them when they return. Otherwise, activation stays unchanged.
    const activation = setting.missing === 'deactivate' ? { deactivated_at: null } : {};
    const roles = readPromotion(setting, row, before, before);
    const after = updateUser(world, before, { ...patch, ...roles, ...place, ...activation }, 'import');
    if (after !== before) tally.updated += 1;
    if (emailKey(after.email) !== emailKey(before.email)) recordMail(world, after.email, 'email_changed');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tally.problems.push(`line ${line}: ${error.message}`);
  }
}

/** Matches by external id first, then by e-mail (spec, CSV import, Processing). */
function matchUser(world: World, row: ImportRow): UserDocument | undefined {
  const { users, findUser } = world.store;
  const { external_unique_id: id, email } = row;
  const byId = id ? users.first('WHERE external_unique_id = ?', [id]) : undefined;
  return byId ?? (email ? findUser(email) : undefined);
}

/** Reads the office and country. For a blank cell, the default of the import setting applies. */
function readPlace(world: World, setting: ImportSetting, row: ImportRow): { office_id: string; country_id: string } {
  const countryText = row.country_code || setting.default_country || '';
  const country = findCountry(world, countryText);
  if (!country) refuse(422, `country ${countryText || '(blank)'} is not in the account`);
  const officeName = row.office_name || setting.default_office || '';
  const office = findOffice(world, country.id, officeName);
  if (!office) refuse(422, `department ${officeName || '(blank)'} is not in country ${country.code}`);
  return { office_id: office.id, country_id: country.id };
}

/** Reads the values of the filled cells. A blank cell changes nothing, and neither does a missing column. */
function readRow(world: World, setting: ImportSetting, row: ImportRow, draft: UserDraft): Partial<UserDraft> {
  if (!row.email) refuse(422, "Email can't be blank");
  let tags = draft.custom_tag_ids;
  for (const [column, categoryExternalId] of Object.entries(setting.tag_columns)) {
    const cell = row[column.toLowerCase()];
    if (cell) tags = readTag(world, tags, categoryExternalId, cell);
  }
  return { email: row.email, ...readCells(world, row, draft), custom_tag_ids: tags };
}

function readCells(world: World, row: ImportRow, draft: UserDraft): Partial<UserDraft> {
  const patch: Record<string, unknown> = {};
  for (const field of ['name', 'place_of_residence']) if (row[field]) patch[field] = row[field];
  // Texts in the file have one language, which is that of the user.
  const country = world.store.countries.get(draft.country_id);
  const language = draft.override_language_code ?? country?.native_language_code ?? 'en';
  for (const [field, { kind }] of Object.entries(USER_FIELDS) as [keyof typeof USER_FIELDS, { kind: string }][]) {
    const cell = row[field];
    if (!cell) continue;
    if (kind === 'texts') patch[field] = { ...(draft[field] as Texts), [language]: cell };
    else patch[field] = kind === 'year' ? readYearCell(field, cell) : cell;
  }
  return patch;
}

function readYearCell(field: string, cell: string): number {
  if (!/^\d{4}$/.test(cell)) refuse(422, `${field} must be an integer`);
  return Number(cell);
}

function readTag(world: World, ids: readonly string[], categoryExternalId: string, cell: string): readonly string[] {
  const category = world.store.categories.first('WHERE external_unique_id = ?', [categoryExternalId]);
  const tags = category ? world.store.tags.find('WHERE category_id = ?', [category.id]) : [];
  const tag =
    tags.find((candidate) => candidate.external_unique_id === cell) ??
    tags.find((candidate) => Object.values(candidate.values).some((text) => foldText(text) === foldText(cell)));
  if (!category || !tag) refuse(422, `custom tag ${cell} is not in category ${categoryExternalId}`);
  return setUniqueTag(world, ids, category.id, tag.id);
}

/**
 * Reads the roles of a row. If it has none, a new user gets the default role. An external user also gets it and becomes a
 * normal user (spec, CSV import: external users present in the file are promoted). departmentmanager has no scope here, because
 * the import supports it only partly.
 */
function readPromotion(setting: ImportSetting, row: ImportRow, before: UserDocument | undefined, draft: UserDraft) {
  const words = (row.roles ?? '').split(/\s+/).filter((word) => word !== '');
  if (words.length > 0) return resolveRoles(words[0], words.slice(1), draft);
  const isPromoted = before?.role === 'external' && setting.default_role !== 'external';
  return before === undefined || isPromoted ? resolveRoles(setting.default_role, [], draft) : {};
}

/**
 * Handles users who are missing from the file. External users are never deactivated for this reason (spec, CSV import,
 * Processing).
 */
function handleMissing({ world, setting, seen, tally }: ImportWork): void {
  if (setting.missing === 'keep') return;
  for (const user of world.store.users.find('WHERE gone = 0')) {
    if (seen.has(user.id) || user.role === 'external') continue;
    if (setting.missing === 'remove') removeUser(world, user);
    else updateUser(world, user, { deactivated_at: world.clock.now() });
    tally.deactivated += 1;
  }
}
