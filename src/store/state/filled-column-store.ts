import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';
import { filledColumns } from './state-schema.js';

/**
 * Stores the columns that a stream's records had values in when a run last used them, as `FilledMemory` for the
 * connectors.
 */
export function createFilledColumnStore(sqlite: Sqlite, stream: string) {
  const { all, atOnce, run, upsert } = createStatements(sqlite);
  const facts = createNamedValues(sqlite, 'facts');
  const fact = `columns.filled ${stream}`;
  const page = all<{ readonly key: string; readonly filled: string }>(
    'SELECT key, filled FROM filled_columns WHERE stream = $stream AND key > $key ORDER BY key LIMIT 500',
  );
  const put = upsert(filledColumns);
  const drop = run('DELETE FROM filled_columns WHERE stream = $stream AND key = $key');
  return {
    columns(): readonly string[] | null {
      const text = facts.find(fact);
      return text === null ? null : (JSON.parse(text) as readonly string[]);
    },
    *each(): Iterable<readonly [string, string]> {
      for (const { key, filled } of eachRow(({ key }) => page({ stream, key }), { key: '' })) yield [key, filled];
    },
    /** Stores all of this in one transaction. */
    note: atOnce(
      (columns: readonly string[], signs: Iterable<readonly [string, string]>, dropped: Iterable<string>) => {
        const text = JSON.stringify(columns);
        if (facts.find(fact) !== text) facts.set(fact, text);
        for (const [key, filled] of signs) put({ stream, key, filled });
        for (const key of dropped) drop({ stream, key });
      },
    ),
  };
}
