import { AnswerFault } from '../base/http/answer-fault.js';
import type { HttpHeaders, HttpResponse } from '../base/http/http-response.js';
import { type Answered, explainRows, type RowBatches } from '../base/http/read-answer.js';
import { hideSecrets } from '../base/secrets/secret.js';
import { type Json, textOf } from '../model/json.js';
import { buildNetworkError, type Origin } from './network-error.js';
import { codeOfStatus, isOpen, readWords, ServiceError } from './service-error.js';

/** The longest request ids are traces of about 60 characters. */
const LONGEST_ID = 200;

export interface ResponseHead {
  readonly status: number;
  /** `x-request-id` (spec, Conventions 3). */
  readonly requestId: string | null;
  readonly headers: { readonly retryAfterMs: number | null; readonly dateMs: number | null };
}

export interface JsonResponse extends ResponseHead {
  /** null for an empty body. */
  readonly body: Json;
  /** Set if the answer is too long for memory; reads the rows of a list in `body`, only once. */
  readonly batches?: (list: readonly Json[]) => RowBatches;
}

export function readHead(response: HttpResponse): ResponseHead {
  const dateMs = readDateMs(response.headers.get('date'));
  const retryAfterMs = readRetryAfterMs(response.headers.get('retry-after'), dateMs);
  return {
    status: response.status,
    requestId: readRequestId(response.headers),
    headers: { retryAfterMs, dateMs },
  };
}

/** The id goes into the journal and the audit, and a server may put anything into it. */
function readRequestId(headers: HttpHeaders): string | null {
  const id = headers.get('x-request-id');
  return id === null ? null : hideSecrets(id).slice(0, LONGEST_ID);
}

/** @throws ServiceError for everything but a readable 2xx. */
export function readJsonResponse(origin: Origin, response: HttpResponse, answered: Answered | Error): JsonResponse {
  const head = readHead(response);
  const { status, requestId } = head;
  if (answered instanceof AnswerFault) throw buildFault(origin, head, answered);
  if (answered instanceof Error) {
    const lost = buildNetworkError(origin, answered);
    throw new ServiceError({ ...lost.init, fault: 'network', outcome: 'unknown', status, requestId });
  }
  if ('body' in answered) {
    const explain = (fault: AnswerFault): ServiceError => buildFault(origin, head, fault);
    return { ...head, body: answered.body, batches: (list) => explainRows(answered.batches(list), explain) };
  }
  const { text } = answered;
  const body = text === '' && origin.method !== 'GET' ? null : parseJson(text);
  if (body !== undefined) return { ...head, body };
  const found = readWords(hideSecrets(text), null) || 'an empty body';
  const message = `Answered ${status} with something that is not JSON: ${found}.`;
  throw new ServiceError({ ...unusable(origin, head), code: 'SYNC_SERVICE_ANSWER', message });
}

function buildFault(origin: Origin, head: ResponseHead, { kind, message, remedy }: AnswerFault): ServiceError {
  return new ServiceError({
    ...unusable(origin, head),
    code: kind === 'too large' ? 'SYNC_SERVICE_TOO_LARGE' : 'SYNC_SERVICE_ANSWER',
    message: `Answered ${head.status} with something that cannot be used. ${message}`,
    remedy,
  });
}

/** The common fields of errors for a successful answer without a usable result. */
function unusable(origin: Origin, { status, requestId }: ResponseHead) {
  return { ...origin, fault: 'answer', outcome: 'unknown', status, requestId } as const;
}

export function buildRefusal(origin: Origin, response: HttpResponse, text: string | Error): ServiceError {
  const { status, requestId, headers } = readHead(response);
  // Secrets are hidden before any truncation or parsing, because a part of a secret would not be recognised.
  const words = hideSecrets(textOf(text));
  const body = parseJson(words) ?? null;
  const said = readWords(words, body);
  return new ServiceError({
    ...origin,
    code: codeOfStatus(status),
    message: `Answered ${status}${said === '' ? '' : `: ${said}`}`,
    fault: 'status',
    outcome: isOpen(status) ? 'unknown' : 'refused',
    status,
    requestId,
    words: said,
    retryAfterMs: headers.retryAfterMs,
    details: body,
  });
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function readDateMs(header: string | null): number | null {
  const ms = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(ms) ? null : ms;
}

/** Seconds, or a date. A date is compared with the service's own clock if the answer shows it (RFC 9110, 10.2.3). */
function readRetryAfterMs(header: string | null, dateMs: number | null): number | null {
  if (header === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const untilMs = readDateMs(header);
  return untilMs === null || dateMs === null ? null : Math.max(0, untilMs - dateMs);
}
