import type { AuditedCall } from '../audit/audit-log.js';
import type { Clock } from '../clock.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { withValues } from '../mirror/observe.js';
import type { Copy } from '../model/copies.js';
import { idOfIn } from '../model/directory.js';
import type { Observed } from '../model/observed.js';
import type { PlannedChange } from '../model/plan.js';
import { ServiceError } from '../service/service-error.js';
import type { Stores } from '../store/open-stores.js';
import type { JournalOutcome } from '../store/state/journal-store.js';
import type { ContextOf } from '../store/state/link-store.js';
import { buildSteps, isLinkAlone } from './calls.js';
import { judgeLook } from './judge-look.js';
import { dropFromMirror } from './note-departure.js';
import { type ChangeEnd, linkCreated, recordEnd } from './outcome.js';
import { asStepFailure, auditCall, nameProof, type StepFailure, sendOrFind } from './send-or-find.js';
import type { CallContext, RefusedField, Step, StepResult } from './step.js';
import { findUntaken, formatUntaken, withRefusals } from './verify.js';

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
  readonly signal: AbortSignal | undefined;
}

export interface ExecutionResult {
  readonly result: ChangeEnd['result'];
  readonly error: SyncError | null;
}

/**
 * Carries out one change:
 *
 *     intent on disk → call → answer ─ taken? ──────────────→ done
 *                        │        └─ other values ──────────→ not taken
 *                        ├─ the service said no, or never heard of it → refused
 *                        └─ answer lost → wait until it cannot be running any more → look (`judge-look.ts`)
 *                                 ├─ proved to have happened → done
 *                                 └─ not proved ────────────→ a create once more, then lost
 *
 * Every arrow's end is on disk, with link, base and audit, before the next change of the same slot starts.
 */
export async function executeChange(
  change: PlannedChange,
  execution: Execution,
  begun: Begun | null = null,
): Promise<ExecutionResult> {
  const { calls } = execution;
  const progress = startOf(change, begun?.seq ?? null);
  progress.previous = change.target === null ? null : calls.mirrored(change.entity, change.target);
  progress.mailed = begun?.mailed === true;
  if (begun !== null) progress.calls.push(begun.call);
  try {
    if (isLinkAlone(change)) return finishAlone(change, progress.previous, execution);
    const [first, ...others] = buildSteps(change, calls);
    let sent = begun?.sent ?? (await makeCall(progress, first, execution));
    progress.previous = sent.observed;
    for (const step of others) {
      progress.seq = goOn(progress, sent, step, execution);
      sent = await makeCall(progress, step, execution);
    }
    return finish(progress, sent, execution);
  } catch (error) {
    return fail(progress, asStepFailure(error), execution);
  }
}

/** One change on its way, and what its calls have answered so far. */
export interface ChangeProgress {
  readonly change: PlannedChange;
  /** The intent that is open; null before the first call. */
  seq: number | null;
  /** The object as the last call left it. */
  previous: Observed | null;
  mailed: boolean;
  readonly calls: AuditedCall[];
  readonly refusals: RefusedField[];
  readonly copies: Copy[];
}

export function startOf(change: PlannedChange, seq: number | null): ChangeProgress {
  return { change, seq, previous: null, mailed: false, calls: [], refusals: [], copies: [] };
}

async function makeCall(progress: ChangeProgress, step: Step | undefined, execution: Execution): Promise<StepResult> {
  const { change, previous, calls, refusals, copies } = progress;
  if (step === undefined) throw new Error(`no call for ${change.entity} ${change.action}`);
  progress.seq ??= intend([change], step.name, execution)[0] ?? 0;
  const answer = await sendOrFind<StepResult>(
    {
      send: () => step.send(previous),
      async find(lost) {
        const observed = await findStep(change, step, execution);
        return observed === 'nothing' ? null : { ...lost, observed, provedBy: step.seenBy };
      },
      sendsAgain: step.repeat === 'probe',
    },
    execution,
  );
  const sent = { ...answer, observed: withEarlier(calls.length === 0 ? null : previous, answer.observed) };
  refusals.push(...(answer.refusals ?? []));
  if (answer.copy !== undefined) copies.push(answer.copy);
  calls.push(auditCall(step.endpoint, sent));
  progress.previous = sent.observed;
  progress.mailed ||= step.mails === true;
  return sent;
}

/** An answer may leave out what that of the call before showed of the same object. */
function withEarlier(earlier: Observed | null, answered: Observed | null): Observed | null {
  if (answered === null || earlier?.id !== answered.id) return answered;
  return withValues(answered, { ...earlier.values, ...answered.values });
}

/** A link that moves by itself: no call is made, so intent and outcome reach the disk together. */
function finishAlone(change: PlannedChange, observed: Observed | null, execution: Execution): ExecutionResult {
  const { stores, clock } = execution;
  stores.state.transaction(() => {
    const [seq = 0] = intend([change], 'relink', execution);
    const end: ChangeEnd = { ...endOf(change, [], execution), result: 'done', error: null, observed };
    recordEnd(stores, end, execution.contextOf, () =>
      stores.journal.settle(seq, { status: 'done', at: isoNow(clock) }),
    );
  });
  return { result: 'done', error: null };
}

/** The first call of a change that several made together, as it was answered for this one. */
export interface Begun {
  readonly seq: number;
  readonly sent: StepResult;
  readonly call: AuditedCall;
  /** The common call sent e-mails. */
  readonly mailed?: boolean;
}

/** Puts on disk that a change ended without all of it being done. */
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
    // An earlier call of the change went through: the object is there, and ours.
    result: previous !== null && calls.length > 0 ? 'in part' : outcome,
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
  return { result: outcome, error: reason };
}

/** One intent a change, all of them on disk before the call goes out. */
export function intend(
  changes: readonly PlannedChange[],
  step: string,
  { run, stores, clock }: Execution,
): readonly number[] {
  const at = isoNow(clock);
  return stores.journal.intend(
    changes.map((change) => {
      // The approval goes along: the run that finishes this after a crash has to spend it.
      const { stage: _stage, withheld: _withheld, ...plain } = change;
      return { run, change: plain, step, at };
    }),
  );
}

function done(sent: StepResult, { clock }: Execution): JournalOutcome {
  const { requestId, status, observed } = sent;
  const provedBy = nameProof(sent);
  return { status: 'done', at: isoNow(clock), requestId, httpStatus: status, provedBy, observed, error: null };
}

/** One call's outcome and the next one's intent together: until a change has ended, one of its intents is open. */
function goOn({ change, seq }: ChangeProgress, sent: StepResult, next: Step, execution: Execution): number {
  const { stores } = execution;
  let following = 0;
  stores.state.transaction(() => {
    if (seq !== null) stores.journal.settle(seq, done(sent, execution));
    if (sent.observed !== null) {
      linkCreated(stores, change, sent.observed, { run: execution.run, at: isoNow(execution.clock) });
    }
    following = intend([change], next.name, execution)[0] ?? 0;
  });
  if (sent.observed !== null) stores.absorb(sent.observed);
  return following;
}

function finish(
  { change, seq, calls: made, refusals, copies, mailed }: ChangeProgress,
  sent: StepResult,
  execution: Execution,
): ExecutionResult {
  const { stores, calls } = execution;
  const shown = sent.observed === null ? null : stores.withNames(sent.observed);
  const different = shown === null ? [] : findUntaken(change, shown, idOfIn(calls.directory));
  const untaken = shown === null ? [] : withRefusals(different, refusals, change, shown);
  const refused = refusals.length === 0 ? null : buildRefused(change, refusals);
  const result = untaken.length === 0 && refused === null ? 'done' : 'not taken';
  const error =
    refused?.message ?? (untaken.length === 0 ? null : `The service answered other values: ${formatUntaken(untaken)}`);
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
    if (seq !== null) stores.journal.settle(seq, done(sent, execution));
  });
  if (sent.observed !== null) stores.absorb(sent.observed);
  else dropFromMirror(stores, change);
  return { result, error: refused };
}

function buildRefused({ place }: PlannedChange, refusals: readonly RefusedField[]): SyncError {
  const parts = refusals.map(({ field, error }) => `${field}: ${error.message}`);
  return new SyncError('SYNC_FIELD_REFUSED', {
    message: `The service refused a part of it, and the rest was carried out. ${parts.join(' ')}`,
    place,
    remedy:
      'Correct the value as the service says, or give the key the right to it; it is not sent again until one of the two sides moves.',
  });
}

function endOf(
  change: PlannedChange,
  calls: readonly AuditedCall[],
  { run, clock }: Execution,
): Pick<ChangeEnd, 'change' | 'run' | 'at' | 'approval' | 'calls'> {
  return { change, run, at: isoNow(clock), approval: change.approval, calls };
}

async function findStep(
  change: PlannedChange,
  step: Step,
  { stores, calls }: Execution,
): Promise<ReturnType<typeof judgeLook>> {
  const object = await step.probe();
  const shown = object === null ? null : stores.withNames(object);
  return judgeLook(change, step, { object, shown }, idOfIn(calls.directory));
}
