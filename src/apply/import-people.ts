import { isoNow } from '../base/clock.js';
import { asSyncError, SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { BulkLoadConfig } from '../config/entities/entity-schema.js';
import { isAccount } from '../model/entity.js';
import { type BulkLoad, IMPORT_STEP, isImported, type PlannedChange } from '../model/plan.js';
import type { WriteResult } from '../service/answer.js';
import { formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import { buildImportFile } from './build-import-file.js';
import { confirmImport, findImported } from './confirm-import.js';
import type { ExecutionResult } from './end-change.js';
import type { Execution } from './execution.js';
import { inTransactions, inTurns } from './in-turns.js';
import type { LookContext } from './look-first.js';
import { recordEnd } from './outcome.js';

export interface ImportJob {
  readonly bulk: BulkLoadConfig;
  /** May be iterated several times; the changes are read from storage each time. */
  readonly people: () => Iterable<PlannedChange>;
  /** Sends a file of people to the service; a dry run only shows what it would reject. */
  deliver(file: string, isDry: boolean): Promise<Pick<WriteResult<unknown>, 'requestId' | 'status'>>;
  /** True if this run has read every user. */
  readonly usersFresh: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onEnd: (change: PlannedChange, end: ExecutionResult) => void;
}

/** The import of the people in one stage. They are read from the plan each time, because there may be very many. */
export function buildImportJob(
  keys: ReadonlySet<string>,
  filter: 'applicable' | 'wanted',
  {
    config,
    stores,
    service,
    usersFresh,
    signal,
  }: Pick<LookContext, 'stores' | 'service' | 'usersFresh'> & Pick<ImportJob, 'signal'> & { readonly config: Config },
  onEnd: ImportJob['onEnd'],
): ImportJob {
  const bulk = config.users?.bulkLoad ?? null;
  if (bulk === null) throw new Error('the plan uses an import that is not configured');
  return {
    bulk,
    *people() {
      for (const change of stores.work.inOrder(filter)) {
        if (isAccount(change.entity) && isImported(change) && keys.has(change.key)) yield change;
      }
    },
    deliver: (file, dryRun) => service.writer.users.importCsv(file, { setting: bulk.setting, dryRun }),
    usersFresh,
    signal,
    onEnd,
  };
}

/** Counts the calls that an import takes from the call budget. */
export function countImportCalls(bulkLoad: BulkLoad | null): number {
  return Object.values(bulkLoad?.calls ?? {}).reduce((sum, calls) => sum + calls, 0);
}

const CALL = formatTemplate('importUsers');

/**
 * Creates people with the service's own import, as one file:
 *
 * ```
 *     none of them exists → dry run → one intent each on disk → the file → full reads until each has appeared
 *              │               └─ rejected: nothing has happened, and nobody is created
 *              └─ exists by now: left out of the file, since the import would change and promote existing people
 * ```
 *
 * If the answer to a file is lost, the file is never sent again. The run looks for the people as if the service had
 * accepted the file.
 */
export async function importPeople(job: ImportJob, execution: Execution): Promise<void> {
  if (!job.usersFresh) {
    const error = await execution.readEverybody().then(() => null, asSyncError);
    if (error !== null) return refuseAll(job, execution, error);
  }
  const left = await refuseTaken(job, execution);
  const file = await buildImportFile(left.bulk, left.people, execution);
  if (file === null) return;
  try {
    await left.deliver(file, true);
  } catch (error) {
    return refuseAll(left, execution, asSyncError(error));
  }
  const open = await intendAll(left, execution);
  const sent = await send(left, file);
  if (sent.refused !== null) return refuseAll(left, execution, sent.refused, { calls: [sent.call], open });
  await confirmImport(
    {
      *people() {
        for (const change of left.people()) yield { change, approval: change.approval, run: execution.run };
      },
      open,
      call: sent.call,
      deadlineMs: execution.clock.now() + execution.confirmWithinMs,
      doubt: sent.doubt,
      signal: left.signal,
      onEnd: (change, ended) => left.onEnd(change as PlannedChange, ended),
    },
    execution,
  );
  if (open.size > 0 && !left.signal?.aborted) await reportUnread(left, open);
}

interface SentFile {
  readonly call: AuditedCall;
  readonly refused: SyncError | null;
  /** The reason why the service may not have the file. */
  readonly doubt: string | null;
}

async function send({ deliver }: ImportJob, file: string): Promise<SentFile> {
  try {
    const { status, requestId } = await deliver(file, false);
    return { call: { call: CALL, status, request_id: requestId }, refused: null, doubt: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const call = { call: CALL, status: error.status, request_id: error.requestId };
    return error.outcome === 'unknown'
      ? { call, refused: null, doubt: error.message }
      : { call, refused: error, doubt: null };
  }
}

/**
 * Leaves out people that others have created since the plan, because the import would update those accounts.
 *
 * @returns the job without these people
 */
async function refuseTaken(job: ImportJob, execution: Execution): Promise<ImportJob> {
  const taken = new Set<string>();
  await inTransactions(execution.stores.state, job.people(), (change) => {
    const found = findTaken(change, execution);
    if (found === null) return;
    taken.add(change.id);
    const error = new SyncError('SYNC_VALUE_TAKEN', {
      message: `${found} now has the same e-mail or external id.`,
      place: change.place,
      remedy: 'Run again: the next plan matches the person, or says why it does not.',
    });
    recordNotCreated(change, error, { calls: [], seq: null }, execution);
    job.onEnd(change, { result: 'refused', error });
  });
  return {
    ...job,
    *people() {
      for (const change of job.people()) if (!taken.has(change.id)) yield change;
    },
  };
}

/** Looks for either value, because the service matches by one of them alone. */
function findTaken(change: PlannedChange, execution: Execution): string | null {
  const { email, external_unique_id: external } = change.after;
  for (const after of [{ email: email ?? null }, { external_unique_id: external ?? null }]) {
    const found = findImported({ ...change, after }, execution);
    if (found !== null) return found.label;
  }
  return null;
}

const REMEDY =
  'Give the key administrator-level access, and set an import setting that exists in the service. Or remove `users.bulk_load`; then each person is created with a single call.';

/** The calls made and intents written for an import before it was rejected. */
interface SentImport {
  readonly calls: readonly AuditedCall[];
  readonly open: ReadonlyMap<string, number>;
}

const NOTHING_SENT: SentImport = { calls: [], open: new Map() };

/** Ends the changes of all people with the same error, because the import is at fault, not the records. */
async function refuseAll(
  { people, onEnd }: ImportJob,
  execution: Execution,
  reason: SyncError,
  { calls, open }: SentImport = NOTHING_SENT,
): Promise<void> {
  const isOfAll = reason.code === 'SYNC_SERVICE_UNAUTHENTICATED' || reason.code === 'SYNC_SERVICE_LIMITED';
  const message = `The import was not carried out: ${reason.message}`;
  await inTransactions(execution.stores.state, people(), (change) => {
    const { place } = change;
    const error = isOfAll
      ? reason
      : new SyncError('SYNC_IMPORT_REFUSED', { message, place, remedy: REMEDY, cause: reason });
    recordNotCreated(change, error, { calls, seq: open.get(change.id) ?? null }, execution);
    onEnd(change, { result: 'refused', error });
  });
}

/**
 * Stores that a person was not created.
 * @param sent.seq sequence number of the intent; null if there is none
 */
function recordNotCreated(
  change: PlannedChange,
  { message }: SyncError,
  sent: { readonly calls: readonly AuditedCall[]; readonly seq: number | null },
  { run, stores, clock, contextOf }: Execution,
): void {
  const { calls, seq } = sent;
  const end = { change, run, at: isoNow(clock), approval: change.approval, calls, error: message, observed: null };
  recordEnd(stores, { ...end, result: 'refused' }, contextOf, () => {
    if (seq === null) return;
    const { request_id: requestId = null, status: httpStatus = null } = calls[0] ?? {};
    stores.journal.settle(seq, { status: 'refused', at: end.at, requestId, httpStatus, error: message });
  });
}

/** Writes one intent per person, so that after any failure the next run knows which people to look for. */
async function intendAll({ people }: ImportJob, { run, stores, clock }: Execution): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  await inTransactions(stores.state, people(), ({ stage: _stage, withheld: _withheld, ...change }) => {
    const [seq = 0] = stores.journal.intend([{ run, change, step: IMPORT_STEP, at: isoNow(clock) }]);
    open.set(change.id, seq);
  });
  // Resolves once all intents are on disk.
  await stores.commits.now(() => undefined);
  return open;
}

/** The intents stay open, so the next run looks for these people before it does anything else. */
async function reportUnread({ people, onEnd }: ImportJob, open: ReadonlyMap<string, number>): Promise<void> {
  await inTurns(people(), (change) => {
    if (!open.has(change.id)) return;
    const error = new SyncError('SYNC_IMPORT_MISSING', {
      message: 'The import accepted the file, but the service could not be read to check that the person was created.',
      place: change.place,
      remedy: 'The next run looks for the person first.',
    });
    onEnd(change, { result: 'lost', error });
  });
}
