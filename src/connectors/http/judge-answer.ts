import { codeOf, SyncError } from '../../errors.js';
import type { Json } from '../../model/json.js';

/** Node's codes for certificates of unknown authorities. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/;
/** Where there was no connection, nothing can have arrived. */
const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|ALTNAME|CERT_HAS_EXPIRED/;

export interface AnswerFailure {
  readonly problem: string;
  /** Whether what was sent may have been taken all the same. */
  readonly mayHaveArrived: boolean;
}

export function judgeFailure(error: unknown, timeoutMs: number): AnswerFailure {
  if (!(error instanceof Error)) return { problem: 'the connection failed', mayHaveArrived: true };
  if (error.name === 'TimeoutError') {
    return { problem: `no answer within ${timeoutMs / 1000} seconds`, mayHaveArrived: true };
  }
  const cause = error.cause;
  const code = codeOf(cause) ?? error.name;
  const isUntrusted = UNTRUSTED.test(code);
  const problem = isUntrusted
    ? `its certificate is not trusted (${code}); name the authority that signed it in \`tls.ca\``
    : `the connection failed (${code})`;
  return { problem, mayHaveArrived: !isUntrusted && !UNSENT.test(code) };
}

export function parseBody(text: string, at: string, contentType: string | null): Json {
  if (text === '') return null;
  const parsed = parseOrNull(text);
  if (parsed !== null || text.trim() === 'null') return parsed;
  // Without the parser's message as cause: it quotes the content, which is personal data.
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
 * What an answer to a change cannot be: a web page is somebody else's, and JSON that is cut says nothing for sure. In whatever
 * other words it is told that the change was made, it was made.
 */
export function findOddity(text: string, contentType: string | null): string | null {
  if (/html/i.test(contentType ?? '') || /^\s*<(!doctype|html)/i.test(text)) return 'it answered with a web page';
  const isCut = /json/i.test(contentType ?? '') && !/^\s*(null)?\s*$/.test(text) && parseOrNull(text) === null;
  return isCut ? 'it answered with JSON that cannot be read' : null;
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null when there is none or it means nothing. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
