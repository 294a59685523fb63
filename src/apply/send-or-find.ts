import { asSyncError, type SyncError } from '../base/errors.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { SettledCall } from '../store/state/journal-store.js';
import type { Execution } from './execution.js';
import type { StepResult } from './step.js';

/** A call that ended without the object changing, or without anybody knowing. */
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
  /** What the look after a lost answer shows; null where nothing of it is there. */
  find(answer: Pick<StepResult, 'requestId' | 'status'>): Promise<T | null>;
  /** What may be repeated freely has been repeated by the client; a create is sent once more after nothing was found. */
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

/** After a lost answer: waits until the call could no longer be running, then looks whether it happened. */
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

/** A call as the audit has it. */
export function auditCall(
  endpoint: EndpointName,
  sent: Pick<StepResult, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return asAudited(formatTemplate(endpoint), { ...sent, provedBy: nameProof(sent) });
}

/** The same from its names: a call without an answer is shown with the reading that proved it. */
export function asAudited(
  call: string,
  { status, requestId, provedBy }: Pick<SettledCall, 'status' | 'requestId' | 'provedBy'>,
): AuditedCall {
  return { call, status, request_id: requestId, ...(provedBy === null ? {} : { proved_by: provedBy }) };
}

export function nameProof({ provedBy }: Pick<StepResult, 'provedBy'>): string | null {
  return provedBy === undefined ? null : formatTemplate(provedBy);
}
