import type { Sqlite } from './sqlite.js';
import { createStatements } from './statements.js';

/**
 * A table of single values with names. The `facts` of state.db are stored nowhere else; the `marks` of mirror.db can be
 * read again.
 */
export function createNamedValues(sqlite: Sqlite, table: 'facts' | 'marks') {
  const { run, value } = createStatements(sqlite);
  const find = value<string>(`SELECT value FROM ${table} WHERE name = $name`);
  const set = run(
    `INSERT INTO ${table} (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
  const forget = run(`DELETE FROM ${table} WHERE name = $name`);
  return {
    find: (name: string) => find({ name }),
    set: (name: string, text: string) => void set({ name, value: text }),
    forget: (name: string) => void forget({ name }),
  };
}
