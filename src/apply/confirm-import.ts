import type { AuditedCall } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { idOfIn } from '../model/directory.js';
import { textOf } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { formatTemplate } from '../service/endpoints.js';
import type { Execution, ExecutionResult } from './execute-change.js';
import { inTurns } from './in-turns.js';
import { recordEnd } from './outcome.js';
import { findUntaken, formatUntaken } from './verify.js';

/** A create that went by file, as its intent on disk has it. */
export interface ImportedChange {
  readonly change: Change;
  readonly approval: string | null;
  readonly run: string;
}

export interface AwaitedImport {
  /** May be walked several times: the changes stay where they are stored. */
  readonly people: () => Iterable<ImportedChange>;
  /** Change id → sequence number of its open intent. */
  readonly open: Map<string, number>;
  readonly call: AuditedCall;
  readonly deadlineMs: number;
  /** Why it is not even certain that the service has the file; null when it said that it has. */
  readonly doubt: string | null;
  readonly signal: AbortSignal | undefined;
  readonly onEnd: (change: Change, end: ExecutionResult) => void;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Once the first have come: so long without anybody new, and nobody else is waited for. */
const QUIET_MS = 120_000;
/** Ends that reach the disk together. */
const TOGETHER = 50;

/**
 * An import says only that it started, and no read tells when it is over. So everybody is read again and again, with
 * growing pauses, and each person ends alone:
 *
 * | the full read shows                    | →                                                             |
 * |----------------------------------------|---------------------------------------------------------------|
 * | the person as the change wanted        | done: link, base, audit                                       |
 * | the person, but other values           | waited for; not taken when the time is over                   |
 * | nobody                                 | waited for; lost when the time is over: created by a call of   |
 * |                                        | their own from the next run on                                |
 * | nothing, because it cannot be read     | the intents stay open: the next run looks before anything else |
 */
export async function confirmImport(awaited: AwaitedImport, execution: Execution): Promise<void> {
  const { clock } = execution;
  const { open, signal, deadlineMs } = awaited;
  let lastCameMs: number | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; ) {
    const isRead = await readAgain(execution);
    if (signal?.aborted) return;
    const before = open.size;
    if (isRead) await endPeople(awaited, execution, (change, found) => judgeFound(change, found, execution));
    if (open.size === 0) return;
    const now = clock.now();
    if (open.size < before) {
      lastCameMs = now;
      pauseMs = FIRST_PAUSE_MS;
    }
    const isQuiet = lastCameMs !== null && now - lastCameMs >= QUIET_MS;
    if (isQuiet || now >= deadlineMs) {
      if (isRead) await endPeople(awaited, execution, (change, found) => judgeLast(change, found, awaited, execution));
      return;
    }
    await clock.sleep(Math.min(pauseMs, deadlineMs - now), signal).catch(() => undefined);
    if (signal?.aborted) return;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

async function readAgain({ readEverybody }: Execution): Promise<boolean> {
  try {
    await readEverybody();
    return true;
  } catch (error) {
    if (error instanceof SyncError) return false;
    throw error;
  }
}

/** How a person ends; null: not yet. */
type ImportVerdict = ExecutionResult & { readonly untaken?: ReturnType<typeof findUntaken> };

function judgeFound(change: Change, found: Observed | null, { stores, calls }: Execution): ImportVerdict | null {
  if (found === null || findUntaken(change, stores.withNames(found), idOfIn(calls.directory)).length > 0) return null;
  return { result: 'done', error: null };
}

function judgeLast(
  change: Change,
  found: Observed | null,
  { doubt }: AwaitedImport,
  { stores, calls }: Execution,
): ImportVerdict {
  if (found !== null) {
    return {
      result: 'not taken',
      error: null,
      untaken: findUntaken(change, stores.withNames(found), idOfIn(calls.directory)),
    };
  }
  const because =
    doubt === null ? 'The import took the file, but' : `What became of the import is not known (${doubt}), and`;
  const error = new SyncError('SYNC_IMPORT_MISSING', {
    message: `${because} the person has not appeared in the service.`,
    place: change.place,
    remedy:
      'The next run creates the person by a call of its own; the import log of the service may show why the row was skipped.',
  });
  return { result: 'lost', error };
}

async function endPeople(
  awaited: AwaitedImport,
  execution: Execution,
  judge: (change: Change, found: Observed | null) => ImportVerdict | null,
): Promise<void> {
  let batch: (() => void)[] = [];
  const { state } = execution.stores;
  const flush = (): void => {
    const ends = batch;
    batch = [];
    state.transaction(() => {
      for (const end of ends) end();
    });
  };
  await inTurns(awaited.people(), (person) => {
    const seq = awaited.open.get(person.change.id);
    if (seq === undefined) return;
    const found = findImported(person.change, execution);
    const verdict = judge(person.change, found);
    if (verdict === null) return;
    batch.push(() => endPerson(person, { ...verdict, seq, observed: found }, awaited, execution));
    if (batch.length === TOGETHER) flush();
  });
  flush();
}

function endPerson(
  { change, approval, run }: ImportedChange,
  {
    result,
    error,
    untaken = [],
    seq,
    observed,
  }: ImportVerdict & { readonly seq: number; readonly observed: Observed | null },
  { call, open, onEnd }: AwaitedImport,
  { stores, clock, contextOf }: Execution,
): void {
  const at = isoNow(clock);
  const words = untaken.length === 0 ? null : `The service holds other values: ${formatUntaken(untaken)}`;
  const said = error?.message ?? words;
  const proved = result === 'done' ? { ...call, proved_by: formatTemplate('searchUsers') } : call;
  const end = {
    change,
    run,
    at,
    approval,
    calls: [proved],
    result,
    error: said,
    observed,
    untaken,
  };
  recordEnd(stores, end, contextOf, () =>
    stores.journal.settle(seq, {
      status: result === 'lost' ? 'lost' : 'done',
      at,
      requestId: call.request_id,
      httpStatus: call.status,
      provedBy: proved.proved_by ?? null,
      // The mirror has the person already, from the read that found it.
      observed: null,
      error: said,
    }),
  );
  open.delete(change.id);
  onEnd(change, { result, error });
}

/** The person whom the import made of a row: the service matches by external id first, then by e-mail, and so is it found. */
export function findImported({ after }: Change, { stores }: Pick<Execution, 'stores'>): Observed | null {
  for (const name of ['external_unique_id', 'email']) {
    const value = textOf(after[name]);
    const [id] = value === '' ? [] : stores.mirror.findIds('users', name, foldKey(value));
    if (id !== undefined) return stores.mirror.get('users', id);
  }
  return null;
}
