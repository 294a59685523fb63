import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../src/store/database.js';
import type { DatabaseKind } from '../src/store/migrate.js';
import type { Sqlite } from '../src/store/sqlite.js';
import { ROOT } from './module-graph.js';
import { makeFolder } from './samples.js';

export interface MigrationJournal {
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[];
}

/** The program's migrations, with an additional migration for some kinds, as in a later version. */
export function nextVersion(sql: Partial<Readonly<Record<DatabaseKind, string>>>): string {
  const folder = join(makeFolder(), 'migrations');
  cpSync(join(ROOT, 'migrations'), folder, { recursive: true });
  for (const [kind, text] of Object.entries(sql)) {
    const file = join(folder, kind, 'meta', '_journal.json');
    const journal = JSON.parse(readFileSync(file, 'utf8')) as MigrationJournal;
    const last = journal.entries.at(-1) ?? { idx: 0, version: '6', when: 0, tag: '', breakpoints: true };
    const tag = '9999_next';
    journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1_000, tag });
    writeFileSync(file, JSON.stringify(journal));
    writeFileSync(join(folder, kind, `${tag}.sql`), text);
  }
  return folder;
}

/** A new file with the tables of an older version; `newest` is the beginning of its last migration's name. */
export function openOlder(kind: DatabaseKind, folder: string, newest: string): Sqlite {
  const migrations = join(makeFolder(), 'migrations');
  cpSync(join(ROOT, 'migrations'), migrations, { recursive: true });
  const file = join(migrations, kind, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as MigrationJournal;
  const last = journal.entries.findIndex(({ tag }) => tag.startsWith(newest));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
  return openDatabase(join(folder, `${kind}.db`), kind, { lockedAt: '2026-01-01T00:00:00.000Z', migrations }).sqlite;
}

/** SQL that restores packed values with the names of their fields. */
const named = (column: string): string =>
  `(SELECT json_group_object(n.value, json(${column} -> (n.key + 1))) FROM newer.shared_texts t, json_each(t.text) n
    WHERE t.id = ${column} ->> 0 HAVING ${column} IS NOT NULL)`;
const long = (hash: string): string => `CASE ${hash} WHEN '' THEN '' ELSE ${hash} || '${'x'.repeat(21)}' END`;

const LAST = { state: '0009', mirror: '0003' } as const;

/** SQL for columns of the older tables. Rows of caches are not converted. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  links: {
    agreed: named('r.agreed'),
    written: `coalesce(${named('r.written')}, '{}')`,
    desired_hash: long('r.desired_hash'),
    observed_hash: long('r.observed_hash'),
    context_hash: long('r.context_hash'),
  },
  objects: { body: named('r.body'), hash: long('r.hash'), label: `coalesce(r.label, r.id)` },
  object_keys: {
    entity: 'o.entity',
    name: `(SELECT substr(t.text, length(o.entity) + 2) FROM newer.shared_texts t WHERE t.id = r.kind)`,
    id: 'o.id',
  },
};
const FROM: Readonly<Record<string, string>> = {
  object_keys: 'newer.object_keys r JOIN newer.objects o ON o.seq = r.object',
  marks: "(SELECT * FROM newer.marks WHERE name GLOB '*.round' OR name GLOB 'users.*') r",
};

/** Converts a state folder into the form of the last version before values were packed. */
export function ageState(folder: string): void {
  for (const kind of ['state', 'mirror'] as const) {
    const newer = join(makeFolder(), 'newer.db');
    renameSync(join(folder, `${kind}.db`), newer);
    for (const ending of ['-wal', '-shm']) rmSync(join(folder, `${kind}.db${ending}`), { force: true });
    const older = openOlder(kind, folder, LAST[kind]);
    older.prepare('ATTACH DATABASE ? AS newer').run(newer);
    const tables = older.prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'").pluck().all();
    for (const table of tables.filter((name) => !/^(sqlite_|__|mapped_rows)/.test(name))) {
      const columns = older.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const values = columns.map((column) => COLUMNS[table]?.[column] ?? `r.${column}`);
      older.exec(
        `INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${FROM[table] ?? `newer.${table} r`}`,
      );
    }
    older.close();
  }
}
