import type { z } from 'zod';
import type { CallAnswer } from './call.js';
import type { Endpoint } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { ServiceError } from './service-error.js';

/** What a write resolves to: the value, and what the audit keeps about the call. */
export interface WriteResult<T> {
  readonly value: T;
  readonly requestId: string | null;
  /** 404 only for a delete that had to be repeated and found the record gone. */
  readonly status: number;
  /** Times it was sent. */
  readonly attempts: number;
}

/** @throws ServiceError SYNC_SERVICE_ANSWER, or SYNC_SERVICE_UNKNOWN_OUTCOME where a create has no readable result. */
export function parseAnswer<T extends z.ZodType>(answer: CallAnswer, schema: T): z.output<T> {
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  const endpoint: Endpoint = ENDPOINTS[answer.endpoint];
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'its top' : `/${issue.path.map(String).join('/')}`;
  throw new ServiceError({
    code: endpoint.repeat === 'idempotent' ? 'SYNC_SERVICE_ANSWER' : 'SYNC_SERVICE_UNKNOWN_OUTCOME',
    message: `Answered ${answer.status} with an unexpected shape at ${where}: ${issue?.message ?? 'unknown'}.`,
    method: endpoint.method,
    baseUrl: answer.baseUrl,
    path: answer.path,
    fault: 'answer',
    outcome: 'unknown',
    repeat: endpoint.repeat,
    status: answer.status,
    requestId: answer.requestId,
  });
}

export function parseWrite<T extends z.ZodType>(answer: CallAnswer, schema: T): WriteResult<z.output<T>> {
  return buildWriteResult(answer, parseAnswer(answer, schema));
}

export function buildWriteResult<T>(answer: CallAnswer, value: T): WriteResult<T> {
  return { value, requestId: answer.requestId, status: answer.status, attempts: answer.attempts };
}

/** The service says "no such record" with 404; whoever asked for one record gets null. */
export async function nullIfUnknown(answer: Promise<CallAnswer>): Promise<CallAnswer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}

/** For answers whose shape the spec does not show: the record where it is one, else null. */
export function parseShown<T extends z.ZodType>(answer: CallAnswer, schema: T): WriteResult<z.output<T> | null> {
  const parsed = schema.safeParse(answer.body);
  return buildWriteResult(answer, parsed.success ? parsed.data : null);
}
