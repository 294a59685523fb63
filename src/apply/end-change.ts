import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { noteCreated } from '../mirror/witness.js';
import { idOfIn } from '../model/directory.js';
import { FIELDS, isPlain } from '../model/fields.js';
import type { Observed } from '../model/observed.js';
import type { PlannedChange } from '../model/plan.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { Stores } from '../store/open-stores.js';
import type { JournalOutcome } from '../store/state/journal-store.js';
import type { ChangeEnd, ChangeProgress, Execution } from './execution.js';
import { intend } from './intents.js';
import { isAnyShown } from './judge-look.js';
import { dropFromMirror } from './note-departure.js';
import { recordEnd } from './outcome.js';
import { asStepFailure, nameProof, type StepFailure } from './send-or-find.js';
import type { RefusedField, StepResult } from './step.js';
import { findUntaken, formatUntaken, type Untaken, withRefusals } from './verify.js';

export interface ExecutionResult {
  readonly result: ChangeEnd['result'];
  readonly error: SyncError | null;
  /** True if the change failed after a part of it was carried out. */
  readonly inPart?: boolean;
  /** Fields that the service rejected while it accepted the other fields. */
  readonly refusals?: readonly RefusedField[];
  /** Fields that were rejected or left out, while the other fields were written. */
  readonly unsent?: readonly string[];
}

/** Called at the end of a change, within the transaction that records it. */
export type OnEnd = (change: PlannedChange, end: ExecutionResult) => void;

/** The answer to a change's last call, after its comparison with the desired values. */
export interface JudgedAnswer {
  readonly sent: StepResult;
  readonly untaken: readonly Untaken[];
  readonly refused: SyncError | null;
  /**
   * True if all values are as desired and a read would show them. A process that dies before this result is on disk then
   * loses nothing.
   */
  readonly isShown: boolean;
}

export function judgedAnswer(
  { change, refusals, copies }: ChangeProgress,
  sent: StepResult,
  { withNames, calls }: Execution,
): JudgedAnswer {
  const refused = refusals.length === 0 ? null : buildRefused(change, refusals);
  if (sent.observed === null) return { sent, untaken: [], refused, isShown: change.action === 'delete' };
  const shown = withNames(sent.observed);
  const different = findUntaken(change, shown, idOfIn(calls.directory));
  const untaken = withRefusals(different, refusals, change, shown);
  const isAsMeant = untaken.length === 0 && refused === null && copies.length === 0;
  return { sent, untaken, refused, isShown: isAsMeant && isAnyShown(change, shown) };
}

export async function endAnswered(
  progress: ChangeProgress,
  answer: JudgedAnswer,
  execution: Execution,
  onEnd: OnEnd,
): Promise<void> {
  const { change } = progress;
  const { stores } = execution;
  const { observed } = answer.sent;
  if (observed !== null) forgetOverwritten(progress, observed, stores);
  const record = (): void =>
    onEnd(
      change,
      attempt(progress, execution, () => finish(progress, answer, execution)),
    );
  const bringIntoMirror = (): void => {
    if (observed === null) dropFromMirror(stores, change);
    else stores.absorb(observed);
    if (observed !== null && change.action === 'create') noteCreated(stores.mirror, observed);
  };
  if (answer.isShown) return stores.commits.soon(record, bringIntoMirror);
  await stores.commits.now(record);
  bringIntoMirror();
}

/**
 * Drops values from earlier answers for fields that were sent since. If this answer does not show them, the sent values
 * apply.
 */
function forgetOverwritten(
  { change: { entity, after }, refusals }: ChangeProgress,
  { id, values }: Observed,
  { mirror }: Stores,
): void {
  const refused = new Set(refusals.map(({ field }) => field));
  for (const [name, field] of Object.entries(FIELDS[entity])) {
    const isSent = after[name] !== undefined && !refused.has(name);
    if (isSent && isPlain(field.shape) && values[name] === undefined) mirror.forget(entity, name, id);
  }
}

/** Records a failure if a success cannot be recorded. If the state cannot be written at all, the intent stays open. */
function attempt(progress: ChangeProgress, execution: Execution, finish: () => ExecutionResult): ExecutionResult {
  try {
    return execution.stores.state.transaction(finish);
  } catch (error) {
    const failure = asStepFailure(error);
    if (failure.reason.code.startsWith('SYNC_STATE_')) throw error;
    return fail(progress, failure, execution);
  }
}

function finish(
  { change, seq, calls: made, refusals, copies, mailed }: ChangeProgress,
  { sent, untaken, refused }: JudgedAnswer,
  execution: Execution,
): ExecutionResult {
  const { stores } = execution;
  const result = untaken.length === 0 && refused === null ? 'done' : 'not taken';
  const error =
    refused?.message ??
    (untaken.length === 0 ? null : `The service answered with other values: ${formatUntaken(untaken)}`);
  const end: ChangeEnd = {
    ...endOf(change, made, execution),
    result,
    error,
    observed: sent.observed,
    copies,
    mailed,
    untaken: sent.answered === false ? [] : untaken,
    unsent: refusals.map(({ field }) => field),
  };
  recordEnd(stores, end, execution.contextOf, () => {
    if (seq !== null) stores.journal.settle(seq, outcomeOfDone(sent, execution));
  });
  return { result, error: refused, inPart: result !== 'done', refusals, unsent: end.unsent ?? [] };
}

function buildRefused({ place }: PlannedChange, refusals: readonly RefusedField[]): SyncError {
  const parts = refusals.map(({ field, error }) => `${field}: ${error.message}`);
  const again = refusals.some(({ leftOut }) => leftOut === true)
    ? 'The next run sends it once more, then after growing pauses.'
    : 'The value is not sent again until one of the two sides changes.';
  return new SyncError('SYNC_FIELD_REFUSED', {
    message: `The service rejected a part of the change; the rest was carried out. ${parts.join(' ')}`,
    place,
    remedy: `Correct the value as the service says, or give the key the permission. ${again}`,
  });
}

function endOf(
  change: PlannedChange,
  calls: readonly AuditedCall[],
  { run, clock }: Execution,
): Pick<ChangeEnd, 'change' | 'run' | 'at' | 'approval' | 'calls'> {
  return { change, run, at: isoNow(clock), approval: change.approval, calls };
}

/** Stores the end of a change that was not carried out completely. */
export function fail(
  { change, seq, previous, calls, copies, mailed }: ChangeProgress,
  { reason, outcome }: StepFailure,
  execution: Execution,
): ExecutionResult {
  const { stores } = execution;
  const answer = reason instanceof ServiceError ? reason : null;
  const { requestId = null, status = null } = answer ?? {};
  const refused = answer === null ? [] : [{ call: `${answer.method} ${answer.path}`, status, request_id: requestId }];
  const at = isoNow(execution.clock);
  const end: ChangeEnd = {
    ...endOf(change, [...calls, ...refused], execution),
    // An earlier call of the change succeeded, so the object exists and is owned.
    result: previous === null ? outcome : 'in part',
    error: reason.message,
    observed: previous,
    copies,
    mailed,
  };
  recordEnd(stores, end, execution.contextOf, () => {
    if (seq === null) return;
    const answered = { requestId, httpStatus: status, error: reason.message };
    stores.journal.settle(seq, { ...answered, status: outcome, at });
  });
  return previous === null
    ? { result: outcome, error: reason }
    : { result: outcome, error: tellPart(change, reason), inPart: true };
}

/** Adds to the error that a part was done and that the next run does the rest. */
function tellPart({ action }: PlannedChange, reason: SyncError): SyncError {
  const done = action === 'create' ? 'It was created' : 'A part of the change was carried out';
  return new SyncError(reason.code, {
    message: `${done}, but a later call failed: ${reason.message}`,
    ...(reason.place === undefined ? {} : { place: reason.place }),
    remedy: `The next run tries the rest. ${reason.remedy}`,
    cause: reason,
  });
}

/** Ends a relink without a call. Its intent and its outcome are written to disk together. */
export function endAlone(progress: ChangeProgress, execution: Execution): ExecutionResult {
  const { stores, clock, contextOf, calls } = execution;
  const { change } = progress;
  const observed = change.target === null ? null : calls.mirrored(change.entity, change.target);
  return attempt(progress, execution, () => {
    const [seq = 0] = intend([change], 'relink', execution);
    const end: ChangeEnd = { ...endOf(change, [], execution), result: 'done', error: null, observed };
    recordEnd(stores, end, contextOf, () => stores.journal.settle(seq, { status: 'done', at: isoNow(clock) }));
    return { result: 'done', error: null };
  });
}

/** The journal outcome of a successful call. */
export function outcomeOfDone(sent: StepResult, { clock }: Execution): JournalOutcome {
  const { requestId, status, observed } = sent;
  const provedBy = nameProof(sent);
  return { status: 'done', at: isoNow(clock), requestId, httpStatus: status, provedBy, observed, error: null };
}
