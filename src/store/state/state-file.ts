import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../database.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { parseOrNull } from '../statements.js';
import { describeUnusable } from '../unusable-folder.js';

/** state.db was not there, though what is beside it shows that it had been. */
export interface LostState {
  /** What shows it: `mirror.db`, `3 files in plans`. */
  readonly traces: readonly string[];
}

const LOST = 'state.lost';
const RESTORED = 'state.restored';

/** ISO 8601: the end of the newest run in the backup, and when it was restored. */
export interface LostPeriod {
  readonly from: string;
  readonly to: string;
}

/** Folders of the state, whose files are made by runs. */
const FOLDERS = ['plans', 'backups', 'reports'] as const;
const FILES = ['mirror.db', 'mirror.db-wal', 'state.db-wal', 'state.db-shm', 'run.lock'] as const;

/** Opens state.db. One that is made new beside the traces of an earlier one remembers that, until somebody approves it. */
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
 * What only a state that was in use leaves in its folder.
 *
 * @throws SyncError SYNC_STATE_UNUSABLE: nothing is shown by a folder that may not be looked into
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
    /** Somebody has approved to go on without it. */
    accept: () => facts.forget(LOST),
    /** What was recorded in this time is gone: a backup is in the place of the state. */
    restored: () => parseOrNull<LostPeriod>(facts.find(RESTORED)),
    noteRestored: (period: LostPeriod) => facts.set(RESTORED, JSON.stringify(period)),
    acceptRestored: () => facts.forget(RESTORED),
  };
}
