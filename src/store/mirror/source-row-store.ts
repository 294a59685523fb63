import type { Json } from '../../model/json.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { sourceRows } from './mirror-schema.js';

export interface StoredRow {
  readonly id: string;
  readonly key: string | null;
  readonly body: Json;
}

type SourceRow = Pick<RowOf<typeof sourceRows>, 'id' | 'key' | 'body'>;

function toStored({ id, key, body }: SourceRow): StoredRow {
  return { id, key, body: parseOrNull<Json>(body) };
}

const PRESENT = 'stream = $stream AND gone = 0';

/** Stores one stream's rows from earlier reads, as `KnownRows` for the connectors. */
export function createSourceRowStore(sqlite: Sqlite, stream: string) {
  const { all, atOnce, count, run, upsert } = createStatements(sqlite);
  const put = upsert(sourceRows);
  const bury = run('UPDATE source_rows SET gone = 1, body = NULL WHERE stream = $stream AND id = $id');
  const page = all<SourceRow>(
    `SELECT id, key, body FROM source_rows WHERE stream = $stream AND gone = $gone AND id > $id ORDER BY id LIMIT 500`,
  );
  const unseen = all<SourceRow>(
    `SELECT id, key, body FROM source_rows WHERE stream = $stream AND gone <> 1 AND seen <> $seen ORDER BY id LIMIT $limit`,
  );
  const forget = run(`DELETE FROM source_rows WHERE ${PRESENT} AND seen <> $seen`);
  const setAside = run(`UPDATE source_rows SET gone = 2, body = NULL WHERE ${PRESENT} AND seen <> $seen`);
  const forgetOne = run('DELETE FROM source_rows WHERE stream = $stream AND id = $id');
  const one = all<SourceRow>(`SELECT id, key, body FROM source_rows WHERE ${PRESENT} AND id = $id`);
  const shown = all<SourceRow>(
    `SELECT id, key, NULL AS body FROM source_rows WHERE ${PRESENT} AND seen = $seen LIMIT 1`,
  );
  const countOf = count(`SELECT count(*) FROM source_rows WHERE ${PRESENT}`);
  const marks = createNamedValues(sqlite, 'marks');
  const markOf = (name: string): string => `source ${stream} ${name}`;
  const rowsOf = (gone: 0 | 1): Iterable<SourceRow> => eachRow(({ id }) => page({ stream, gone, id }), { id: '' });
  return {
    keep: atOnce((rows: readonly StoredRow[], seen: number) => {
      for (const { id, key, body } of rows) put({ stream, id, key, body: jsonOrNull(body), gone: 0, seen });
    }),
    bury: atOnce((ids: readonly string[]) => {
      for (const id of ids) bury({ stream, id });
    }),
    find(id: string): Json {
      const [row] = one({ stream, id });
      return row === undefined ? null : toStored(row).body;
    },
    *each(): Iterable<StoredRow> {
      for (const row of rowsOf(0)) yield toStored(row);
    },
    *gone(): Iterable<{ readonly id: string; readonly key: string }> {
      for (const { id, key } of rowsOf(1)) if (key !== null) yield { id, key };
    },
    unseen: (seen: number, limit: number) => unseen({ stream, seen, limit }).map(toStored),
    forgetUnseen: (seen: number) => void forget({ stream, seen }),
    setAside: (seen: number) => void setAside({ stream, seen }),
    forget: atOnce((ids: readonly string[]) => {
      for (const id of ids) forgetOne({ stream, id });
    }),
    shown: (seen: number) => shown({ stream, seen })[0]?.id ?? null,
    count: () => countOf({ stream }),
    mark: (name: string) => marks.find(markOf(name)),
    setMark: (name: string, text: string) => marks.set(markOf(name), text),
  };
}
