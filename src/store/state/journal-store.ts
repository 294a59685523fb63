import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, eachRow, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { journal } from './state-schema.js';

export interface JournalIntent {
  readonly run: string;
  readonly change: Change;
  /** The call that belongs to the change: `create`, `update`, `owners`. */
  readonly step: string;
  readonly at: string;
}

/** How a call ended. Omitted fields are null, because only the end of a call without an answer is known. */
export interface JournalOutcome {
  readonly status: 'done' | 'refused' | 'lost';
  readonly at: string;
  readonly requestId?: string | null;
  readonly httpStatus?: number | null;
  /** The read that proved the outcome of a call without an answer, as in the audit log. */
  readonly provedBy?: string | null;
  /** The object in the service's answer, which the mirror must absorb. */
  readonly observed?: Observed | null;
  readonly error?: string | null;
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
 * Stores the intents and outcomes of calls. An entry is `intent` (on disk before the call), then one of:
 * - `done`: the service accepted it
 * - `refused`: the service rejected it, or the call was never sent
 * - `lost`: there was no answer, and a later look-up found no effect
 *
 * If an entry is still `intent` when a run starts, its process ended early. The run resolves such entries before
 * anything else.
 */
export type JournalStore = ReturnType<typeof createJournalStore>;

const UNKNOWN = { requestId: null, httpStatus: null, provedBy: null, error: null } as const;

type JournalRow = RowOf<typeof journal>;

function toEntry({ seq, run, step, at, status, change, observed }: JournalRow): JournalEntry {
  return { seq, run, step, at, status, change: JSON.parse(change) as Change, observed: parseOrNull(observed) };
}

export function createJournalStore(sqlite: Sqlite) {
  const { all, any, atOnce, run, value } = createStatements(sqlite);
  const insert = sqlite.prepare<object>(
    `INSERT INTO journal (run, change_id, entity, key, step, change, at, status)
     VALUES ($run, $changeId, $entity, $key, $step, $change, $at, 'intent')`,
  );
  const settle = run(
    `UPDATE journal SET status = $status, outcome_at = $at, request_id = $requestId, http_status = $httpStatus,
       proved_by = $provedBy, observed = $observed, error = $error WHERE seq = $seq`,
  );
  const renew = run("UPDATE journal SET at = $at WHERE seq = $seq AND status = 'intent'");
  const open = all<JournalRow>(`SELECT ${columnsOf(journal)} FROM journal WHERE status = 'intent' ORDER BY seq`);
  const settled = all<SettledCall>(
    `SELECT step, http_status AS status, request_id AS requestId, proved_by AS provedBy FROM journal
     WHERE run = $run AND change_id = $changeId AND status = 'done' ORDER BY seq`,
  );
  const wasLost = any("SELECT 1 FROM journal WHERE change_id = $changeId AND step = $step AND status = 'lost' LIMIT 1");
  const changeOf = value<string>(
    'SELECT change FROM journal WHERE run = $run AND change_id = $changeId ORDER BY seq DESC LIMIT 1',
  );
  const absorption = createAbsorption(sqlite);

  function intend({ change, ...intent }: JournalIntent): number {
    const { id: changeId, entity, key } = change;
    const row = { ...intent, changeId, entity, key, change: JSON.stringify(change) };
    return Number(insert.run(row).lastInsertRowid);
  }

  return {
    intend: atOnce((intents: readonly JournalIntent[]) => intents.map(intend)),
    settle: (seq: number, outcome: JournalOutcome) =>
      void settle({ ...UNKNOWN, ...outcome, seq, observed: jsonOrNull(outcome.observed) }),
    /** Updates the time of an intent if its call is only sent now. */
    renew: (seq: number, at: string) => void renew({ seq, at }),
    open: () => open().map(toEntry),
    /** Successful calls for one change in one run, in order. */
    settledCalls: (run: string, changeId: string) => settled({ run, changeId }),
    /** True if a call for the change was made in any run and never proven to have happened. */
    wasLost: (changeId: string, step: string) => wasLost({ changeId, step }),
    /** A change of a run as planned, as long as the journal keeps it. */
    changeOf: (run: string, changeId: string) => parseOrNull<Change>(changeOf({ run, changeId })),
    ...absorption,
  };
}

/** Up to this intent, the mirror has absorbed all objects. */
const ABSORBED = 'journal.absorbed';
const TOGETHER = 200;

interface UnabsorbedRow {
  readonly seq: number;
  readonly observed: string;
}

/**
 * Keeps objects from answers in the journal until the mirror has them. The journal covers months, so it is never
 * scanned completely for them.
 */
function createAbsorption(sqlite: Sqlite) {
  const { all, run, value } = createStatements(sqlite);
  const facts = createNamedValues(sqlite, 'facts');
  const page = all<UnabsorbedRow>(
    `SELECT seq, observed FROM journal WHERE seq > $seq AND observed IS NOT NULL ORDER BY seq LIMIT ${TOGETHER}`,
  );
  const forget = run('UPDATE journal SET observed = NULL WHERE seq > $after AND seq <= $seq AND observed IS NOT NULL');
  const settled = value<number>(
    "SELECT coalesce((SELECT min(seq) - 1 FROM journal WHERE status = 'intent'), (SELECT max(seq) FROM journal), 0)",
  );
  const absorbed = (): number => Number(facts.find(ABSORBED) ?? 0);
  return {
    /** Objects that the mirror may lack because a process ended between the two writes, oldest first. */
    *unabsorbed(): Iterable<Observed> {
      for (const { observed } of eachRow(page, { seq: absorbed() })) yield JSON.parse(observed) as Observed;
    },
    /** Forgets objects that the mirror now has on disk. It works in steps, because there may be many objects. */
    *forgetAbsorbed(): Iterable<'forgotten'> {
      const end = settled() ?? 0;
      let after = absorbed();
      for (let rows = page({ seq: after }); rows.length > 0; rows = page({ seq: after })) {
        const seq = rows.at(-1)?.seq ?? after;
        forget({ after, seq });
        after = seq;
        yield 'forgotten';
      }
      if (end !== absorbed()) facts.set(ABSORBED, String(end));
    },
  };
}
