import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Sqlite } from './sqlite.js';

/** A row of a table as SQLite holds it: a boolean is a number there. */
export type RowOf<T extends SQLiteTable> = {
  readonly [C in keyof T['$inferSelect']]: T['$inferSelect'][C] extends boolean ? number : T['$inferSelect'][C];
};

/** By the names in the statement, `$key`; what a statement does not name may be there too. */
type NamedParameters = object;

const NOTHING: NamedParameters = {};

/**
 * Statements that are prepared once for a connection, and then asked by name (docs/engineering/decisions/0010). Each is prepared when it
 * is first asked: of some three hundred a command needs a few.
 */
export function createStatements(sqlite: Sqlite) {
  const prepare = <Row>(sql: string) => once(() => sqlite.prepare<NamedParameters, Row>(sql));
  const pluck = <T>(sql: string) => once(() => sqlite.prepare<NamedParameters, T>(sql).pluck());
  return {
    /** Answers how many rows were changed. */
    run(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): number => statement().run(named).changes;
    },
    /** Answers the number of the row that was added; a third cheaper than RETURNING. */
    added(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): number => Number(statement().run(named).lastInsertRowid);
    },
    all<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): readonly Row[] => statement().all(named);
    },
    /** null where there is none. */
    one<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): Row | null => statement().get(named) ?? null;
    },
    /** The first column of the first row. */
    value<T>(sql: string) {
      const statement = pluck<T>(sql);
      return (named = NOTHING): T | null => statement().get(named) ?? null;
    },
    /** The first column of every row. */
    values<T>(sql: string) {
      const statement = pluck<T>(sql);
      return (named = NOTHING): readonly T[] => statement().all(named);
    },
    /** The one number that is asked for. */
    count(sql: string) {
      const statement = pluck<number>(sql);
      return (named = NOTHING): number => statement().get(named) ?? 0;
    },
    /** Rows as they are asked for: nobody else can write to the file until the last of them was. */
    each<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): Iterable<Row> => statement().iterate(named);
    },
    /** Whether there is any row. */
    any(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): boolean => statement().get(named) !== undefined;
    },
    /** The same work as one transaction. */
    atOnce: <A extends unknown[], R>(work: (...given: A) => R): ((...given: A) => R) => sqlite.transaction(work),
    /** Puts a whole row in the place of the one with its key. */
    upsert: <T extends SQLiteTable>(table: T) => prepareUpsert(sqlite, table),
  };
}

/** Made when it is first asked for. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function prepareUpsert<T extends SQLiteTable>(sqlite: Sqlite, table: T) {
  const columns = Object.entries(getTableColumns(table));
  const names = columns.map(([, { name }]) => name);
  const statement = once(() =>
    sqlite.prepare<NamedParameters>(
      `INSERT INTO ${getTableName(table)} (${names.join(', ')}) VALUES (${columns.map(([key]) => `$${key}`).join(', ')})
       ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    ),
  );
  return (row: RowOf<T>): void => void statement().run(row);
}

/** `source_key AS sourceKey, …`: the columns of a table under the names of its rows. */
export function columnsOf(table: SQLiteTable): string {
  return Object.entries(getTableColumns(table))
    .map(([key, { name }]) => (key === name ? name : `${name} AS ${key}`))
    .join(', ');
}

/**
 * Rows page by page, so that a long table is never held whole, no statement stays open while others write, and what is
 * yielded may be deleted meanwhile. A page begins after the last row of the one before, by the columns that are its order.
 */
export function* eachRow<Row extends Start, Start>(
  read: (after: Start) => readonly Row[],
  start: Start,
): Iterable<Row> {
  for (let page = read(start); page.length > 0; ) {
    yield* page;
    const last = page.at(-1);
    page = last === undefined ? [] : read(last);
  }
}

/** Bodies may be as long as they like: a page of them, which is held in memory, ends with the one that fills it. */
export function takePage<Row extends { readonly body: string }>(
  rows: Iterable<Row>,
  characters: number,
): readonly Row[] {
  const page: Row[] = [];
  let taken = 0;
  for (const row of rows) {
    page.push(row);
    taken += row.body.length;
    if (taken >= characters) break;
  }
  return page;
}

export function parseOrNull<T>(text: string | null | undefined): T | null {
  return text === null || text === undefined ? null : (JSON.parse(text) as T);
}

export function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** The tables of the file itself, in the order in which they were made; SQLite's own are left out. */
export function listTables(sqlite: Sqlite): readonly string[] {
  return createStatements(sqlite).values<string>(
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
  )();
}

/** One of each under the same names: a statement for every filter. */
export function mapValues<K extends string, A, B>(record: Readonly<Record<K, A>>, map: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(record).map(([name, value]) => [name, map(value)])) as Record<K, B>;
}
