import type { Sqlite } from './sqlite.js';

export interface AuditRow {
  readonly seq: number;
  /** null once erased. */
  readonly salt: string | null;
  readonly entry: string | null;
  readonly commitment: string;
  readonly hash: string;
}

export interface AuditStore {
  append(row: Omit<AuditRow, 'seq'>): number;
  last(): AuditRow | null;
  /** Pages by sequence number, so that a long log is never held whole. */
  page(afterSeq: number, limit: number): readonly AuditRow[];
  count(): number;
}

export function createAuditStore(sqlite: Sqlite): AuditStore {
  const insert = sqlite.prepare('INSERT INTO audit (salt, entry, commitment, hash) VALUES (?, ?, ?, ?)');
  const last = sqlite.prepare<[], AuditRow>('SELECT * FROM audit ORDER BY seq DESC LIMIT 1');
  const page = sqlite.prepare<[number, number], AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?');
  const count = sqlite.prepare<[], number>('SELECT count(*) FROM audit').pluck();
  return {
    append: (row) => Number(insert.run(row.salt, row.entry, row.commitment, row.hash).lastInsertRowid),
    last: () => last.get() ?? null,
    page: (after, limit) => page.all(after, limit),
    count: () => count.get() ?? 0,
  };
}
