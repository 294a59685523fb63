import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ENTITIES } from '../../model/entity.js';
import { openDatabase } from '../database.js';
import { createNamedValues } from '../named-values.js';

/*
 * The mirror of a tenant stays on its last holder's machine. Readers on other machines get only the parts that lists
 * show: waiting items, later joiners, numbers of objects, times of reads, and the plan that decisions refer to.
 */

type MirrorRow = Readonly<Record<string, string | number | null>>;

interface SeenMirror {
  readonly waiting: readonly MirrorRow[];
  readonly early: readonly MirrorRow[];
  readonly marks: Readonly<Record<string, string>>;
}

/** In a reader's mirror, the numbers of objects in the holder's mirror, by entity. */
export const SEEN_COUNTS = 'seen.counts';
const NEWEST_PLAN = 'plan.newest';
const MARKS = ['users.cursor', 'users.full_read_at', NEWEST_PLAN, 'undo.open'];

/** @returns JSON; null if there is no mirror, or if it is empty */
export function readSeenMirror(folder: string): string | null {
  const file = join(folder, 'mirror.db');
  if (!existsSync(file)) return null;
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    sqlite.pragma('busy_timeout = 10000');
    if (sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'waiting'").get() === undefined) return null;
    const all = (text: string, ...values: readonly string[]): readonly MirrorRow[] =>
      sqlite.prepare(text).all(...values) as MirrorRow[];
    const marks = createNamedValues(sqlite, 'marks');
    // A holder that has not read the account yet has less data than the previous holder.
    if (marks.find('users.full_read_at') === null) return null;
    const counts = ENTITIES.map((entity) => {
      const [row] = all(
        `SELECT count(*) AS "all", coalesce(sum(active IS NOT 0), 0) AS active FROM objects WHERE entity = ?`,
        entity,
      );
      return [entity, row] as const;
    });
    const seen: SeenMirror = {
      waiting: all('SELECT * FROM waiting ORDER BY rowid'),
      early: all("SELECT entity, key, state, source, starts FROM staged_rows WHERE state = 'early' ORDER BY row"),
      marks: {
        ...Object.fromEntries(MARKS.flatMap((name) => [[name, marks.find(name)]]).filter(([, text]) => text !== null)),
        [SEEN_COUNTS]: JSON.stringify(Object.fromEntries(counts)),
      },
    };
    return JSON.stringify(seen);
  } finally {
    sqlite.close();
  }
}

/** Creates a mirror that contains only this data. A holder discards such a mirror. */
export function writeSeenMirror(folder: string, text: string): void {
  const { waiting, early, marks } = JSON.parse(text) as SeenMirror;
  const file = join(folder, 'mirror.db');
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  const { sqlite } = openDatabase(file, 'mirror', { lockedAt: null });
  try {
    sqlite.transaction(() => {
      for (const row of waiting) insert(sqlite, 'waiting', row);
      for (const row of early) insert(sqlite, 'staged_rows', row);
      for (const [name, value] of Object.entries(marks)) createNamedValues(sqlite, 'marks').set(name, value);
    })();
  } finally {
    sqlite.close();
  }
}

/**
 * Stores the newest plan and its waiting items for a holder that lacks the previous holder's mirror, so that decisions
 * refer to the same plan and find the same items.
 */
export function noteSeenPlan(folder: string, text: string): void {
  const { waiting, marks: seen } = JSON.parse(text) as SeenMirror;
  const newest = seen[NEWEST_PLAN];
  if (newest === undefined) return;
  const { sqlite } = openDatabase(join(folder, 'mirror.db'), 'mirror', { lockedAt: null });
  try {
    const marks = createNamedValues(sqlite, 'marks');
    if (marks.find(NEWEST_PLAN) !== null) return;
    sqlite.transaction(() => {
      for (const row of waiting) insert(sqlite, 'waiting', row);
      marks.set(NEWEST_PLAN, newest);
    })();
  } finally {
    sqlite.close();
  }
}

/** Omits columns that this version does not have. */
function insert(sqlite: Database.Database, table: 'waiting' | 'staged_rows', row: MirrorRow): void {
  const known = new Set((sqlite.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name));
  const columns = Object.keys(row).filter((name) => known.has(name));
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `$${name}`).join(', ')})`;
  sqlite.prepare(text).run(Object.fromEntries(columns.map((name) => [name, row[name]])));
}
