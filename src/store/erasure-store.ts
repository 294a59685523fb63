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

/** Table → rows that hold the person. */
export type Traces = Readonly<Record<string, number>>;

/** An erasure without the person: enough to find out whether somebody is the one, and no more. */
export interface ErasedPerson {
  readonly erasure: string;
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  /** Random; without it nobody can try out whose the marks are. */
  readonly salt: string;
  /** HMACs of source keys and service ids, or of the address of somebody who had neither. */
  readonly marks: readonly string[];
  /** A restored backup has brought the person back: to be done again. */
  readonly due: boolean;
}

/** The list of a state file, independent of who has opened it. */
export function listErased(sqlite: Sqlite): readonly ErasedPerson[] {
  const texts = createStatements(sqlite).values<string>(
    "SELECT value FROM facts WHERE name LIKE $name || '%' ORDER BY name",
  );
  return texts({ name: ERASED_FACT }).map((text) => JSON.parse(text) as ErasedPerson);
}

const HANGING: ReadonlySet<string> = new Set([
  ...['object_keys', 'pushed_emails', 'pushed_members', 'marks'],
  // Triggers on other tables write these.
  ...['link_moves', 'moved_objects', 'pending'],
]);

/**
 * Takes a person out of the databases, and what is left of deleted rows out of their files.
 *
 * @param pushed what was pushed, where it is in a file of its own
 */
export function createErasureStore(state: Sqlite, mirror: Sqlite, pushed: Sqlite | null) {
  const of = { state: pushed === null ? [state] : [state, pushed], mirror: [mirror] };
  const files = [...of.state, mirror];
  const facts = createNamedValues(state, 'facts');
  return {
    /** Every row of a table, in pages; [] when there is no such table. */
    *rows(which: Which, table: string): Iterable<PersonalRow> {
      for (const sqlite of of[which]) {
        if (!listOwnTables(sqlite).includes(table)) continue;
        for (const { row } of eachPersonalRow(sqlite, table)) yield row;
      }
    },
    /** Where the person stands, the audit left out. */
    find: (which: Which, person: PersonMatcher) => addUp(of[which].map((sqlite) => findTraces(sqlite, person))),
    /** One transaction, which `more` is part of; what was pushed into a file of its own goes before. */
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
    /** The next run reads the account whole: what it finds missing in the copy was only taken out of it. */
    forgetReads: () => void mirror.exec("DELETE FROM marks WHERE name IN ('users.cursor', 'users.full_read_at')"),
    /** Rows of sources that are nothing but an id, of no linked record: nobody can say whose they are. Read again, they come back. */
    forgetNameless: () =>
      void mirror.exec(`DELETE FROM main.source_rows WHERE body IS NULL
        AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.source_key = main.source_rows.key)`),
    /** Writes the files again, without the free pages in which deleted text may still lie. */
    rewrite(): void {
      for (const sqlite of files) sqlite.exec('VACUUM main');
    },
    /** @returns false when another process reads in one of the files, so that its write-ahead log could not be emptied */
    emptyLogs: () => files.map(emptyLog).every(Boolean),
    /** What an erasure that is going on has written down; null when there is none. */
    pending: () => facts.find(ERASURE_FACT),
    /** The erasures that were made, by id: what a restored backup is held against. */
    erased: () => listErased(state),
    /** One of the same id is replaced. */
    remember: (erased: ErasedPerson) => facts.set(`${ERASED_FACT}${erased.erasure}`, JSON.stringify(erased)),
    setPending(text: string | null): void {
      if (text === null) facts.forget(ERASURE_FACT);
      else facts.set(ERASURE_FACT, text);
    },
  };
}

/** Whether a database file that is not ours to edit, a backup for one, holds the person. */
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

/** What a row of a table is found by: its rowid, or its primary key where it has none. */
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

/** What is yielded may be deleted meanwhile. Packed values come with their names, which decide how they are read. */
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

/** An older version, of which there may be a backup, packed nothing. */
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

/** The program's own tables; what hangs on rows of another table is judged after them: `objects` before `object_keys`. */
function listOwnTables(sqlite: Sqlite): readonly string[] {
  const names = listTables(sqlite).filter((name) => !name.startsWith('__'));
  return names.toSorted((a, b) => Number(HANGING.has(a)) - Number(HANGING.has(b)));
}

function emptyLog(sqlite: Sqlite): boolean {
  // Whoever reads now is mostly done in a moment; who is not, is not waited for: the next run tries again.
  const patience = sqlite.pragma('busy_timeout', { simple: true });
  sqlite.pragma('busy_timeout = 1000');
  // Who brings it to PostgreSQL reads the log of a copy first, and removes it at the end.
  if (basename(sqlite.name) === 'state.db' && isWorkingCopy(dirname(sqlite.name))) return true;
  const [done] = sqlite.pragma('main.wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
  sqlite.pragma(`busy_timeout = ${Number(patience)}`);
  return done?.busy === 0;
}
