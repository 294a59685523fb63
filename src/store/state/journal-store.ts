import type { Entity } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { Sqlite } from '../sqlite.js';

export interface JournalIntent {
  readonly run: string;
  readonly change: Change;
  /** Which call of the change: `create`, `update`, `owners`. */
  readonly step: string;
  readonly at: string;
}

export interface JournalOutcome {
  readonly status: 'done' | 'refused' | 'lost';
  readonly at: string;
  readonly requestId: string | null;
  readonly httpStatus: number | null;
  /** The reading that showed it where no answer told it, as the audit names it. */
  readonly provedBy: string | null;
  /** The object as the service answered it, for the mirror to absorb. */
  readonly observed: Observed | null;
  readonly error: string | null;
}

export interface SettledCall {
  readonly step: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly provedBy: string | null;
}

export interface JournalEntry extends JournalIntent {
  readonly seq: number;
  readonly status: 'intent' | JournalOutcome['status'];
  readonly observed: Observed | null;
}

/**
 * The life of an entry: `intent` (on disk before the call) → `done` (the service took it) | `refused` (it said no, or the
 * call never left) | `lost` (its answer was lost and a look afterwards found nothing of it).
 * An entry still `intent` when a run starts belongs to a process that died: it is resolved before anything else.
 */
export interface JournalStore {
  intend(intents: readonly JournalIntent[]): readonly number[];
  settle(seq: number, outcome: JournalOutcome): void;
  open(): readonly JournalEntry[];
  /** Calls of one change in one run whose outcome is known, in order. */
  settledCalls(run: string, changeId: string): readonly SettledCall[];
  /** Whether a call of that change, in whatever run, was made and never found to have happened. */
  wasLost(changeId: string, step: string): boolean;
  /** A change of a run as it was meant, while it is kept. */
  changeOf(run: string, changeId: string): Change | null;
  /** Answered objects that the mirror may lack because a process died between the two files, oldest first. */
  unabsorbed(): readonly Observed[];
  /** The mirror holds all of them on disk now. */
  forgetAbsorbed(): void;
}

interface JournalRow {
  seq: number;
  run: string;
  change_id: string;
  entity: Entity;
  key: string;
  step: string;
  change: string;
  at: string;
  status: 'intent' | 'done' | 'refused' | 'lost';
  observed: string | null;
}

export function createJournalStore(sqlite: Sqlite): JournalStore {
  const insert = sqlite.prepare(
    `INSERT INTO journal (run, change_id, entity, key, step, change, at, status) VALUES (?, ?, ?, ?, ?, ?, ?, 'intent')`,
  );
  const settle = sqlite.prepare(
    `UPDATE journal SET status = ?, outcome_at = ?, request_id = ?, http_status = ?, proved_by = ?, observed = ?, error = ?
     WHERE seq = ?`,
  );
  const open = sqlite.prepare<[], JournalRow>(`SELECT * FROM journal WHERE status = 'intent' ORDER BY seq`);
  const settled = sqlite.prepare<[string, string], SettledCall>(
    `SELECT step, http_status AS status, request_id AS requestId, proved_by AS provedBy FROM journal
     WHERE run = ? AND change_id = ? AND status = 'done' ORDER BY seq`,
  );
  const lost = sqlite
    .prepare<[string, string], number>(
      `SELECT 1 FROM journal WHERE change_id = ? AND step = ? AND status = 'lost' LIMIT 1`,
    )
    .pluck();
  const changeOf = sqlite
    .prepare<[string, string], string>(
      'SELECT change FROM journal WHERE run = ? AND change_id = ? ORDER BY seq DESC LIMIT 1',
    )
    .pluck();
  const unabsorbed = sqlite
    .prepare<[], string>('SELECT observed FROM journal WHERE observed IS NOT NULL ORDER BY seq')
    .pluck();
  const forget = sqlite.prepare('UPDATE journal SET observed = NULL WHERE observed IS NOT NULL');
  const intend = sqlite.transaction((intents: readonly JournalIntent[]) =>
    intents.map((i) =>
      Number(
        insert.run(i.run, i.change.id, i.change.entity, i.change.key, i.step, JSON.stringify(i.change), i.at)
          .lastInsertRowid,
      ),
    ),
  );
  return {
    intend,
    settle: (seq, o) =>
      void settle.run(
        o.status,
        o.at,
        o.requestId,
        o.httpStatus,
        o.provedBy,
        o.observed === null ? null : JSON.stringify(o.observed),
        o.error,
        seq,
      ),
    open: () =>
      open.all().map((row) => ({
        seq: row.seq,
        run: row.run,
        change: JSON.parse(row.change) as Change,
        step: row.step,
        at: row.at,
        status: row.status,
        observed: row.observed === null ? null : (JSON.parse(row.observed) as Observed),
      })),
    settledCalls: (run, changeId) => settled.all(run, changeId),
    wasLost: (changeId, step) => lost.get(changeId, step) !== undefined,
    changeOf(run, changeId) {
      const text = changeOf.get(run, changeId);
      return text === undefined ? null : (JSON.parse(text) as Change);
    },
    unabsorbed: () => unabsorbed.all().map((text) => JSON.parse(text) as Observed),
    forgetAbsorbed: () => void forget.run(),
  };
}
