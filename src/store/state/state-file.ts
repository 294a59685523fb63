import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../database.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { parseOrNull } from '../statements.js';
import { describeUnusable } from '../unusable-folder.js';

/** state.db was missing, although files next to it prove that it existed. */
export interface LostState {
  /** The evidence: `mirror.db`, `3 files in plans`. */
  readonly traces: readonly string[];
}

const LOST = 'state.lost';
const RESTORED = 'state.restored';

/** ISO 8601: end of the newest run in the backup, and time of its restore. */
export interface LostPeriod {
  readonly from: string;
  readonly to: string;
}

/** Folders of the state whose files come from runs. */
const FOLDERS = ['plans', 'backups', 'reports'] as const;
const FILES = ['mirror.db', 'mirror.db-wal', 'state.db-wal', 'state.db-shm', 'run.lock'] as const;

/** Opens state.db. If it is created next to traces of an earlier one, it stores that fact until an operator approves it. */
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
 * @throws SyncError SYNC_STATE_UNUSABLE: an unreadable folder proves nothing
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
    /** An operator has approved continuing without it. */
    accept: () => facts.forget(LOST),
    /** Records of this period are missing, because a backup has replaced the state. */
    restored: () => parseOrNull<LostPeriod>(facts.find(RESTORED)),
    noteRestored: (period: LostPeriod) => facts.set(RESTORED, JSON.stringify(period)),
    acceptRestored: () => facts.forget(RESTORED),
  };
}
