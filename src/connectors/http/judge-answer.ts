import { SyncError } from '../../base/errors.js';
import { hintAtWay, readBroken } from '../../base/http/broken-connection.js';
import type { Json } from '../../model/json.js';
import type { HttpAccess } from './resolve-http.js';

/** The reason why an attempt failed. Another attempt may succeed. */
export interface Trouble {
  readonly problem: string;
  /** The pause that the system asks for, in milliseconds; null if it asks for none. */
  readonly waitMs: number | null;
  readonly kind: 'limit' | 'failure' | 'denied';
  /** True if the request may have been carried out anyway. */
  readonly mayHaveArrived: boolean;
  readonly cause?: unknown;
  /** Advice in the form of a sentence. */
  readonly hint?: string;
}

/** Judges a call that got no response, or an incomplete one. */
export function judgeFailure(
  error: unknown,
  { timeoutMs, unusedProxy }: Pick<HttpAccess, 'timeoutMs' | 'unusedProxy'>,
  isLate: boolean,
): Trouble {
  const unclear = { waitMs: null, kind: 'failure', mayHaveArrived: true, cause: error } as const;
  if (!(error instanceof Error)) return { ...unclear, problem: 'the connection failed' };
  const broken = readBroken(error);
  const { code, proxyFault, isUnsent, isUntrusted } = broken;
  if (isLate && !isUnsent) return { ...unclear, problem: `no answer within ${timeoutMs / 1000} seconds` };
  const hint = hintAtWay(broken, unusedProxy, '');
  const what = isUntrusted ? 'its certificate is not trusted' : (proxyFault?.message ?? 'the connection failed');
  const problem = proxyFault?.status == null ? `${what} (${code || error.name})` : what;
  return { ...unclear, problem, mayHaveArrived: !isUnsent, ...(hint !== null && { hint }) };
}

/** The pause before another attempt at a locked record. A lock usually lasts only a moment. */
const LOCKED_WAIT_MS = 2_000;

const PASSING: Readonly<Record<number, Trouble>> = {
  401: { problem: 'it answered 401', waitMs: null, kind: 'denied', mayHaveArrived: false },
  423: { problem: 'it answered 423, locked', waitMs: LOCKED_WAIT_MS, kind: 'failure', mayHaveArrived: false },
  429: { problem: 'it answered 429, too many requests', waitMs: null, kind: 'limit', mayHaveArrived: false },
};

/** Judges a response that rejects a call; null if another attempt would end the same way. */
export function judgeStatus(status: number, waitMs: number | null): Trouble | null {
  if (status >= 500) return { problem: `it answered ${status}`, waitMs, kind: 'failure', mayHaveArrived: true };
  const trouble = PASSING[status];
  return trouble === undefined ? null : { ...trouble, waitMs: waitMs ?? trouble.waitMs };
}

export function parseBody(text: string, at: string, contentType: string | null): Json {
  if (text === '') return null;
  const parsed = parseOrNull(text);
  if (parsed !== null || text.trim() === 'null') return parsed;
  // The parser's error is not passed as the cause, because it quotes the content, which is personal data.
  throw new SyncError('SYNC_SOURCE_FORMAT', {
    message: `The answer is not JSON (content type ${contentType ?? 'not given'}, ${text.length} characters).`,
    place: at,
    remedy: "Check the source's `base_url`; a web page in place of JSON is often a proxy's or a login page.",
  });
}

export function parseOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/**
 * Returns the reason why a response does not confirm a change; null if it does. A web page comes from another system,
 * and truncated JSON proves nothing.
 */
export function findOddity(text: string, contentType: string | null): string | null {
  if (/html/i.test(contentType ?? '') || /^\s*<(!doctype|html)/i.test(text)) return 'it answered with a web page';
  const isCut = /json/i.test(contentType ?? '') && !/^\s*(null)?\s*$/.test(text) && parseOrNull(text) === null;
  return isCut ? 'it answered with JSON that cannot be read' : null;
}

/** Reads seconds or an HTTP date (RFC 9110, 10.2.3), and returns milliseconds; null if the header is missing or meaningless. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
