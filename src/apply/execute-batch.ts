import { isoNow } from '../clock.js';
import { asSyncError } from '../errors.js';
import type { PlannedChange } from '../model/plan.js';
import { buildBatch } from './calls.js';
import {
  type ChangeProgress,
  type Execution,
  type ExecutionResult,
  executeChange,
  fail,
  intend,
  startOf,
} from './execute-change.js';
import { asStepFailure, auditCall, StepFailure, sendOrFind } from './send-or-find.js';
import type { BatchStep, StepResult } from './step.js';

/** Answer of the common call for one change; 'nothing' when a look after a lost answer shows none of it. */
type BatchAnswer = StepResult | 'nothing';

/**
 * Carries out changes that share one call. It is refused as a whole when one of them is wrong (spec, Project linking 3),
 * so a refusal of several is tried again in halves until the wrong one is alone: the others go through.
 */
export async function executeBatch(
  changes: readonly PlannedChange[],
  execution: Execution,
  onEnd: (change: PlannedChange, end: ExecutionResult) => void,
): Promise<void> {
  const { stores, calls, clock } = execution;
  let seqs: readonly number[] = [];
  try {
    const step = buildBatch(changes, calls);
    seqs = intend(changes, step.name, execution);
    const parts = await sendTogether(changes, step, execution);
    for (const [index, change] of changes.entries()) {
      const part = parts[index] ?? 'nothing';
      onEnd(change, await goOn(startOf(change, seqs[index] ?? 0), part, step, execution));
    }
  } catch (error) {
    const failure = asStepFailure(error);
    if (failure.outcome === 'refused' && changes.length > 1 && isOfRecord(failure)) {
      const at = isoNow(clock);
      const { message } = failure;
      stores.state.transaction(() => {
        for (const seq of seqs) stores.journal.settle(seq, { status: 'refused', at, error: message });
      });
      const middle = Math.ceil(changes.length / 2);
      for (const half of [changes.slice(0, middle), changes.slice(middle)]) await executeBatch(half, execution, onEnd);
      return;
    }
    for (const [index, change] of changes.entries()) {
      onEnd(change, fail(startOf(change, seqs[index] ?? null), failure, execution));
    }
  }
}

/** Whether one wrong record may be behind it; a key that is refused or a service that is away is not. */
function isOfRecord({ reason }: StepFailure): boolean {
  return reason.kind === 'record' || reason.code === 'SYNC_SERVICE_FORBIDDEN';
}

async function goOn(
  progress: ChangeProgress,
  part: BatchAnswer,
  step: BatchStep,
  execution: Execution,
): Promise<ExecutionResult> {
  if (part !== 'nothing') {
    const call = auditCall(step.endpoint, part);
    const begun = { seq: progress.seq ?? 0, sent: part, call, mailed: step.mails === true };
    return executeChange(progress.change, execution, begun);
  }
  const reason = asSyncError(
    new Error('The answer of the common call was lost, and nothing of this change is in the service.'),
  );
  return fail(progress, new StepFailure('lost', reason), execution);
}

/** The answer for each of the changes. */
function sendTogether(
  changes: readonly PlannedChange[],
  step: BatchStep,
  execution: Execution,
): Promise<readonly BatchAnswer[]> {
  return sendOrFind<readonly BatchAnswer[]>(
    {
      async send() {
        const { observed, requestId, status } = await step.send();
        return changes.map((_, index) => ({ observed: observed[index] ?? null, requestId, status }));
      },
      async find(lost) {
        const found = await step.probe();
        if (found.every((one) => one === 'nothing')) return null;
        return found.map((one) => (one === 'nothing' ? one : { ...lost, observed: one, provedBy: step.seenBy }));
      },
      sendsAgain: true,
    },
    execution,
  );
}
