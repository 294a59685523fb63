import { asSyncError, type SyncError } from '../base/errors.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { SettledCall } from '../store/state/journal-store.js';
import type { Execution } from './execution.js';
import type { StepResult } from './step.js';

/** A call that failed without changing the object, or whose outcome is unknown. */
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
  /** The result that a look after a lost answer shows; null if it shows none. */
  find(answer: Pick<StepResult, 'requestId' | 'status'>): Promise<T | null>;
  /** True for a create: it is sent once more if nothing was found. The client already repeats idempotent calls. */
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

/** After a lost answer: waits until the call can no longer be running, then looks if it happened. */
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

/** A call in the form of the audit. */
export function auditCall(
  endpoint: EndpointName,
  sent: Pick<StepResult, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return asAudited(formatTemplate(endpoint), { ...sent, provedBy: nameProof(sent) });
}

/** The same from its names: a call without an answer includes the read that proved it. */
export function asAudited(
  call: string,
  { status, requestId, provedBy }: Pick<SettledCall, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return { call, status, request_id: requestId, ...(provedBy === null ? {} : { proved_by: provedBy }) };
}

export function nameProof({ provedBy }: Pick<StepResult, 'provedBy'>): string | null {
  return provedBy === undefined ? null : formatTemplate(provedBy);
}
