import { isoNow } from '../base/clock.js';
import { asSyncError } from '../base/errors.js';
import type { PlannedChange } from '../model/plan.js';
import { buildBatch } from './calls.js';
import { fail, type OnEnd } from './end-change.js';
import { executeChange } from './execute-change.js';
import { type ChangeProgress, type Execution, startOf } from './execution.js';
import { explainGone } from './explain-gone.js';
import { intend } from './intents.js';
import { asStepFailure, auditCall, StepFailure, sendOrFind } from './send-or-find.js';
import type { BatchStep, StepResult } from './step.js';

/** The part of the shared answer that belongs to one change; 'nothing' if a read after a lost answer does not show the change. */
type BatchAnswer = StepResult | 'nothing';

/**
 * Carries out changes that share one call. The service rejects the entire call if one change is wrong (spec, Project
 * linking 3). A rejected call is then sent again in halves until the wrong change is on its own, so all other changes go
 * through.
 */
export async function executeBatch(
  changes: readonly PlannedChange[],
  execution: Execution,
  onEnd: OnEnd,
): Promise<void> {
  const { stores, calls, clock } = execution;
  const { commits, journal } = stores;
  let seqs: readonly number[] = [];
  try {
    const step = buildBatch(changes, calls);
    seqs = await commits.now(() => intend(changes, step.name, execution));
    const parts = await sendTogether(changes, step, execution);
    for (const [index, change] of changes.entries()) {
      await goOn(startOf(change, seqs[index] ?? 0), { step, part: parts[index] ?? 'nothing' }, execution, onEnd);
    }
  } catch (error) {
    const failure = asStepFailure(error);
    if (failure.outcome === 'refused' && changes.length > 1 && isOfRecord(failure)) {
      const at = isoNow(clock);
      const { message } = failure;
      await commits.now(() => {
        for (const seq of seqs) journal.settle(seq, { status: 'refused', at, error: message });
      });
      const middle = Math.ceil(changes.length / 2);
      for (const half of [changes.slice(0, middle), changes.slice(middle)]) await executeBatch(half, execution, onEnd);
      return;
    }
    for (const [index, change] of changes.entries()) {
      const own = await explainGone(change, failure, execution);
      await endAs(startOf(change, seqs[index] ?? null), own, execution, onEnd);
    }
  }
}

/** True if one wrong record may have caused the failure. A rejected API key or an unavailable service affects all records. */
function isOfRecord({ reason }: StepFailure): boolean {
  return reason.kind === 'record' || reason.code === 'SYNC_SERVICE_FORBIDDEN';
}

async function goOn(
  progress: ChangeProgress,
  { step, part }: { readonly step: BatchStep; readonly part: BatchAnswer },
  execution: Execution,
  onEnd: OnEnd,
): Promise<void> {
  if (part !== 'nothing') {
    const call = auditCall(step.endpoint, part);
    const begun = { seq: progress.seq ?? 0, sent: part, call, mailed: step.mails === true };
    return executeChange(progress.change, execution, onEnd, begun);
  }
  const reason = asSyncError(
    new Error('The answer to the shared call was lost, and the service does not show this change.'),
  );
  return endAs(progress, new StepFailure('lost', reason), execution, onEnd);
}

function endAs(progress: ChangeProgress, failure: StepFailure, execution: Execution, onEnd: OnEnd): Promise<void> {
  const { commits } = execution.stores;
  return commits.now(() => onEnd(progress.change, fail(progress, failure, execution)));
}

/** Sends the shared call and returns one answer per change. */
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
