import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, SyncError } from '../base/errors.js';
import { type ErasedPerson, listErased } from './erasure-store.js';
import { discardMirror, isDamage } from './integrity.js';
import { isNewer } from './migrate.js';
import { createNamedValues } from './named-values.js';
import { makePrivate } from './private-file.js';
import { snapshotInto } from './snapshot.js';
import { createStatements } from './statements.js';

/** Facts about a state file that can be read without opening it for a run. */
export interface StateFacts {
  /** Host of its account; null before the first run. */
  readonly account: string | null;
  readonly links: number;
  readonly auditEntries: number;
  /** Hash of the newest audit entry. */
  readonly auditHead: string | null;
  /** Number of calls in progress when the state was copied. The next run looks up each of them. */
  readonly openIntents: number;
  /** Erasures of people that this state has made. */
  readonly erased: readonly ErasedPerson[];
}

export interface BackupFile extends StateFacts {
  readonly file: string;
  readonly bytes: number;
}

/** Returns an unused name such as `backups/state-20261121T191500Z-by-hand.db`. If the name is taken, a number is added. */
export function backupFile(folder: string, at: string, why: string): string {
  const name = join(folder, 'backups', `state-${at.replace(/[-:]|\.\d+/g, '')}-${why}`);
  for (let number = 1; ; number++) {
    const file = `${name}${number === 1 ? '' : `-${number}`}.db`;
    if (!existsSync(file)) return file;
  }
}

/**
 * Copies state.db, even while a run is writing to it. The copy is verified before it counts as a backup.
 *
 * @throws SyncError SYNC_STATE_BACKUP if there is no state, if the file already exists, or if it cannot be written
 */
export function backUpState(folder: string, file: string): BackupFile {
  if (existsSync(file))
    throw cannot('A file with this name already exists.', file, 'Name another file, or move this one away.');
  const from = openExisting(join(folder, 'state.db'), 'state');
  try {
    snapshotInto(from, file);
  } catch (error) {
    if (existsSync(file)) rmSync(file);
    const message = `The backup could not be written: ${messageOf(error)}`;
    throw cannot(message, file, 'Check that the folder is writable and the disk is not full.', error);
  } finally {
    from.close();
  }
  return inspectBackup(file);
}

function cannot(message: string, place: string, remedy: string, cause?: unknown): SyncError {
  return new SyncError('SYNC_STATE_BACKUP', { message, place, remedy, cause });
}

/**
 * @throws SyncError SYNC_STATE_BACKUP if the file is not an intact state.db, SYNC_STATE_NEWER if a newer program wrote
 * it
 */
export function inspectBackup(file: string): BackupFile {
  const sqlite = openExisting(file, 'backup');
  try {
    const damage = sqlite.pragma('integrity_check(1)', { simple: true });
    if (damage !== 'ok') throw new Error(String(damage));
    if (isNewer(sqlite, 'state')) {
      throw new SyncError('SYNC_STATE_NEWER', {
        message: 'A newer talent-sync created the backup.',
        place: file,
        remedy: 'Restore it with that version, or use an older backup.',
      });
    }
    return { file, bytes: statSync(file).size, ...readFacts(sqlite) };
  } catch (error) {
    if (error instanceof SyncError) throw error;
    const remedy = 'Use another backup; `talent-sync state backup` creates and checks them.';
    throw cannot(`This is not an intact state.db: ${messageOf(error)}`, file, remedy, error);
  } finally {
    sqlite.close();
  }
}

/**
 * Replaces state.db with a backup. The caller holds the run lock. Readers (`status`) see either the old or the new
 * state, because SQLite's locks protect the copy.
 *
 * Approvals are not restored, because each may have been used since the backup. The mirror forgets how far it had read.
 * So the next run compares everything that the service contains now.
 *
 * @param at ISO 8601; part of the name of the previous state's copy
 * @returns the file with the previous state; null if there was none
 */
export async function restoreState(folder: string, file: string, at: string): Promise<string | null> {
  const stateFile = join(folder, 'state.db');
  const kept = existsSync(stateFile) ? backupFile(folder, at, 'before-restore') : null;
  if (kept !== null) keepPresent(stateFile, kept);

  const draft = backupFile(folder, at, 'restoring');
  try {
    copyWithoutApprovals(file, draft);
    const source = new Database(draft, { readonly: true });
    await source.backup(stateFile).finally(() => source.close());
    makePrivate(stateFile);
  } finally {
    rmSync(draft, { force: true });
  }
  forgetReads(folder);
  return kept;
}

/** Copies a backup without its approvals, because each may have been used since the backup. */
function copyWithoutApprovals(file: string, draft: string): void {
  const source = openExisting(file, 'backup');
  try {
    snapshotInto(source, draft);
  } finally {
    source.close();
  }
  const copy = new Database(draft);
  copy.exec('DELETE FROM approvals');
  copy.close();
}

function forgetReads(folder: string): void {
  const file = join(folder, 'mirror.db');
  if (!existsSync(file)) return;
  const mirror = new Database(file);
  try {
    mirror.pragma('busy_timeout = 10000');
    mirror.exec("DELETE FROM marks WHERE name IN ('users.cursor', 'users.full_read_at')");
  } catch (error) {
    if (!isDamage(error)) throw error;
    discardMirror(folder);
  } finally {
    mirror.close();
  }
}

function keepPresent(stateFile: string, file: string): void {
  const present = new Database(stateFile);
  try {
    snapshotInto(present, file);
  } catch (error) {
    if (isDamage(error)) {
      setAside(stateFile, file);
      return;
    }
    const remedy = 'Check that its disk has free space and that the folder is writable; then restore again.';
    throw cannot(`A copy of the current state cannot be kept: ${messageOf(error)}`, stateFile, remedy, error);
  } finally {
    present.close();
  }
}

/** Moves a state that is too damaged to copy out of the way, with its logs. The backup then replaces it as a new file. */
function setAside(stateFile: string, file: string): void {
  for (const ending of ['', '-wal', '-shm'])
    if (existsSync(`${stateFile}${ending}`)) renameSync(`${stateFile}${ending}`, `${file}${ending}`);
}

function openExisting(file: string, what: 'state' | 'backup'): Database.Database {
  try {
    const sqlite = new Database(file, { fileMustExist: true, readonly: what === 'backup' });
    sqlite.pragma('busy_timeout = 10000');
    return sqlite;
  } catch (error) {
    if (what === 'state')
      throw cannot('There is no state to back up.', file, 'Run once first, or correct `state`.', error);
    throw cannot('The backup cannot be opened.', file, 'Check its path and permissions.', error);
  }
}

function readFacts(sqlite: Database.Database): StateFacts {
  const { value } = createStatements(sqlite);
  const count = (from: string): number => value<number>(`SELECT count(*) FROM ${from}`)() ?? 0;
  return {
    account: createNamedValues(sqlite, 'facts').find('account'),
    links: count('links'),
    auditEntries: count('audit'),
    auditHead: value<string>('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1')(),
    openIntents: count("journal WHERE status = 'intent'"),
    erased: listErased(sqlite),
  };
}
