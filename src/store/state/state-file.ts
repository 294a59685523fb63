import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../database.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { parseOrNull } from '../statements.js';
import { describeUnusable } from '../unusable-folder.js';

/** Evidence that state.db is missing although it once existed. */
export interface LostState {
  /** The files found: `mirror.db`, `3 files in plans`. */
  readonly traces: readonly string[];
}

const LOST = 'state.lost';
const RESTORED = 'state.restored';

/** From the end of the newest run in the backup to the restore, in ISO 8601. */
export interface LostPeriod {
  readonly from: string;
  readonly to: string;
}

/** Folders whose files are written by runs. */
const FOLDERS = ['plans', 'backups', 'reports'] as const;
const FILES = ['mirror.db', 'mirror.db-wal', 'state.db-wal', 'state.db-shm', 'run.lock'] as const;

/**
 * Opens state.db. If it must be created next to traces of an earlier one, this fact is stored until an operator
 * approves it.
 */
export function openStateFile(folder: string, options: OpenOptions): OpenDatabase {
  const file = join(folder, 'state.db');
  const traces = existsSync(file) ? [] : findTraces(folder);
  const opened = openDatabase(file, 'state', options);
  if (traces.length > 0) {
    const lost: LostState = { traces };
    opened.sqlite.prepare('INSERT OR IGNORE INTO facts (name, value) VALUES (?, ?)').run(LOST, JSON.stringify(lost));
  }
  return opened;
}

/**
 * Finds files that only a used state leaves in its folder.
 *
 * @throws SyncError SYNC_STATE_UNUSABLE if the folder cannot be read, because it may contain traces
 */
function findTraces(folder: string): readonly string[] {
  try {
    return listTraces(folder);
  } catch (error) {
    throw describeUnusable(folder, error);
  }
}

function listTraces(folder: string): readonly string[] {
  const files = FILES.filter((name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0);
  const folders = FOLDERS.flatMap((name) => {
    const count = existsSync(join(folder, name)) ? readdirSync(join(folder, name)).length : 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? 'file' : 'files'} in ${name}`];
  });
  return [...files, ...folders];
}

export function createLostStateStore(sqlite: Sqlite) {
  const facts = createNamedValues(sqlite, 'facts');
  return {
    lost: () => parseOrNull<LostState>(facts.find(LOST)),
    /** Notes that an operator approved continuing without the lost state. */
    accept: () => facts.forget(LOST),
    /** The period without data, because a backup has replaced the state. */
    restored: () => parseOrNull<LostPeriod>(facts.find(RESTORED)),
    noteRestored: (period: LostPeriod) => facts.set(RESTORED, JSON.stringify(period)),
    acceptRestored: () => facts.forget(RESTORED),
  };
}
