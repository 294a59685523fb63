import { type Clock, isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { idOfIn } from '../model/directory.js';
import { FIELDS } from '../model/fields.js';
import { textOf } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { formatTemplate } from '../service/endpoints.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { ExecutionResult } from './end-change.js';
import type { Execution } from './execution.js';
import { inTransactions } from './in-turns.js';
import { recordEnd } from './outcome.js';
import { findUntaken, formatUntaken, type Untaken } from './verify.js';

/** A create from its stored intent; the person was sent in an import file. */
export interface ImportedChange {
  readonly change: Change;
  readonly approval: string | null;
  readonly run: string;
}

export interface AwaitedImport {
  /** May be iterated several times; the changes are read from storage each time. */
  readonly people: () => Iterable<ImportedChange>;
  /** Change id → sequence number of its open intent. */
  readonly open: Map<string, number>;
  readonly call: AuditedCall;
  readonly deadlineMs: number;
  /** The reason why the service may not have the file; null if the service confirmed it. */
  readonly doubt: string | null;
  readonly signal: AbortSignal | undefined;
  readonly onEnd: (change: Change, end: ExecutionResult) => void;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Once the first people have appeared, the wait ends after this long without another person. */
const QUIET_MS = 120_000;

/**
 * Confirms the people of an import. The service only reports that an import has started, and no read shows when it has
 * finished. So all people are read repeatedly, with growing pauses, and the change of each person ends separately:
 *
 * | the full read shows                    | →                                                              |
 * |----------------------------------------|----------------------------------------------------------------|
 * | the person as the change wanted        | done: link, base, audit                                        |
 * | the person, but other values           | wait; not taken when the time is over                          |
 * | nobody                                 | wait; lost when the time is over: the next runs create the     |
 * |                                        | person by a separate call                                      |
 * | nothing, because it cannot be read     | the intents stay open: the next run looks before anything else |
 */
export async function confirmImport(awaited: AwaitedImport, execution: Execution): Promise<void> {
  const { open, signal, deadlineMs } = awaited;
  const patience = createPatience(deadlineMs, execution.clock);
  for (;;) {
    const isRead = await readAgain(execution);
    if (isRead && (await endPeople(awaited, execution, judgeFound)) > 0) patience.renew();
    if (open.size === 0) return;
    if (patience.isOver()) {
      if (isRead) await endPeople(awaited, execution, (look) => judgeLast(look, awaited.doubt));
      return;
    }
    await patience.pause(signal);
    if (signal?.aborted) return;
  }
}

/** Decides how long to wait for people, and how often to read. */
function createPatience(deadlineMs: number, clock: Clock) {
  let pauseMs = FIRST_PAUSE_MS;
  let lastCameMs: number | null = null;
  return {
    /** Call this when a person has appeared. */
    renew(): void {
      lastCameMs = clock.now();
      pauseMs = FIRST_PAUSE_MS;
    },
    isOver(): boolean {
      const now = clock.now();
      return now >= deadlineMs || (lastCameMs !== null && now - lastCameMs >= QUIET_MS);
    },
    async pause(signal: AbortSignal | undefined): Promise<void> {
      await clock.sleep(Math.min(pauseMs, deadlineMs - clock.now()), signal).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
  };
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

/** A person as the last full read shows them. */
interface PersonLook {
  readonly change: Change;
  readonly found: Observed | null;
  /** Values in the service that differ from the desired values. */
  readonly untaken: readonly Untaken[];
}

/** Returns null if the person has not appeared with the desired values yet. */
function judgeFound({ found, untaken }: PersonLook): ExecutionResult | null {
  return found === null || untaken.length > 0 ? null : { result: 'done', error: null };
}

function judgeLast({ change, found }: PersonLook, doubt: string | null): ExecutionResult {
  if (found !== null) return { result: 'not taken', error: null };
  const because =
    doubt === null ? 'The import accepted the file, but' : `The outcome of the import is not known (${doubt}), and`;
  const error = new SyncError('SYNC_IMPORT_MISSING', {
    message: `${because} the person has not appeared in the service.`,
    place: change.place,
    remedy:
      'The next run creates the person with a single call; the import log of the service may show why the row was skipped.',
  });
  return { result: 'lost', error };
}

/** @returns the number of changes that have ended */
async function endPeople(
  awaited: AwaitedImport,
  execution: Execution,
  judge: (look: PersonLook) => ExecutionResult | null,
): Promise<number> {
  const before = awaited.open.size;
  await inTransactions(execution.stores.state, awaited.people(), (person) => {
    if (!awaited.open.has(person.change.id)) return;
    const look = lookAt(person.change, execution);
    const verdict = judge(look);
    if (verdict !== null) endPerson(person, { ...look, ...verdict }, awaited, execution);
  });
  return before - awaited.open.size;
}

function lookAt(change: Change, { stores, calls }: Execution): PersonLook {
  const found = findImported(change, { stores });
  const untaken = found === null ? [] : findUntaken(change, stores.withNames(found), idOfIn(calls.directory));
  return { change, found, untaken };
}

function endPerson(
  { change, approval, run }: ImportedChange,
  { found: observed, untaken, result, error }: PersonLook & ExecutionResult,
  { call, open, onEnd }: AwaitedImport,
  { stores, clock, contextOf }: Execution,
): void {
  const at = isoNow(clock);
  const words = untaken.length === 0 ? null : `The service has other values: ${formatUntaken(untaken)}`;
  const said = error?.message ?? words;
  const proved = result === 'done' ? { ...call, proved_by: formatTemplate('searchUsers') } : call;
  const end = { change, run, at, approval, calls: [proved], result, error: said, observed, untaken };
  // The read that found the person updated the mirror, so the journal does not store the object.
  recordEnd(stores, end, contextOf, () =>
    stores.journal.settle(open.get(change.id) ?? 0, {
      status: result === 'lost' ? 'lost' : 'done',
      at,
      requestId: call.request_id,
      httpStatus: call.status,
      provedBy: proved.proved_by ?? null,
      error: said,
    }),
  );
  open.delete(change.id);
  onEnd(change, { result, error });
}

const UNIQUE = Object.keys(FIELDS.users).filter((name) => FIELDS.users[name]?.unique === true);

/** Finds the person that the import created for a row. Matches like the service: first by external id, then by e-mail address. */
export function findImported({ after }: Change, { stores }: Pick<Execution, 'stores'>): Observed | null {
  for (const name of UNIQUE) {
    const value = textOf(after[name]);
    const [id] = value === '' ? [] : stores.mirror.findIds('users', name, foldKey(value));
    if (id !== undefined) return stores.mirror.get('users', id);
  }
  return null;
}
