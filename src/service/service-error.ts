import { type ErrorCode, SyncError } from '../base/errors.js';
import type { Json } from '../model/json.js';
import type { HttpMethod, Repeat } from './endpoint.js';

/**
 * The outcome of the call:
 * - `refused`: the call was answered and not carried out
 * - `unknown`: the call may have been carried out
 * - `not_sent`: the call never reached the service
 */
export type CallOutcome = 'refused' | 'unknown' | 'not_sent';

/**
 * The place of the failure:
 * - `status`: the service rejected the call
 * - `network`: the answer was lost
 * - `unsent`: no connection was made
 * - `answer`: the call succeeded, but its answer cannot be read
 * - `stopped`: the caller stopped it
 */
export type Fault = 'status' | 'network' | 'unsent' | 'answer' | 'stopped';

/**
 * Advice on repeating the call:
 * - `safe`: a repeat does no harm (after a 429, once its time has come)
 * - `look first`: the call may have been carried out, and a repeat would carry it out twice
 * - `never`: the call would be rejected again, or no read shows the outcome, so a person must decide
 */
export type RetryAdvice = 'safe' | 'look first' | 'never';

export interface ServiceErrorInit {
  readonly code: ErrorCode;
  readonly message: string;
  readonly method: HttpMethod;
  /** Base URL without its path parameters, to name the place. */
  readonly baseUrl: string;
  /** Path as sent, without the query, because queries contain e-mail addresses. */
  readonly path: string;
  readonly fault: Fault;
  readonly outcome: CallOutcome;
  /** The endpoint's declared value; by default derived from the method. */
  readonly repeat?: Repeat;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly words?: string;
  readonly retryAfterMs?: number | null;
  /** The body of a rejection, for the few that carry data: `duplicate_project_ids`, `reason`, `details`. */
  readonly details?: Json;
  /** The remedy to show; by default derived from the code. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

const REMEDIES: Readonly<Partial<Record<ErrorCode, string>>> = {
  SYNC_SERVICE_UNAUTHENTICATED: 'Check `service.api_key`: it is missing, mistyped or no longer valid.',
  SYNC_SERVICE_FORBIDDEN:
    'The key is disabled or its role does not allow this call: give it the internationalmanager role, or enable it.',
  SYNC_SERVICE_LIMITED:
    'Lower `service.rate_limit`, or run when others use the account less; the next run continues from here.',
  SYNC_SERVICE_DOWN: 'Check that `service.base_url` can be reached from here; the next run tries again.',
  SYNC_REPORT_UNFINISHED:
    'No action needed: the service continues with it, and the next run picks it up. If it never ends, request less: fewer offices, languages or tags.',
  SYNC_SERVICE_ANSWER:
    'Check that `service.base_url` is the service itself, not a proxy or a login page; if it is, report the request id to its support.',
  SYNC_SERVICE_TOO_LARGE:
    'If the answers of the service are really that long, raise `service.max_answer`; otherwise look at what the address answers.',
  SYNC_SERVICE_LINK:
    'Ask the support of the service for links over https to public addresses; no setting here allows other links.',
  SYNC_SERVICE_NO_LINKING:
    'Have hard linking enabled for the account, or map `staffing.fields.link` to `"false"`: then the project is copied.',
  SYNC_SERVICE_REFUSED:
    'Correct the record in its source as the message of the service says, or report the request id to its support.',
  SYNC_SERVICE_UNKNOWN_OUTCOME:
    'It may have been carried out: look for it in the service before repeating it. The next run does this automatically.',
};

/** The only error of a call to the talent service, including network failures. It never contains the key or the query. */
export class ServiceError extends SyncError {
  readonly method: HttpMethod;
  readonly path: string;
  readonly fault: Fault;
  readonly outcome: CallOutcome;
  readonly retry: RetryAdvice;
  readonly status: number | null;
  readonly requestId: string | null;
  /** The service's own words, truncated. */
  readonly words: string;
  readonly retryAfterMs: number | null;
  readonly details: Json;
  readonly init: ServiceErrorInit;

  constructor(init: ServiceErrorInit) {
    super(init.code, {
      message: init.message,
      place: `${init.method} ${init.baseUrl}${init.path}`,
      remedy: init.remedy ?? REMEDIES[init.code] ?? 'Report this with the log of the run.',
      ...(init.cause === undefined ? {} : { cause: init.cause }),
    });
    this.name = 'ServiceError';
    this.method = init.method;
    this.path = init.path;
    this.fault = init.fault;
    this.outcome = init.outcome;
    this.retry = adviseRetry(init);
    this.status = init.status ?? null;
    this.requestId = init.requestId ?? null;
    this.words = init.words ?? '';
    this.retryAfterMs = init.retryAfterMs ?? null;
    this.details = init.details ?? null;
    this.init = init;
    // Not enumerable, because a logger that spreads errors would print everything twice.
    Object.defineProperty(this, 'init', { enumerable: false });
  }
}

/**
 * True if the status does not show whether the call was carried out. 501 does show it: the service does not support
 * such a call at all.
 */
export function isOpen(status: number): boolean {
  return status >= 500 && status !== 501;
}

/** The error code for a call answered with this status (spec, Errors). */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'SYNC_SERVICE_UNAUTHENTICATED';
  if (status === 403) return 'SYNC_SERVICE_FORBIDDEN';
  if (status === 429) return 'SYNC_SERVICE_LIMITED';
  if (isOpen(status)) return 'SYNC_SERVICE_DOWN';
  if (status >= 300 && status < 400) return 'SYNC_SERVICE_ANSWER';
  return 'SYNC_SERVICE_REFUSED';
}

const ADVICE: Readonly<Record<Repeat, RetryAdvice>> = { idempotent: 'safe', probe: 'look first', hold: 'never' };

function adviseRetry({ fault, outcome, status, repeat, method }: ServiceErrorInit): RetryAdvice {
  if (fault === 'status' && status !== undefined && !isOpen(status)) return status === 429 ? 'safe' : 'never';
  if (outcome !== 'unknown') return 'safe';
  const declared = repeat ?? (method === 'POST' ? 'probe' : 'idempotent');
  return ADVICE[declared];
}

/**
 * The final error for the caller, after the last attempt. The answer to a repeat does not show the outcome of an
 * earlier, lost attempt. If the write may not be repeated, a person must find out the outcome.
 */
export function concludeError(error: ServiceError, repeat: Repeat, doubtful: boolean): ServiceError {
  const outcome = doubtful ? 'unknown' : error.outcome;
  const code = outcome === 'unknown' && repeat !== 'idempotent' ? 'SYNC_SERVICE_UNKNOWN_OUTCOME' : error.code;
  return new ServiceError({ ...error.init, code, outcome, repeat, cause: error.cause });
}

const WORDS_LENGTH = 300;
/** The members of an error body that say why the call was rejected. */
export const WORD_KEYS: readonly string[] = ['message', 'error', 'errors', 'reason', 'details', 'detail'];

/** The service's words about a rejection, as one short line. The spec does not define the general shape of an error body. */
export function readWords(text: string, body: Json): string {
  const plain = /^\s*</.test(text) ? 'an HTML page' : text;
  const words = wordsOf(body) || plain;
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > WORDS_LENGTH ? `${line.slice(0, WORDS_LENGTH - 1)}…` : line;
}

function wordsOf(body: Json): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  if (Array.isArray(body)) return body.map((item: Json) => wordsOf(item)).join('; ');
  const object = body as { readonly [key: string]: Json };
  const parts: string[] = [];
  for (const key of WORD_KEYS) {
    const value = object[key];
    if (value !== undefined && value !== null) parts.push(typeof value === 'string' ? value : JSON.stringify(value));
  }
  return parts.join('; ');
}
