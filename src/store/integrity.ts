import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as takeTurns } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { SyncError } from '../errors.js';
import type { Values } from '../model/json.js';
import { hashDesired, hashObserved } from './hash-observed.js';
import { createNamedValues } from './named-values.js';
import type { Sqlite } from './sqlite.js';
import type { runs } from './state/state-schema.js';
import { createStatements, eachRow, listTables, type RowOf } from './statements.js';

/** How well state.db was looked at: `quick` finds pages that make no sense, `whole` also content that contradicts itself. */
export interface Checked {
  readonly how: 'nothing' | 'quick' | 'whole';
  /** The daily look, which is noted when it went well. */
  readonly isDue: boolean;
  readonly isUnclean: boolean;
}

/** When the state was found whole last, ISO 8601. */
export const CHECKED_FACT = 'state.checked_at';

const DAY_MS = 86_400_000;
/** So much is checked in some 10 ms, before every run. */
const SMALL_BYTES = 4 * 1024 * 1024;
const ROWS = 500;

/** Columns of state.db that hold JSON, by their tables. */
const JSON_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  links: ['agreed', 'written', 'untaken'],
  runs: ['result'],
};

/**
 * Looks at state.db before anything is opened for work, in turns with whatever else the process does:
 *
 * | size | before every run | after a run without an end | once a day |
 * |---|---|---|---|
 * | up to 4 MiB | whole | whole | whole |
 * | more | nothing | quick | whole |
 *
 * Measured on two shared cores, 257 MB: quick 0.25 s, whole 0.45 s and 2 s for an audit of 250,000 entries.
 *
 * @throws SyncError SYNC_STATE_DAMAGED
 */
export async function checkState(folder: string, now: string): Promise<Checked> {
  const file = join(folder, 'state.db');
  const bytes = sizeOf(file);
  // A new one is whole, and its day begins now.
  if (bytes === 0) return { how: 'whole', isDue: true, isUnclean: false };
  let sqlite: Sqlite | null = null;
  try {
    sqlite = openForLook(file);
    const { checkedAt, isUnclean } = readPast(sqlite);
    const age = checkedAt === null ? DAY_MS : Date.parse(now) - Date.parse(checkedAt);
    // A time that is ahead, or is none, says nothing.
    const isDue = !(age >= 0 && age < DAY_MS);
    const how = howToLook(isDue || bytes <= SMALL_BYTES, isUnclean);
    const fault = how === 'nothing' ? null : await findFault(sqlite, how, JSON_COLUMNS);
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

/** Why mirror.db cannot be believed; null when it can, or is not there. */
export async function checkMirror(folder: string, { isDue, isUnclean }: Checked): Promise<string | null> {
  const file = join(folder, 'mirror.db');
  const bytes = sizeOf(file);
  if (bytes === 0 || (bytes > SMALL_BYTES && !isDue && !isUnclean)) return null;
  let sqlite: Sqlite | null = null;
  try {
    sqlite = openForLook(file);
    return (await findFault(sqlite, 'whole', { source_rows: ['body'] })) ?? (await findFalseHash(sqlite));
  } catch (error) {
    if (isDamage(error)) return error.message;
    // Of another version: what becomes of it is decided when it is opened.
    if (error instanceof Database.SqliteError) return null;
    throw error;
  } finally {
    sqlite?.close();
  }
}

/** It is only a copy: the next read makes it again. */
export function discardMirror(folder: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, `mirror.db${ending}`), { force: true });
}

export function damaged(file: string, fault: string, cause?: unknown): SyncError {
  return new SyncError('SYNC_STATE_DAMAGED', {
    message: `The state database is damaged, so nothing is planned or written: ${fault}.`,
    place: file,
    remedy:
      'Restore the newest backup (`talent-sync state restore FILE`, which keeps the damaged file beside). Without a backup move state.db away: runs then only plan, until `talent-sync approve --guard state.lost`.',
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

async function findFault(
  sqlite: Sqlite,
  how: 'quick' | 'whole',
  json: Readonly<Record<string, readonly string[]>>,
): Promise<string | null> {
  const check = how === 'quick' ? 'quick_check' : 'integrity_check';
  const tables = listTables(sqlite);
  for (const table of ['sqlite_schema', ...tables]) {
    await takeTurns();
    const found = sqlite.pragma(`${check}("${table}")`, { simple: true });
    if (found !== 'ok') return String(found);
  }
  if (how === 'quick') return null;
  for (const [table, columns] of Object.entries(json)) {
    for (const column of tables.includes(table) ? columns : []) {
      await takeTurns();
      const bad = sqlite.prepare(
        `SELECT 1 FROM "${table}" WHERE "${column}" IS NOT NULL AND NOT json_valid("${column}")`,
      );
      if (bad.get() !== undefined) return `${table}.${column} holds a text that is no JSON`;
    }
  }
  return null;
}

interface HashedRow {
  readonly at: number;
  readonly state: unknown;
  readonly body: string;
  readonly hash: string;
}

/** Tables whose rows carry a hash of what they hold. */
const HASHED: readonly { readonly table: string; readonly state: string; hashOf(row: HashedRow): string }[] = [
  {
    table: 'objects',
    state: 'active',
    hashOf: ({ state, body }) => hashObserved(state === 1, JSON.parse(body) as Values),
  },
  {
    table: 'mapped_rows',
    state: 'state',
    hashOf: ({ state, body }) => hashDesired(state === 'leaver', JSON.parse(body) as Values),
  },
];

/** A row whose content is not what its hash says. */
async function findFalseHash(sqlite: Sqlite): Promise<string | null> {
  const { all } = createStatements(sqlite);
  for (const { table, state, hashOf } of HASHED) {
    const page = all<HashedRow>(
      `SELECT rowid AS at, ${state} AS state, body, hash FROM ${table} WHERE rowid > $at ORDER BY rowid LIMIT ${ROWS}`,
    );
    let looked = 0;
    for (const row of eachRow(page, { at: Number.MIN_SAFE_INTEGER })) {
      if (looked % ROWS === 0) await takeTurns();
      looked += 1;
      if (!isTrue(() => hashOf(row) === row.hash)) return `a row of ${table} is not the one that was written`;
    }
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
