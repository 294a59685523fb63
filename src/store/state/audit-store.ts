import { createNamedValues } from '../named-values.js';
import { ERASED_FACT } from '../personal-tables.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, parseOrNull, type RowOf } from '../statements.js';
import { createSecretFact } from './secret-fact.js';
import type { audit } from './state-schema.js';

/** A row of the log. `salt` and `entry` are null once erased. */
export type AuditRow = RowOf<typeof audit>;

/** The last removed entry, which the chain starts after. */
export interface Checkpoint {
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
}

/** How the process that opened the store writes entries. */
export interface AuditPolicy {
  readonly pseudonymise: boolean;
}

/** Builds the next row from the hash of the last row; null if the log is empty. */
type BuildRow = (lastHash: string | null) => Omit<AuditRow, 'seq'>;

export type AuditStore = ReturnType<typeof createAuditStore>;

const CHECKPOINT = 'audit.checkpoint';
const KEY = 'audit.pseudonym_key';
const AS_THEY_ARE: AuditPolicy = { pseudonymise: false };
const PAGE = 500;

export function createAuditStore(sqlite: Sqlite, policy: AuditPolicy = AS_THEY_ARE) {
  const { all, any, count, one, run, value } = createStatements(sqlite);
  const insert = sqlite.prepare<Omit<AuditRow, 'seq'>>(
    'INSERT INTO audit (salt, entry, commitment, hash) VALUES ($salt, $entry, $commitment, $hash)',
  );
  const last = one<AuditRow>('SELECT * FROM audit ORDER BY seq DESC LIMIT 1');
  const lastHash = value<string>('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1');
  const find = one<AuditRow>('SELECT * FROM audit WHERE seq = $seq');
  const page = all<AuditRow>(`SELECT * FROM audit WHERE seq > $seq ORDER BY seq LIMIT ${PAGE}`);
  const pageBack = all<AuditRow>('SELECT * FROM audit WHERE seq < $seq ORDER BY seq DESC LIMIT 100');
  const naming = all<AuditRow>(
    `SELECT * FROM audit WHERE seq < $seq AND instr(entry, $text) > 0 ORDER BY seq DESC LIMIT 50`,
  );
  const erase = run('UPDATE audit SET salt = NULL, entry = NULL WHERE seq = $seq');
  const drop = run('DELETE FROM audit WHERE seq <= $seq');
  const facts = createNamedValues(sqlite, 'facts');
  const pseudonymKey = createSecretFact(sqlite, KEY);
  const append = sqlite.transaction((build: BuildRow) => Number(insert.run(build(lastHash())).lastInsertRowid));
  return {
    /** Appends the next row in one transaction, because `approve` may write during a run. */
    append: (build: BuildRow) => append.immediate(build),
    last,
    find: (seq: number) => find({ seq }),
    /** All entries, oldest first. */
    rows: () => eachRow(page, { seq: 0 }),
    /** Entries before `seq`, newest first. */
    rowsBefore: (seq: number) => eachRow(pageBack, { seq }),
    /** Entries that contain a text, newest first. */
    rowsNaming: (text: string) => eachRow(({ seq }) => naming({ seq, text }), { seq: Number.MAX_SAFE_INTEGER }),
    count: count('SELECT count(*) FROM audit'),
    /**
     * Calculates the number of entries from the first and last numbers, because counting a million rows takes half a
     * second.
     */
    length: (): number => Math.max(0, (last()?.seq ?? 0) - (parseOrNull<Checkpoint>(facts.find(CHECKPOINT))?.seq ?? 0)),
    /** True if a person was ever erased. */
    hasErasures: any(`SELECT 1 FROM facts WHERE name LIKE '${ERASED_FACT}%'`),
    /** Removes salt and text. Commitments and hashes stay, so the chain still verifies. */
    erase: (seqs: readonly number[]) => seqs.forEach((seq) => void erase({ seq })),
    checkpoint: () => parseOrNull<Checkpoint>(facts.find(CHECKPOINT)),
    /** Deletes all rows up to the checkpoint. The chain then starts after it. */
    dropUpTo(checkpoint: Checkpoint): void {
      drop(checkpoint);
      facts.set(CHECKPOINT, JSON.stringify(checkpoint));
    },
    /** Reads one snapshot of the log, even if others write meanwhile. It must not span an await. */
    snapshot: <T>(read: () => T): T => sqlite.transaction(read)(),
    /**
     * Returns the random key, which is created with the first pseudonym. A person keeps the same pseudonym as long as
     * the state exists.
     */
    makePseudonymKey: pseudonymKey.make,
    /** Returns the key, or null if no pseudonym was ever created. */
    pseudonymKey: pseudonymKey.find,
    policy,
  };
}
