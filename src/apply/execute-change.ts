import type { AuditedCall } from '../audit/audit-log.js';
import type { Clock } from '../clock.js';
import { isoNow } from '../clock.js';
import { asSyncError, type SyncError } from '../errors.js';
import type { Observed } from '../model/observed.js';
import type { PlannedChange } from '../model/plan.js';
import { formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { Outcome } from '../store/journal-store.js';
import type { ContextOf } from '../store/link-store.js';
import type { Stores } from '../store/open-stores.js';
import { buildSteps } from './calls.js';
import { type ChangeEnd, linkCreated, recordEnd } from './outcome.js';
import type { CallContext, Sent, Step } from './step.js';
import { findUntaken, formatUntaken } from './verify.js';

export interface Execution {
  readonly run: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly calls: CallContext;
  readonly contextOf: ContextOf;
  /** How long after a lost answer the call could still be running in the service. */
  readonly settleMs: number;
  /** Brings the mirror's people up to date by a full read. */
  readonly readEverybody: () => Promise<unknown>;
  /** How long the people of an import may take to appear. */
  readonly confirmWithinMs: number;
}

export interface ExecutionResult {
  readonly result: ChangeEnd['result'];
  readonly error: SyncError | null;
}

/** A call that ended without the object changing, or without anybody knowing. */
class StepFailure extends Error {
  constructor(
    readonly outcome: 'refused' | 'lost',
    readonly reason: SyncError,
  ) {
    super(reason.message);
  }
}

/**
 * Carries out one change:
 *
 *     intent on disk → call → answer ─ taken? ──────────────→ done
 *                        │        └─ other values ──────────→ not taken
 *                        ├─ the service said no, or never heard of it → refused
 *                        └─ answer lost → wait until it cannot be running any more → look
 *                                 ├─ it happened ───────────→ done
 *                                 └─ nothing of it ─────────→ a create once more, then lost
 *
 * Every arrow's end is on disk, with link, base and audit, before the next change of the same slot starts.
 */
export async function executeChange(change: PlannedChange, execution: Execution): Promise<ExecutionResult> {
  const { stores, calls } = execution;
  const made: AuditedCall[] = [];
  let previous = change.target === null ? null : calls.mirrored(change.entity, change.target);
  let seq: number | null = null;
  try {
    const steps = buildSteps(change, calls);
    for (const [index, step] of steps.entries()) {
      seq ??= intend(change, step, execution);
      const sent = await sendOrFind(change, step, previous, execution);
      made.push({ call: formatTemplate(step.endpoint), status: sent.status, request_id: sent.requestId });
      previous = sent.observed;
      const next = steps[index + 1];
      if (next === undefined) return finish(change, sent, seq, made, execution);
      seq = goOn(change, sent, seq, next, execution);
    }
    throw new Error(`no call for ${change.entity} ${change.action}`);
  } catch (error) {
    const failure = error instanceof StepFailure ? error : new StepFailure('refused', asSyncError(error));
    const { reason, outcome } = failure;
    if (reason instanceof ServiceError) {
      made.push({ call: `${reason.method} ${reason.path}`, status: reason.status, request_id: reason.requestId });
    }
    const at = isoNow(execution.clock);
    const end: ChangeEnd = {
      ...endOf(change, made, execution),
      // An earlier call of the change went through: the object is there, and ours.
      result: previous !== null && made.length > (reason instanceof ServiceError ? 1 : 0) ? 'in part' : outcome,
      error: reason.message,
      observed: previous,
    };
    const open = seq;
    recordEnd(stores, end, execution.contextOf, () => {
      if (open === null) return;
      stores.journal.settle(open, {
        status: outcome,
        at,
        requestId: reason instanceof ServiceError ? reason.requestId : null,
        httpStatus: reason instanceof ServiceError ? reason.status : null,
        observed: null,
        error: reason.message,
      });
    });
    return { result: outcome, error: reason };
  }
}

function intend(change: PlannedChange, step: Step, { run, stores, clock }: Execution): number {
  // The approval goes along: whoever finishes this after a crash has to spend it.
  const { stage: _stage, withheld: _withheld, ...plain } = change;
  const [seq] = stores.journal.intend([{ run, change: plain, step: step.name, at: isoNow(clock) }]);
  return seq ?? 0;
}

function done(sent: Sent, { clock }: Execution): Outcome {
  const { requestId, status, observed } = sent;
  return { status: 'done', at: isoNow(clock), requestId, httpStatus: status, observed, error: null };
}

/** One call's outcome and the next one's intent together: until a change has ended, one of its intents is open. */
function goOn(change: PlannedChange, sent: Sent, seq: number, next: Step, execution: Execution): number {
  const { stores } = execution;
  let following = seq;
  stores.state.transaction(() => {
    stores.journal.settle(seq, done(sent, execution));
    linkCreated(stores, change, sent.observed, { run: execution.run, at: isoNow(execution.clock) });
    following = intend(change, next, execution);
  });
  stores.absorb(sent.observed);
  return following;
}

function finish(
  change: PlannedChange,
  sent: Sent,
  seq: number,
  made: readonly AuditedCall[],
  execution: Execution,
): ExecutionResult {
  const { stores } = execution;
  const untaken = findUntaken(change, stores.withOfficeNames(sent.observed));
  const result = untaken.length === 0 ? 'done' : 'not taken';
  const error = untaken.length === 0 ? null : `The service answered other values: ${formatUntaken(untaken)}`;
  const end: ChangeEnd = {
    ...endOf(change, made, execution),
    result,
    error,
    observed: sent.observed,
    untaken: sent.answered === false ? [] : untaken,
  };
  recordEnd(stores, end, execution.contextOf, () => stores.journal.settle(seq, done(sent, execution)));
  stores.absorb(sent.observed);
  return { result, error: null };
}

function endOf(
  change: PlannedChange,
  calls: readonly AuditedCall[],
  { run, clock }: Execution,
): Pick<ChangeEnd, 'change' | 'run' | 'at' | 'approval' | 'calls'> {
  return { change, run, at: isoNow(clock), approval: change.approval, calls };
}

async function sendOrFind(
  change: PlannedChange,
  step: Step,
  previous: Observed | null,
  execution: Execution,
): Promise<Sent> {
  for (let turn = 1; ; turn++) {
    try {
      return await step.send(previous);
    } catch (error) {
      const reason = asSyncError(error);
      if (!(reason instanceof ServiceError) || reason.outcome !== 'unknown') throw new StepFailure('refused', reason);
      const found = await lookAfter(change, step, reason, execution);
      if (found !== null) return { observed: found, requestId: reason.requestId, status: reason.status };
      // What may be repeated has been repeated already, below; a create is sent once more after nothing of it was found.
      if (turn === 2 || step.repeat === 'idempotent') throw new StepFailure('lost', reason);
    }
  }
}

/** After a lost answer: waits until the call could no longer be running, then looks whether it happened. */
async function lookAfter(
  change: PlannedChange,
  step: Step,
  reason: ServiceError,
  { clock, settleMs, stores }: Execution,
): Promise<Observed | null> {
  await clock.sleep(settleMs);
  try {
    const found = await step.probe();
    if (found === null || step.repeat === 'probe') return found;
    if (step.happened !== undefined) return step.happened(found) ? found : null;
    return findUntaken(change, stores.withOfficeNames(found)).length === 0 ? found : null;
  } catch (error) {
    throw new StepFailure('lost', error instanceof ServiceError ? reason : asSyncError(error));
  }
}
