import type { Json } from '../../model/json.js';
import type { Sqlite } from '../sqlite.js';

const PAGE = 500;

export interface StoredRow {
  readonly id: string;
  readonly key: string | null;
  readonly body: Json;
}

/** The rows of one stream as earlier reads brought them; see `KnownRows` of the connectors, whose form this has. */
export interface SourceRowStore {
  keep(rows: readonly StoredRow[], seen: number): void;
  bury(ids: readonly string[]): void;
  each(): Iterable<StoredRow>;
  gone(): Iterable<{ readonly id: string; readonly key: string }>;
  unseen(seen: number, limit: number): readonly StoredRow[];
  forgetUnseen(seen: number): void;
  count(): number;
  mark(name: string): string | null;
  setMark(name: string, value: string): void;
}

interface SourceRowColumns {
  id: string;
  key: string | null;
  body: string | null;
}

export function createSourceRowStore(sqlite: Sqlite, stream: string): SourceRowStore {
  const put = sqlite.prepare(
    `INSERT INTO source_rows (stream, id, key, body, gone, seen) VALUES (?, ?, ?, ?, 0, ?)
     ON CONFLICT (stream, id) DO UPDATE SET key = excluded.key, body = excluded.body, gone = 0, seen = excluded.seen`,
  );
  const bury = sqlite.prepare('UPDATE source_rows SET gone = 1, body = NULL WHERE stream = ? AND id = ?');
  const after = sqlite.prepare<[string, number, string], SourceRowColumns>(
    `SELECT id, key, body FROM source_rows WHERE stream = ? AND gone = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
  );
  const unseen = sqlite.prepare<[string, number, number], SourceRowColumns>(
    'SELECT id, key, body FROM source_rows WHERE stream = ? AND gone = 0 AND seen <> ? ORDER BY id LIMIT ?',
  );
  const forget = sqlite.prepare('DELETE FROM source_rows WHERE stream = ? AND gone = 0 AND seen <> ?');
  const count = sqlite
    .prepare<[string], number>('SELECT count(*) FROM source_rows WHERE stream = ? AND gone = 0')
    .pluck();
  const mark = sqlite.prepare<[string], string>('SELECT value FROM marks WHERE name = ?').pluck();
  const setMark = sqlite.prepare(
    'INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  const nameMark = (name: string): string => `source ${stream} ${name}`;
  const toRow = ({ id, key, body }: SourceRowColumns): StoredRow => ({
    id,
    key,
    body: body === null ? null : (JSON.parse(body) as Json),
  });

  function* page(gone: 0 | 1): Generator<SourceRowColumns> {
    for (let id = ''; ; ) {
      const rows = after.all(stream, gone, id);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      id = last.id;
    }
  }

  return {
    keep: sqlite.transaction((rows: readonly StoredRow[], seen: number) => {
      for (const { id, key, body } of rows) put.run(stream, id, key, body === null ? null : JSON.stringify(body), seen);
    }),
    bury: sqlite.transaction((ids: readonly string[]) => {
      for (const id of ids) bury.run(stream, id);
    }),
    *each() {
      for (const row of page(0)) yield toRow(row);
    },
    *gone() {
      for (const { id, key } of page(1)) if (key !== null) yield { id, key };
    },
    unseen: (seen, limit) => unseen.all(stream, seen, limit).map(toRow),
    forgetUnseen: (seen) => void forget.run(stream, seen),
    count: () => count.get(stream) ?? 0,
    mark: (name) => mark.get(nameMark(name)) ?? null,
    setMark: (name, value) => void setMark.run(nameMark(name), value),
  };
}
