import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Sqlite } from './sqlite.js';

/** A row of a table as SQLite returns it, with booleans as numbers. */
export type RowOf<T extends SQLiteTable> = {
  readonly [C in keyof T['$inferSelect']]: T['$inferSelect'][C] extends boolean ? number : T['$inferSelect'][C];
};

/** Parameters by their names in the statement, such as `$key`. Extra names are allowed. */
type NamedParameters = object;

const NOTHING: NamedParameters = {};

/**
 * Creates statements with named parameters (docs/engineering/decisions/0010). Each is prepared once per connection, on
 * first use, because a command needs only a few of some three hundred.
 */
export function createStatements(sqlite: Sqlite) {
  const prepare = <Row>(sql: string) => once(() => sqlite.prepare<NamedParameters, Row>(sql));
  const pluck = <T>(sql: string) => once(() => sqlite.prepare<NamedParameters, T>(sql).pluck());
  return {
    /** Returns the number of changed rows. */
    run(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): number => statement().run(named).changes;
    },
    /** Returns the rowid of the added row. This is a third faster than RETURNING. */
    added(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): number => Number(statement().run(named).lastInsertRowid);
    },
    all<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): readonly Row[] => statement().all(named);
    },
    /** Returns one row; null if there is none. */
    one<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): Row | null => statement().get(named) ?? null;
    },
    /** Returns the first column of the first row. */
    value<T>(sql: string) {
      const statement = pluck<T>(sql);
      return (named = NOTHING): T | null => statement().get(named) ?? null;
    },
    /** Returns the first column of every row. */
    values<T>(sql: string) {
      const statement = pluck<T>(sql);
      return (named = NOTHING): readonly T[] => statement().all(named);
    },
    /** Returns a single number, such as a count. */
    count(sql: string) {
      const statement = pluck<number>(sql);
      return (named = NOTHING): number => statement().get(named) ?? 0;
    },
    /** Yields rows one by one. Nobody else can write to the file until the last row has been read. */
    each<Row>(sql: string) {
      const statement = prepare<Row>(sql);
      return (named = NOTHING): Iterable<Row> => statement().iterate(named);
    },
    any(sql: string) {
      const statement = prepare(sql);
      return (named = NOTHING): boolean => statement().get(named) !== undefined;
    },
    /** Runs the work in one transaction. */
    atOnce: <A extends unknown[], R>(work: (...given: A) => R): ((...given: A) => R) => sqlite.transaction(work),
    /** Inserts a complete row, or replaces the row with the same key. */
    upsert: <T extends SQLiteTable>(table: T) => prepareUpsert(sqlite, table),
  };
}

/** Creates the object on first use. */
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

/** Lists the columns of a table under their property names: `source_key AS sourceKey, …`. */
export function columnsOf(table: SQLiteTable): string {
  return Object.entries(getTableColumns(table))
    .map(([key, { name }]) => (key === name ? name : `${name} AS ${key}`))
    .join(', ');
}

/**
 * Yields rows page by page. A long table is never loaded completely, no statement stays open, and yielded rows may be
 * deleted. Each page starts after the last row of the previous one, by the columns that define the order.
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

/** Reads a page of rows into memory. Because bodies can be long, the page ends with the row that exceeds the limit. */
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

/** Lists the tables of the file itself, in order of creation, without SQLite's own tables. */
export function listTables(sqlite: Sqlite): readonly string[] {
  return createStatements(sqlite).values<string>(
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
  )();
}

/** Maps each value and keeps its name, for example to create one statement per filter. */
export function mapValues<K extends string, A, B>(record: Readonly<Record<K, A>>, map: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(record).map(([name, value]) => [name, map(value)])) as Record<K, B>;
}
