import type { ScimSourceConfig } from '../../config/config.js';
import { SyncError } from '../../errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { ConnectorContext } from '../connector.js';

/** One answer of `GET /Users`. */
export interface UsersPage {
  /** Address of the page, without credentials. */
  readonly at: string;
  readonly rows: readonly Json[];
  /** null where the provider, against RFC 7644 3.4.2, does not say. */
  readonly totalResults: number | null;
}

export type FetchUsers = (startIndex: number, count: number, signal?: AbortSignal) => Promise<UsersPage>;

/** One call may take this long; a page of a few hundred users takes a second or two. */
const TIMEOUT_MS = 60_000;
/** Calls for one page when the provider fails, and the pauses between them. */
const FAILURES = 3;
const PAUSES_MS = [1_000, 4_000];
/** Being asked to wait is not a failure, but neither may it go on for ever. */
const WAITS = 10;
const LONGEST_WAIT_MS = 300_000;
const USUAL_WAIT_MS = 5_000;

interface Trouble {
  readonly problem: string;
  /** How long the provider asks us to wait, null when it does not. */
  readonly waitMs: number | null;
  readonly isLimit: boolean;
  readonly cause?: unknown;
}

type Attempt = { readonly body: Json } | Trouble;

export function createUsersFetcher(config: ScimSourceConfig, context: ConnectorContext): FetchUsers {
  const base = describeBase(config.baseUrl);
  return async (startIndex, count, signal) => {
    const at = `${base}/Users?startIndex=${startIndex}&count=${count}`;
    let failures = 0;
    let waits = 0;
    for (;;) {
      const attempt = await tryOnce(at, config, context, signal);
      if ('body' in attempt) return readPage(attempt.body, at);
      if (attempt.isLimit ? ++waits >= WAITS : ++failures >= FAILURES) throw refuseDown(at, attempt, failures + waits);
      const pauseMs = attempt.waitMs ?? (attempt.isLimit ? USUAL_WAIT_MS : (PAUSES_MS[failures - 1] ?? USUAL_WAIT_MS));
      await context.clock.sleep(Math.min(pauseMs, LONGEST_WAIT_MS), signal);
    }
  };
}

async function tryOnce(
  at: string,
  config: ScimSourceConfig,
  context: ConnectorContext,
  signal?: AbortSignal,
): Promise<Attempt> {
  const headers = buildHeaders(config, at);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await context.fetch(at, {
      headers,
      // A redirect may lead to a login page or to another host; neither gets the credentials.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    return judgeResponse(response, text, at, context);
  } catch (error) {
    if (error instanceof SyncError) throw error;
    signal?.throwIfAborted();
    return { problem: describeFailure(error), waitMs: null, isLimit: false, cause: error };
  }
}

function judgeResponse(response: Response, text: string, at: string, context: ConnectorContext): Attempt {
  const { status } = response;
  if (status === 200) return { body: parseBody(text, at, response.headers.get('content-type')) };
  const waitMs = readRetryAfter(response.headers.get('retry-after'), context.clock.now());
  if (status === 429) return { problem: 'it answered 429, too many requests', waitMs, isLimit: true };
  if (status >= 500) return { problem: `it answered ${status}`, waitMs, isLimit: false };
  if (status === 401 || status === 403) {
    throw new SyncError('SYNC_SOURCE_DENIED', {
      message: `The identity provider refuses the credentials: it answered ${status}.`,
      place: `GET ${at}`,
      remedy:
        status === 401
          ? "Check the source's `auth`: the token may have expired or belong to another tenant."
          : 'Give the token the right to read users.',
    });
  }
  throw new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `The identity provider answered ${status}, expected 200.`,
    place: `GET ${at}`,
    remedy: "Check the source's `base_url`: it is the address under which /Users answers, usually ending in /scim/v2.",
  });
}

/** Built by hand, because `Headers` quotes a value it refuses, and the value is the secret. */
function buildHeaders(config: ScimSourceConfig, at: string): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/scim+json, application/json' };
  if (config.auth === null) return headers;
  const authorization =
    'bearer' in config.auth
      ? `Bearer ${config.auth.bearer}`
      : `Basic ${Buffer.from(`${config.auth.basic.username}:${config.auth.basic.password}`).toString('base64')}`;
  if (!/^[\x20-\x7e]+$/.test(authorization)) {
    throw new SyncError('SYNC_SOURCE_DENIED', {
      message: 'The token has characters that no HTTP header may carry, such as a line break.',
      place: `GET ${at}`,
      remedy: "Check where the source's `auth` comes from: the file or variable should hold the token alone.",
    });
  }
  headers.authorization = authorization;
  return headers;
}

function parseBody(text: string, at: string, contentType: string | null): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Without the parser's message as cause: it quotes the content, which is personal data.
    throw refuseFormat(
      `The answer is not JSON (content type ${contentType ?? 'not given'}, ${text.length} characters)`,
      at,
    );
  }
}

function readPage(body: Json, at: string): UsersPage {
  if (!isJsonObject(body)) throw refuseFormat('The answer is not a list response: it is no object', at);
  const total = findAttribute(body, 'totalResults');
  const rows = findAttribute(body, 'Resources');
  // RFC 7644 3.4.2: Resources may be left out when nothing is found.
  if (rows === undefined && total === undefined)
    throw refuseFormat('The answer has neither Resources nor totalResults', at);
  if (rows !== undefined && !Array.isArray(rows)) throw refuseFormat('Resources is not a list', at);
  return { at, rows: rows ?? [], totalResults: typeof total === 'number' ? total : null };
}

function refuseFormat(problem: string, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `${problem}; expected a SCIM 2.0 list response.`,
    place: `GET ${at}`,
    remedy: "Check the source's `base_url`; a web page in place of JSON is often a proxy's or a login page.",
  });
}

function refuseDown(at: string, trouble: Trouble, tries: number): SyncError {
  return new SyncError('SYNC_SOURCE_DOWN', {
    message: `The identity provider could not be read after ${tries} tries: ${trouble.problem}.`,
    place: `GET ${at}`,
    remedy:
      "Nothing is concluded from this read; the next run tries again. If it lasts, check `base_url` and the provider's state.",
    ...(trouble.cause === undefined ? {} : { cause: trouble.cause }),
  });
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null when there is none or it means nothing. */
function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`;
  const cause = error.cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
  return `the connection failed (${code})`;
}

/** Credentials in the address would show in every place and message; `auth` is where they belong. */
function describeBase(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}
