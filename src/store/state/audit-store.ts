import type { Sqlite } from '../sqlite.js';
import { createSecretFact } from './secret-fact.js';

export interface AuditRow {
  readonly seq: number;
  /** null once erased. */
  readonly salt: string | null;
  readonly entry: string | null;
  readonly commitment: string;
  readonly hash: string;
}

/** Where the chain begins once its oldest entries are gone: the last one that was taken away. */
export interface Checkpoint {
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
}

/** How entries are written by whoever opened the store. */
export interface AuditPolicy {
  readonly pseudonymise: boolean;
}

export interface AuditStore {
  /** Appends the row that follows from the last one, in one transaction: `approve` may write during a run. */
  append(build: (last: AuditRow | null) => Omit<AuditRow, 'seq'>): number;
  last(): AuditRow | null;
  find(seq: number): AuditRow | null;
  /** Pages by sequence number, so that a long log is never held whole. */
  page(afterSeq: number, limit: number): readonly AuditRow[];
  count(): number;
  /** Takes out salt and text; commitments and hashes stay, so that the chain still verifies. */
  erase(seqs: readonly number[]): void;
  checkpoint(): Checkpoint | null;
  /** Takes away all rows up to the checkpoint, which the chain starts from then. */
  dropUpTo(checkpoint: Checkpoint): void;
  /** Reads one moment of the log, whatever is written meanwhile. Never spans an await. */
  snapshot<T>(read: () => T): T;
  /** Random, made with the first pseudonym: the same person has the same one for as long as the state lives. */
  makePseudonymKey(): string;
  /** The same, null when no pseudonym was ever made. */
  pseudonymKey(): string | null;
  readonly policy: AuditPolicy;
}

const CHECKPOINT = 'audit.checkpoint';
const KEY = 'audit.pseudonym_key';
const AS_THEY_ARE: AuditPolicy = { pseudonymise: false };

export function createAuditStore(sqlite: Sqlite, policy: AuditPolicy = AS_THEY_ARE): AuditStore {
  const insert = sqlite.prepare('INSERT INTO audit (salt, entry, commitment, hash) VALUES (?, ?, ?, ?)');
  const last = sqlite.prepare<[], AuditRow>('SELECT * FROM audit ORDER BY seq DESC LIMIT 1');
  const find = sqlite.prepare<[number], AuditRow>('SELECT * FROM audit WHERE seq = ?');
  const page = sqlite.prepare<[number, number], AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?');
  const count = sqlite.prepare<[], number>('SELECT count(*) FROM audit').pluck();
  const erase = sqlite.prepare('UPDATE audit SET salt = NULL, entry = NULL WHERE seq = ?');
  const drop = sqlite.prepare('DELETE FROM audit WHERE seq <= ?');
  const fact = sqlite.prepare<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const setFact = sqlite.prepare(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  const append = sqlite.transaction((build: (last: AuditRow | null) => Omit<AuditRow, 'seq'>) => {
    const row = build(last.get() ?? null);
    return Number(insert.run(row.salt, row.entry, row.commitment, row.hash).lastInsertRowid);
  });
  const pseudonymKey = createSecretFact(sqlite, KEY);
  return {
    append: (build) => append.immediate(build),
    last: () => last.get() ?? null,
    find: (seq) => find.get(seq) ?? null,
    page: (after, limit) => page.all(after, limit),
    count: () => count.get() ?? 0,
    erase: (seqs) => seqs.forEach((seq) => void erase.run(seq)),
    checkpoint() {
      const text = fact.get(CHECKPOINT);
      return text === undefined ? null : (JSON.parse(text) as Checkpoint);
    },
    dropUpTo(checkpoint) {
      drop.run(checkpoint.seq);
      setFact.run(CHECKPOINT, JSON.stringify(checkpoint));
    },
    snapshot: (read) => sqlite.transaction(read)(),
    makePseudonymKey: pseudonymKey.make,
    pseudonymKey: pseudonymKey.find,
    policy,
  };
}
