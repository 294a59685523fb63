import { asSyncError, type SyncError } from '../base/errors.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { SettledCall } from '../store/state/journal-store.js';
import type { Execution } from './execution.js';
import type { StepResult } from './step.js';

/** A call that failed without changing the object, or a call with an unknown outcome. */
export class StepFailure extends Error {
  constructor(
    readonly outcome: 'refused' | 'lost',
    readonly reason: SyncError,
  ) {
    super(reason.message);
  }
}

export function asStepFailure(error: unknown): StepFailure {
  return error instanceof StepFailure ? error : new StepFailure('refused', asSyncError(error));
}

interface Sending<T> {
  send(): Promise<T>;
  /** Looks for the result after a lost answer; null if there is no result. */
  find(answer: Pick<StepResult, 'requestId' | 'status'>): Promise<T | null>;
  /** True for a create, which is sent once more if nothing is found. The client already repeats idempotent calls. */
  readonly sendsAgain: boolean;
}

/** @throws StepFailure */
export async function sendOrFind<T>({ send, find, sendsAgain }: Sending<T>, execution: Execution): Promise<T> {
  for (let turn = 1; ; turn++) {
    try {
      return await send();
    } catch (error) {
      const reason = asSyncError(error);
      if (!(reason instanceof ServiceError) || reason.outcome !== 'unknown') throw new StepFailure('refused', reason);
      const found = await lookAfter(reason, execution, find);
      if (found !== null) return found;
      if (turn === 2 || !sendsAgain) throw new StepFailure('lost', reason);
    }
  }
}

/** Handles a lost answer. Waits until the call can no longer be running, then looks for its result. */
async function lookAfter<T>(
  reason: ServiceError,
  { clock, settleMs }: Execution,
  find: Sending<T>['find'],
): Promise<T | null> {
  await clock.sleep(settleMs);
  try {
    const { requestId, status } = reason;
    return await find({ requestId, status });
  } catch (error) {
    throw new StepFailure('lost', error instanceof ServiceError ? reason : asSyncError(error));
  }
}

/** Converts a call to its form in the audit log. */
export function auditCall(
  endpoint: EndpointName,
  sent: Pick<StepResult, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return asAudited(formatTemplate(endpoint), { ...sent, provedBy: nameProof(sent) });
}

/** Builds the audit form of a call from its name. A call without an answer includes the read that proved it. */
export function asAudited(
  call: string,
  { status, requestId, provedBy }: Pick<SettledCall, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return { call, status, request_id: requestId, ...(provedBy === null ? {} : { proved_by: provedBy }) };
}

export function nameProof({ provedBy }: Pick<StepResult, 'provedBy'>): string | null {
  return provedBy === undefined ? null : formatTemplate(provedBy);
}
