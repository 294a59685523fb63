import { AnswerFault } from '../../answers/answer-fault.js';
import { MOST_LIST_BYTES, MOST_PAGE_BYTES, MOST_TOKEN_BYTES, type ObjectBound } from '../../answers/limits.js';
import { type AnswerBound, type Batches, explainRows, readAnswer, readBeginning } from '../../answers/read-answer.js';
import { SyncError } from '../../errors.js';
import type { Json } from '../../model/json.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from './addresses.js';
import { type AskForToken, type Credentials, createCredentials } from './credentials.js';
import { createDispatcher } from './dispatcher.js';
import type { HttpAccess } from './http-access.js';
import { findOddity, judgeFailure, parseBody, parseOrNull, readRetryAfter } from './judge-answer.js';

export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  /** How the call is named to people; the address without its query where the query is opaque or holds personal data. */
  readonly at?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses outside 2xx that the caller judges itself. */
  readonly handles?: readonly number[];
  /** How long after the last call that says so it may be sent, where the system limits such calls. */
  readonly distanceMs?: number;
  /** Where rows are in the answer; without it the answer is one object. */
  readonly list?: ListPlace;
}

export interface ListPlace {
  /** How many objects and lists stand around the list of rows. */
  readonly depth: number;
  /** It comes in one answer, without pages. */
  readonly isWhole?: boolean;
  /** What a row may be; the usual unless given. */
  readonly object?: ObjectBound;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** null for an answer without content, and for one in `handles` that is not JSON. */
  readonly body: Json;
  readonly at: string;
  /** The rows of a list in `body`, to be read once: those of a long answer are not held, and the list is a mark for them. */
  batches(list: readonly Json[]): Batches;
}

/** One outside system over HTTP: authentication, time limits, patience and errors; what is asked is the caller's. */
export interface HttpSource {
  /**
   * Sends a call that only reads, again after a failure that may pass (no answer, 429, 5xx).
   *
   * @throws SyncError SYNC_SOURCE_DENIED (401, 403), SYNC_SOURCE_DOWN (after the last try), SYNC_SOURCE_FORMAT (no JSON),
   * SYNC_SOURCE_UNREADABLE (any other status).
   */
  read(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer>;
  /**
   * Sends a call that sets values. To set them once more changes nothing, so it is repeated as a read is.
   *
   * @throws SyncError as `read` does, where nothing of it can have been taken.
   */
  write(call: HttpCall, signal?: AbortSignal): Promise<WriteAnswer>;
  close(): Promise<void>;
}

export type WriteAnswer =
  | { readonly answer: HttpAnswer }
  /** It may have been taken: why that is not known, and what ended the tries. */
  | { readonly lost: string; readonly error: unknown };

export interface HttpSourceSettings {
  /** What the system is to people: `identity provider`, `CRM`. */
  readonly system: string;
  readonly access: HttpAccess;
  readonly accept: string;
  /** The right that a 403 asks for: `read users`. */
  readonly right: string;
  /** What to look at when the address seems wrong. */
  readonly addressHint: string;
  /** Whether it is asked, or told; `read` without a word. */
  readonly purpose?: 'read' | 'write';
  /** Which limit an answer says is used up for so long that waiting is in vain; null when none. */
  readonly exhausted?: (status: number, body: Json) => string | null;
}

/** Calls of one request when the system fails, and the pauses between them. */
const FAILURES = 3;
const PAUSES_MS = [1_000, 4_000];
/** Being asked to wait is not a failure, but neither may it go on for ever. */
const WAITS = 10;
const LONGEST_WAIT_MS = 300_000;
const USUAL_WAIT_MS = 5_000;
/** What is locked is so for a moment. */
const LOCKED_WAIT_MS = 2_000;

interface Trouble {
  readonly problem: string;
  /** How long the system asks us to wait, null when it does not. */
  readonly waitMs: number | null;
  readonly kind: 'limit' | 'failure' | 'denied';
  /** Whether what was sent may have been taken all the same. */
  readonly mayHaveArrived: boolean;
  readonly cause?: unknown;
}

type Attempt = HttpAnswer | Trouble;

/** @param credentials those of the source, where it has several streams */
export function createHttpSource(
  settings: HttpSourceSettings,
  context: ConnectorContext,
  credentials: Credentials = createCredentials(settings.access.auth, context.clock),
): HttpSource {
  const { access, system } = settings;
  const isTold = settings.purpose === 'write';
  const { clock } = context;
  const { dispatcher, close } = createDispatcher(access);
  const askForToken: AskForToken = async (url, form, headers, signal) => {
    const answer = await insist(
      () =>
        tryOnce(
          {
            ...{ method: 'POST', url, at: `POST ${url}`, handles: [], body: form.toString(), isWrite: false },
            bound: { maxBytes: MOST_TOKEN_BYTES, setting: null, rowsAt: null },
          },
          { ...headers, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          signal,
        ),
      `POST ${url}`,
      signal,
    );
    return answer.body;
  };

  interface Sent {
    readonly method: string;
    readonly url: string;
    readonly at: string;
    readonly handles: readonly number[];
    readonly body: string | null;
    readonly isWrite: boolean;
    readonly bound: AnswerBound;
  }

  function boundOf({ depth, isWhole = false, object }: Partial<ListPlace>): AnswerBound {
    const maxBytes = access.maxAnswerBytes ?? (isWhole ? MOST_LIST_BYTES : MOST_PAGE_BYTES);
    return { maxBytes, setting: 'max_answer', rowsAt: depth ?? null, ...(object === undefined ? {} : { object }) };
  }

  async function tryOnce(
    sent: Sent,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Attempt> {
    const timeout = AbortSignal.timeout(access.timeoutMs);
    try {
      const response = await context.fetch(sent.url, {
        method: sent.method,
        headers,
        ...(sent.body === null ? {} : { body: sent.body }),
        // A redirect may lead to a login page or to another host; neither gets the credentials.
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        dispatcher,
      });
      return await judge(response, sent);
    } catch (error) {
      if (error instanceof SyncError) throw error;
      return { ...judgeFailure(error, access.timeoutMs), waitMs: null, kind: 'failure', cause: error };
    }
  }

  async function judge(response: Response, { at, handles, isWrite, bound }: Sent): Promise<Attempt> {
    const { status, headers } = response;
    const head = { status, headers, at, batches: (list: readonly Json[]): Batches => [list] };
    const contentType = headers.get('content-type');
    if (response.ok && isWrite) {
      const read = await readAnswer(response, { ...bound, rowsAt: null }).catch(asFault);
      const problem =
        read instanceof AnswerFault ? read.message : 'text' in read ? findOddity(read.text, contentType) : null;
      if (problem === null) return { ...head, body: 'text' in read ? parseOrNull(read.text) : null };
      return { problem, waitMs: null, kind: 'failure', mayHaveArrived: true };
    }
    if (response.ok) {
      const read = await readAnswer(response, bound).catch(asFault);
      if (read instanceof AnswerFault) throw refuseAnswer(read, system, at);
      if ('body' in read)
        return {
          ...head,
          body: read.body,
          batches: (list) => explainRows(read.batches(list), (fault) => refuseAnswer(fault, system, at)),
        };
      return {
        ...head,
        body: handles.includes(status) ? parseOrNull(read.text) : parseBody(read.text, at, contentType),
      };
    }
    const text = await readBeginning(response);
    if (handles.includes(status)) return { ...head, body: parseOrNull(text) };
    const limit = settings.exhausted?.(status, parseOrNull(text)) ?? null;
    if (limit !== null) throw refuseExhausted(system, at, limit, isTold);
    const waitMs = readRetryAfter(headers.get('retry-after'), clock.now());
    const refused = { waitMs, mayHaveArrived: false };
    if (status === 429) return { ...refused, problem: 'it answered 429, too many requests', kind: 'limit' };
    if (status === 423)
      return { problem: 'it answered 423, locked', kind: 'failure', ...refused, waitMs: waitMs ?? LOCKED_WAIT_MS };
    if (status >= 500) return { problem: `it answered ${status}`, waitMs, kind: 'failure', mayHaveArrived: true };
    if (status === 401) return { ...refused, problem: 'it answered 401', kind: 'denied' };
    if (status === 403) throw refuseDenied(at, 403);
    throw new SyncError('SYNC_SOURCE_UNREADABLE', {
      message: `The ${system} answered ${status}, expected 200.`,
      place: at,
      remedy: settings.addressHint,
    });
  }

  /** Tries until there is an answer, or enough was tried. `renew` says whether a 401 is worth another try. */
  async function insist(
    attempt: () => Promise<Attempt>,
    at: string,
    signal: AbortSignal | undefined,
    renew: () => boolean = () => false,
    onTrouble: (trouble: Trouble) => void = () => {},
  ): Promise<HttpAnswer> {
    let [failures, waits, denials] = [0, 0, 0];
    for (;;) {
      const tried = await attempt();
      if ('status' in tried) return tried;
      onTrouble(tried);
      signal?.throwIfAborted();
      if (tried.kind === 'denied') {
        if (++denials > 1 || !renew()) throw refuseDenied(at, 401);
        continue;
      }
      const isLimit = tried.kind === 'limit';
      if (isLimit ? ++waits >= WAITS : ++failures >= FAILURES) throw refuseDown(at, tried, failures + waits);
      const pauseMs = tried.waitMs ?? (isLimit ? USUAL_WAIT_MS : (PAUSES_MS[failures - 1] ?? USUAL_WAIT_MS));
      await clock.sleep(Math.min(pauseMs, LONGEST_WAIT_MS), signal);
    }
  }

  function refuseDenied(at: string, status: 401 | 403): SyncError {
    return new SyncError('SYNC_SOURCE_DENIED', {
      message: `The ${system} refuses the credentials: it answered ${status}.`,
      place: at,
      remedy:
        status === 401
          ? "Check the source's `auth`: the token may have expired or belong to another tenant."
          : `Give the token the right to ${settings.right}.`,
    });
  }

  function refuseDown(at: string, trouble: Trouble, tries: number): SyncError {
    return new SyncError('SYNC_SOURCE_DOWN', {
      message: `The ${system} could not be ${isTold ? 'written to' : 'read'} after ${tries} tries: ${trouble.problem}.`,
      place: at,
      remedy: `${isTold ? 'What was not written waits for the next run.' : 'Nothing is concluded from this read; the next run tries again.'} If it lasts, check \`base_url\` and the system's state.`,
      ...(trouble.cause === undefined ? {} : { cause: trouble.cause }),
    });
  }

  async function send(
    { method = 'GET', url, body, headers: extra, handles = [], distanceMs, list, ...call }: HttpCall,
    isWrite: boolean,
    signal: AbortSignal | undefined,
    onTrouble?: (trouble: Trouble) => void,
  ): Promise<HttpAnswer> {
    const at = `${method} ${call.at ?? stripQuery(url)}`;
    let used: Readonly<Record<string, string>> = {};
    const payload = body === undefined ? null : JSON.stringify(body);
    const sent: Sent = { method, url, at, handles, body: payload, isWrite, bound: boundOf(list ?? {}) };
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    return insist(
      async () => {
        used = await credentials.headers(askForToken, signal);
        if (distanceMs !== undefined) await context.pace(new URL(url).host, distanceMs, signal);
        return tryOnce(sent, { accept: settings.accept, ...content, ...extra, ...used }, signal);
      },
      at,
      signal,
      () => credentials.renew(used),
      onTrouble,
    );
  }

  return {
    read: (call, signal) => send(call, false, signal),
    async write(call, signal) {
      const doubts: string[] = [];
      try {
        const answer = await send(call, true, signal, ({ mayHaveArrived, problem }) => {
          if (mayHaveArrived) doubts.push(problem);
        });
        return { answer };
      } catch (error) {
        const [lost] = doubts;
        if (lost === undefined) throw error;
        return { lost, error };
      }
    },
    close,
  };
}

function asFault(error: unknown): AnswerFault {
  if (error instanceof AnswerFault) return error;
  throw error;
}

function refuseAnswer({ kind, message, remedy }: AnswerFault, system: string, at: string): SyncError {
  return new SyncError(kind === 'too large' ? 'SYNC_SOURCE_TOO_LARGE' : 'SYNC_SOURCE_FORMAT', {
    message: `The answer of the ${system} cannot be used. ${message}`,
    place: at,
    remedy,
  });
}

export function refuseExhausted(system: string, at: string, limit: string, isTold = false): SyncError {
  return new SyncError('SYNC_SOURCE_DOWN', {
    message: `The ${system} takes no more calls for now: ${limit}.`,
    place: at,
    remedy: `${isTold ? 'What was not written waits.' : 'Nothing is concluded from this read.'} Read less often, or have the limit raised; the next run tries again.`,
  });
}
