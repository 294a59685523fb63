import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Json } from '../model/json.js';
import { createNamedValues } from './named-values.js';
import { createValuePacker, PACKED_COLUMNS } from './packed-values.js';
import {
  ERASED_FACT,
  ERASURE_FACT,
  judgeRow,
  type PersonalRow,
  type PersonMatcher,
  type RowVerdict,
} from './personal-tables.js';
import { isWorkingCopy } from './remote/working-copy.js';
import type { Sqlite } from './sqlite.js';
import { createStatements, eachRow, listTables } from './statements.js';

type Which = 'state' | 'mirror';

/** Numbers of rows that mention the person, by table. */
export type Traces = Readonly<Record<string, number>>;

/** An erasure without the person's data. It only allows testing if a known person is the erased one. */
export interface ErasedPerson {
  readonly erasure: string;
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  /** Random. The marks cannot be connected to a person without it. */
  readonly salt: string;
  /** HMACs of source keys and service ids; of the e-mail address if the person had neither. */
  readonly marks: readonly string[];
  /** True if a restored backup has brought the person back. The erasure must then be repeated. */
  readonly due: boolean;
}

/** Lists the erasures in a state file. It does not depend on how the file was opened. */
export function listErased(sqlite: Sqlite): readonly ErasedPerson[] {
  const texts = createStatements(sqlite).values<string>(
    "SELECT value FROM facts WHERE name LIKE $name || '%' ORDER BY name",
  );
  return texts({ name: ERASED_FACT }).map((text) => JSON.parse(text) as ErasedPerson);
}

const HANGING: ReadonlySet<string> = new Set([
  ...['object_keys', 'pushed_emails', 'pushed_members', 'marks'],
  // Triggers on other tables write these tables.
  ...['link_moves', 'moved_objects', 'pending'],
]);

/**
 * Erases a person from the databases, and deleted rows' remains from their files.
 *
 * @param pushed the database of pushed data, if it has its own file
 */
export function createErasureStore(state: Sqlite, mirror: Sqlite, pushed: Sqlite | null) {
  const of = { state: pushed === null ? [state] : [state, pushed], mirror: [mirror] };
  const files = [...of.state, mirror];
  const facts = createNamedValues(state, 'facts');
  return {
    /** Yields all rows of a table, in pages; none if the table does not exist. */
    *rows(which: Which, table: string): Iterable<PersonalRow> {
      for (const sqlite of of[which]) {
        if (!listOwnTables(sqlite).includes(table)) continue;
        for (const { row } of eachPersonalRow(sqlite, table)) yield row;
      }
    },
    /** Counts the rows that mention the person, except in the audit log. */
    find: (which: Which, person: PersonMatcher) => addUp(of[which].map((sqlite) => findTraces(sqlite, person))),
    /** Erases in one transaction that includes `more`. Pushed data in a separate file is erased first. */
    erase(which: Which, person: PersonMatcher, more: (traces: Traces) => void = () => undefined): Traces {
      const [sqlite = state, ...others] = of[which];
      let traces = addUp(others.map((other) => other.transaction(() => eraseFrom(other, person)).immediate()));
      sqlite
        .transaction(() => {
          traces = addUp([traces, eraseFrom(sqlite, person)]);
          more(traces);
        })
        .immediate();
      return traces;
    },
    /** Makes the next run read the entire account, because an object missing from the mirror was only erased locally. */
    forgetReads: () => void mirror.exec("DELETE FROM marks WHERE name IN ('users.cursor', 'users.full_read_at')"),
    /**
     * Deletes source rows without a body or a linked record, because their owner is unknown. The next read stores them
     * again.
     */
    forgetNameless: () =>
      void mirror.exec(`DELETE FROM main.source_rows WHERE body IS NULL
        AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.source_key = main.source_rows.key)`),
    /** Rewrites the files without free pages, which may still contain deleted text. */
    rewrite(): void {
      for (const sqlite of files) sqlite.exec('VACUUM main');
    },
    /** @returns false if another process is reading one of the files, so its write-ahead log could not be emptied */
    emptyLogs: () => files.map(emptyLog).every(Boolean),
    /** The stored progress of an unfinished erasure; null if there is none. */
    pending: () => facts.find(ERASURE_FACT),
    /** Finished erasures by id, to compare with a restored backup. */
    erased: () => listErased(state),
    /** Stores an erasure, replacing one with the same id. */
    remember: (erased: ErasedPerson) => facts.set(`${ERASED_FACT}${erased.erasure}`, JSON.stringify(erased)),
    setPending(text: string | null): void {
      if (text === null) facts.forget(ERASURE_FACT);
      else facts.set(ERASURE_FACT, text);
    },
  };
}

/** Returns true if a database file that must not be changed, such as a backup, mentions the person. */
export function isInDatabase(file: string, person: PersonMatcher): boolean {
  const sqlite = new Database(file, { readonly: true, fileMustExist: true });
  try {
    if (Object.keys(findTraces(sqlite, person)).length > 0) return true;
    if (!listOwnTables(sqlite).includes('audit')) return false;
    for (const { row } of eachPersonalRow(sqlite, 'audit')) {
      if (typeof row.entry === 'string' && person.mentions(JSON.parse(row.entry))) return true;
    }
    return false;
  } finally {
    sqlite.close();
  }
}

function addUp(all: readonly Traces[]): Traces {
  const sum: Record<string, number> = {};
  for (const traces of all) for (const [table, count] of Object.entries(traces)) sum[table] = (sum[table] ?? 0) + count;
  return sum;
}

function findTraces(sqlite: Sqlite, person: PersonMatcher): Traces {
  const counts: Record<string, number> = {};
  for (const { table } of eachVerdict(sqlite, person)) counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}

function eraseFrom(sqlite: Sqlite, person: PersonMatcher): Traces {
  const counts: Record<string, number> = {};
  for (const { table, at, verdict } of eachVerdict(sqlite, person)) {
    counts[table] = (counts[table] ?? 0) + 1;
    const isRow = Object.keys(at)
      .map((column) => `${column} = ?`)
      .join(' AND ');
    if (verdict === 'remove') sqlite.prepare(`DELETE FROM main."${table}" WHERE ${isRow}`).run(...Object.values(at));
    else {
      const columns = Object.keys(verdict);
      const set = columns.map((column) => `"${column}" = ?`).join(', ');
      const values = [...Object.values(verdict), ...Object.values(at)];
      sqlite.prepare(`UPDATE main."${table}" SET ${set} WHERE ${isRow}`).run(...values);
    }
  }
  return counts;
}

/** Identifies a row of a table by its rowid, or by its primary key if the table has no rowid. */
type RowAddress = Readonly<Record<string, Json>>;

function* eachVerdict(
  sqlite: Sqlite,
  person: PersonMatcher,
): Iterable<{ table: string; at: RowAddress; verdict: Exclude<RowVerdict, 'keep'> }> {
  const removed = new Set<string>();
  for (const table of listOwnTables(sqlite)) {
    if (table === 'audit') continue;
    for (const { at, row } of eachPersonalRow(sqlite, table)) {
      const verdict = judgeRow(table, row, person, removed);
      if (verdict !== 'keep') yield { table, at, verdict };
    }
  }
}

/**
 * Yields all rows; the caller may delete a yielded row. Packed values include their names, which determine how they are
 * read.
 */
function* eachPersonalRow(
  sqlite: Sqlite,
  table: string,
): Iterable<{ readonly at: RowAddress; readonly row: PersonalRow }> {
  const { all } = createStatements(sqlite);
  const address = listAddress(sqlite, table);
  const order = address.join(', ');
  const [select, last] = [address.map((column) => `${column} AS "@${column}"`), address.map((_, at) => `$${at}`)];
  const from = `SELECT ${select.join(', ')}, * FROM main."${table}"`;
  const first = all<PersonalRow>(`${from} ORDER BY ${order} LIMIT 500`);
  const next = all<PersonalRow>(`${from} WHERE (${order}) > (${last.join(', ')}) ORDER BY ${order} LIMIT 500`);
  const addressOf = (row: PersonalRow): RowAddress =>
    Object.fromEntries(address.map((column) => [column, row[`@${column}`] ?? null]));
  const unpack = createUnpacking(sqlite, table);
  for (const found of eachRow<PersonalRow, PersonalRow | null>(
    (row) => (row === null ? first() : next({ ...Object.values(addressOf(row)) })),
    null,
  )) {
    const row = Object.fromEntries(Object.entries(found).filter(([column]) => !column.startsWith('@')));
    yield { at: addressOf(found), row: unpack(row) };
  }
}

function listAddress(sqlite: Sqlite, table: string): readonly string[] {
  const { all, value } = createStatements(sqlite);
  const isWithout = value<number>("SELECT wr FROM pragma_table_list($table) WHERE schema = 'main'")({ table }) === 1;
  if (!isWithout) return ['rowid'];
  return all<{ name: string }>('SELECT name FROM pragma_table_info($table) WHERE pk > 0 ORDER BY pk')({ table }).map(
    ({ name }) => name,
  );
}

/** Older versions, whose files may exist as backups, did not pack values. */
function createUnpacking(sqlite: Sqlite, table: string): (row: PersonalRow) => PersonalRow {
  const columns = listTables(sqlite).includes('shared_texts') ? (PACKED_COLUMNS[table] ?? []) : [];
  const { unpack } = createValuePacker(sqlite);
  return (row) => {
    const named = columns.flatMap((column) => {
      const text = row[column];
      return typeof text === 'string' ? [[column, JSON.stringify(unpack(text))]] : [];
    });
    return named.length === 0 ? row : { ...row, ...Object.fromEntries(named) };
  };
}

/** Lists the program's own tables. Dependent tables come after the tables they depend on: `objects` before `object_keys`. */
function listOwnTables(sqlite: Sqlite): readonly string[] {
  const names = listTables(sqlite).filter((name) => !name.startsWith('__'));
  return names.toSorted((a, b) => Number(HANGING.has(a)) - Number(HANGING.has(b)));
}

function emptyLog(sqlite: Sqlite): boolean {
  // Most readers finish within a moment. If one takes longer, the next run tries again.
  const patience = sqlite.pragma('busy_timeout', { simple: true });
  sqlite.pragma('busy_timeout = 1000');
  // The process that ships a working copy to PostgreSQL reads its log first. The log is removed at the end.
  if (basename(sqlite.name) === 'state.db' && isWorkingCopy(dirname(sqlite.name))) return true;
  const [done] = sqlite.pragma('main.wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
  sqlite.pragma(`busy_timeout = ${Number(patience)}`);
  return done?.busy === 0;
}
