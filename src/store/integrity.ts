import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as takeTurns } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { SyncError } from '../base/errors.js';
import { hashDesired, hashObserved } from './hash-observed.js';
import { isCurrent } from './migrate.js';
import type { stagedRows } from './mirror/mirror-schema.js';
import { type ObjectRow, toObserved } from './mirror/mirror-store.js';
import { createObjectKeys } from './mirror/object-keys.js';
import { createNamedValues } from './named-values.js';
import { createValuePacker, PACKED_COLUMNS, unpackOrNull } from './packed-values.js';
import type { Sqlite } from './sqlite.js';
import type { runs } from './state/state-schema.js';
import { createStatements, eachRow, listTables, type RowOf } from './statements.js';

/** How thoroughly state.db was checked. `quick` finds invalid pages; `whole` also finds contradictory content. */
export interface Checked {
  readonly how: 'nothing' | 'quick' | 'whole';
  /** True for the daily check, whose success is recorded. */
  readonly isDue: boolean;
  readonly isUnclean: boolean;
}

/** When the state was last found intact, in ISO 8601. */
export const CHECKED_FACT = 'state.checked_at';

const DAY_MS = 86_400_000;
/** Files up to this size are checked before every run, which takes about 10 ms. */
const SMALL_BYTES = 4 * 1024 * 1024;
const ROWS = 500;

/** Columns of state.db that contain JSON, by table. */
const JSON_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  links: ['agreed', 'written', 'untaken', 'was'],
  runs: ['result'],
};

/**
 * Checks state.db before it is opened for work, yielding to other work of the process:
 *
 * | size | before every run | after a run without an end | once a day |
 * |---|---|---|---|
 * | up to 4 MiB | `whole` | `whole` | `whole` |
 * | more | nothing | `quick` | `whole` |
 *
 * Measured on two shared cores, 257 MB: `quick` 0.25 s, `whole` 0.45 s, plus 2 s for an audit log of 250,000 entries.
 *
 * @throws SyncError SYNC_STATE_DAMAGED
 */
export async function checkState(folder: string, now: string): Promise<Checked> {
  const file = join(folder, 'state.db');
  const bytes = sizeOf(file);
  // A new file is intact; its first daily check is recorded immediately.
  if (bytes === 0) return { how: 'whole', isDue: true, isUnclean: false };
  let sqlite: Sqlite | null = null;
  try {
    sqlite = openForLook(file);
    const { checkedAt, isUnclean } = readPast(sqlite);
    const age = checkedAt === null ? DAY_MS : Date.parse(now) - Date.parse(checkedAt);
    // A future or invalid time does not count.
    const isDue = !(age >= 0 && age < DAY_MS);
    const how = howToLook(isDue || bytes <= SMALL_BYTES, isUnclean);
    const fault = how === 'nothing' ? null : await findFault(sqlite, { how, bytes, json: JSON_COLUMNS });
    if (fault !== null) throw damaged(file, fault);
    return { how, isDue, isUnclean };
  } catch (error) {
    if (isDamage(error)) throw damaged(file, error.message, error);
    throw error;
  } finally {
    sqlite?.close();
  }
}

function howToLook(isWhole: boolean, isUnclean: boolean): Checked['how'] {
  if (isWhole) return 'whole';
  return isUnclean ? 'quick' : 'nothing';
}

/** Returns why mirror.db cannot be trusted; null if it can be trusted or does not exist. */
export async function checkMirror(folder: string, { isDue, isUnclean }: Checked): Promise<string | null> {
  const file = join(folder, 'mirror.db');
  const bytes = sizeOf(file);
  if (bytes === 0 || (bytes > SMALL_BYTES && !isDue && !isUnclean)) return null;
  let sqlite: Sqlite | null = null;
  try {
    sqlite = openForLook(file);
    const fault = await findFault(sqlite, { how: 'whole', bytes, json: { source_rows: ['body'] } });
    // Rows of another version cannot be checked here. Opening the file handles that version.
    return fault ?? (isCurrent(sqlite, 'mirror') ? await findFalseRow(sqlite) : null);
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  } finally {
    sqlite?.close();
  }
}

/** Deletes the mirror. It is only a copy, and the next read builds it again. */
export function discardMirror(folder: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, `mirror.db${ending}`), { force: true });
}

export function damaged(file: string, fault: string, cause?: unknown): SyncError {
  return new SyncError('SYNC_STATE_DAMAGED', {
    message: `The state database is damaged, so nothing is planned or written: ${fault}.`,
    place: file,
    remedy:
      'Restore the newest backup (`talent-sync state restore FILE`, which keeps a copy of the damaged file). Without a backup, move state.db away. Runs then only plan until `talent-sync approve --guard state.lost --reason "…"`.',
    cause,
  });
}

export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function openForLook(file: string): Sqlite {
  const sqlite = new Database(file, { fileMustExist: true });
  sqlite.pragma('busy_timeout = 10000');
  return sqlite;
}

function readPast(sqlite: Sqlite): { readonly checkedAt: string | null; readonly isUnclean: boolean } {
  const { one } = createStatements(sqlite);
  const tables = listTables(sqlite);
  const last = tables.includes('runs')
    ? one<Pick<RowOf<typeof runs>, 'endedAt' | 'result'>>(
        'SELECT ended_at AS endedAt, result FROM runs ORDER BY started_at DESC, id DESC LIMIT 1',
      )()
    : null;
  return {
    checkedAt: tables.includes('facts') ? createNamedValues(sqlite, 'facts').find(CHECKED_FACT) : null,
    isUnclean: last !== null && (last.endedAt === null || last.result?.includes('SYNC_STATE_DAMAGED') === true),
  };
}

interface LookOptions {
  readonly how: 'quick' | 'whole';
  readonly bytes: number;
  readonly json: Readonly<Record<string, readonly string[]>>;
}

async function findFault(sqlite: Sqlite, { how, bytes, json }: LookOptions): Promise<string | null> {
  const check = how === 'quick' ? 'quick_check' : 'integrity_check';
  const tables = listTables(sqlite);
  // A small file is checked in one step. A large file is checked table by table, yielding to other work.
  const parts = bytes <= SMALL_BYTES ? [''] : ['sqlite_schema', ...tables].map((table) => `("${table}")`);
  for (const part of parts) {
    await takeTurns();
    const found = sqlite.pragma(`${check}${part}`, { simple: true });
    if (found !== 'ok') return String(found);
  }
  if (how === 'quick') return null;
  for (const { table, column, isBad, fault } of listChecks(json, tables.includes('shared_texts'))) {
    // Older versions' files lack some of these.
    if (!tables.includes(table) || !listColumns(sqlite, table).includes(column)) continue;
    await takeTurns();
    if (sqlite.prepare(`SELECT 1 FROM "${table}" WHERE ${isBad}`).get() !== undefined) return fault;
  }
  return null;
}

function listColumns(sqlite: Sqlite, table: string): readonly string[] {
  return sqlite.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
}

interface ContentCheck {
  readonly table: string;
  readonly column: string;
  /** An SQL condition that is true for a damaged row. */
  readonly isBad: string;
  readonly fault: string;
}

/** @param isPacked false for an older version's file, which stores names with the values */
function listChecks(json: Readonly<Record<string, readonly string[]>>, isPacked: boolean): readonly ContentCheck[] {
  const checks = Object.entries(json).flatMap(([table, columns]) =>
    columns.map((column) => ({
      table,
      column,
      isBad: `"${column}" IS NOT NULL AND NOT json_valid("${column}")`,
      fault: `${table}.${column} has a text that is not JSON`,
    })),
  );
  const packed = (isPacked ? (PACKED_COLUMNS.links ?? []) : []).map((column) => ({
    table: 'links',
    column,
    isBad: `"${column}" IS NOT NULL AND json_array_length("${column}") - 1 IS NOT
      (SELECT json_array_length(t.text) FROM shared_texts t WHERE t.id = "${column}" ->> 0)`,
    fault: `links.${column} has values whose names are missing`,
  }));
  return [...checks, ...packed];
}

/** Tables with a hash of the content in each row. `isWhole` checks all rows together at the end. */
function listHashed(sqlite: Sqlite): readonly HashedTable[] {
  const packer = createValuePacker(sqlite);
  const keys = createObjectKeys(sqlite, packer);
  const keyCount = createStatements(sqlite).count('SELECT count(*) FROM object_keys');
  let found = 0;
  return [
    {
      table: 'objects',
      isTrue(row: ObjectRow) {
        const object = toObserved(row, packer);
        const count = keys.countOf(row.seq, object);
        found += count ?? 0;
        return count !== null && row.hash === hashObserved(object.active, object.values);
      },
      isWhole: () => found === keyCount(),
    },
    {
      table: 'staged_rows',
      isTrue: ({ state, body, hash }: RowOf<typeof stagedRows>) =>
        hash === null || hash === hashDesired(state === 'leaver', unpackOrNull(packer, body) ?? {}),
      isWhole: () => true,
    },
  ];
}

interface HashedTable {
  readonly table: string;
  isTrue(row: never): boolean;
  isWhole(): boolean;
}

/** Finds a row that does not match its hash, or a key that its object does not have. */
async function findFalseRow(sqlite: Sqlite): Promise<string | null> {
  const { all } = createStatements(sqlite);
  for (const { table, isTrue: isTrueRow, isWhole } of listHashed(sqlite)) {
    const page = all<{ readonly at: number }>(
      `SELECT rowid AS at, * FROM ${table} WHERE rowid > $at ORDER BY rowid LIMIT ${ROWS}`,
    );
    let looked = 0;
    for (const row of eachRow(page, { at: Number.MIN_SAFE_INTEGER })) {
      if (looked % ROWS === 0) await takeTurns();
      looked += 1;
      if (!isTrue(() => isTrueRow(row as never))) return `a row of ${table} differs from what was written`;
    }
    if (!isWhole()) return `${table} has keys without a row`;
  }
  return null;
}

function isTrue(ask: () => boolean): boolean {
  try {
    return ask();
  } catch {
    return false;
  }
}
