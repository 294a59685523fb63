import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, eachRow, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { journal } from './state-schema.js';

export interface JournalIntent {
  readonly run: string;
  readonly change: Change;
  /** Which call of the change: `create`, `update`, `owners`. */
  readonly step: string;
  readonly at: string;
}

/** What is not named is null: of a call without an answer nothing is known but how it ended. */
export interface JournalOutcome {
  readonly status: 'done' | 'refused' | 'lost';
  readonly at: string;
  readonly requestId?: string | null;
  readonly httpStatus?: number | null;
  /** The reading that showed it where there was no answer, as the audit names it. */
  readonly provedBy?: string | null;
  /** The object as the service answered it, for the mirror to absorb. */
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
 * The life of an entry: `intent` (on disk before the call) → `done` (the service took it) | `refused` (it said no, or the
 * call never left) | `lost` (its answer was lost and a look afterwards found nothing of it).
 * An entry still `intent` when a run starts belongs to a process that died: it is resolved before anything else.
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
    /** The call of an intent leaves only now. */
    renew: (seq: number, at: string) => void renew({ seq, at }),
    open: () => open().map(toEntry),
    /** Calls of one change in one run whose outcome is known, in order. */
    settledCalls: (run: string, changeId: string) => settled({ run, changeId }),
    /** Whether a call of that change, in whatever run, was made and never found to have happened. */
    wasLost: (changeId: string, step: string) => wasLost({ changeId, step }),
    /** A change of a run as it was meant, while it is kept. */
    changeOf: (run: string, changeId: string) => parseOrNull<Change>(changeOf({ run, changeId })),
    ...absorption,
  };
}

/** Up to this intent no entry has an object for the mirror. */
const ABSORBED = 'journal.absorbed';
const TOGETHER = 200;

interface UnabsorbedRow {
  readonly seq: number;
  readonly observed: string;
}

/** Answered objects stay in the journal until the mirror has them. It is never looked through as a whole for them: it keeps months. */
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
    /** Objects that the mirror may lack because a process died between the two files, oldest first. */
    *unabsorbed(): Iterable<Observed> {
      for (const { observed } of eachRow(page, { seq: absorbed() })) yield JSON.parse(observed) as Observed;
    },
    /** The mirror holds all of them on disk now. In steps: they may be very many. */
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
