import { SyncError } from '../../base/errors.js';
import { AnswerFault } from '../../base/http/answer-fault.js';
import { Deadline } from '../../base/http/deadline.js';
import { type HttpHeaders, type HttpResponse, isSuccess } from '../../base/http/http-response.js';
import { MOST_LIST_BYTES, MOST_PAGE_BYTES, MOST_TOKEN_BYTES } from '../../base/http/limits.js';
import { type AnswerBound, explainRows, readAnswer, readBeginning } from '../../base/http/read-answer.js';
import type { Sockets } from '../../base/http/sockets.js';
import type { Json } from '../../model/json.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from './addresses.js';
import { type AskForToken, type Credentials, createCredentials } from './credentials.js';
import type { HttpAnswer, HttpCall, ListPlace } from './http-call.js';
import {
  findOddity,
  judgeFailure,
  judgeStatus,
  parseBody,
  parseOrNull,
  readRetryAfter,
  type Trouble,
} from './judge-answer.js';
import { type AskedSystem, refuseAnswer, refuseDown, refuseExhausted, refuseLogin, refuseStatus } from './refusals.js';
import type { HttpAccess } from './resolve-http.js';

type WriteAnswer =
  | { readonly answer: HttpAnswer }
  /** The change may have been made. `lost` is the reason why this is unknown; `error` ended the attempts. */
  | { readonly lost: string; readonly error: unknown };

export interface HttpSourceSettings extends AskedSystem {
  readonly access: HttpAccess;
  readonly accept: string;
  /** Returns the limit that a response reports as used up, if waiting for it would take too long; otherwise null. */
  readonly exhausted?: (status: number, body: Json) => string | null;
  /** True if a response asks for a pause in a vendor-specific form. */
  readonly isThrottled?: (status: number, body: Json, headers: HttpHeaders) => boolean;
  /** True if a response other than 401 says that the token has expired. */
  readonly isTokenOver?: (status: number, body: Json) => boolean;
}

/**
 * The maximum number of attempts per kind of trouble. A rate limit is not a failure, but attempts must not
 * continue indefinitely.
 */
const MOST_TIMES = { failure: 3, limit: 10 };
/** The pauses after failures, unless the system specifies a pause. */
const PAUSES_MS = [1_000, 4_000];
const USUAL_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

const TOO_MANY = 429;
const UNAUTHORIZED = 401;

type Attempt = HttpAnswer | Trouble;

/** A call in the form that each attempt sends. */
interface SentCall {
  readonly method: string;
  readonly url: string;
  readonly at: string;
  readonly handles: readonly number[];
  readonly body: string | null;
  readonly isWrite: boolean;
  readonly bound: AnswerBound;
}

interface HttpTries {
  readonly at: string;
  readonly signal: AbortSignal | undefined;
  /** Returns true if another attempt after a 401 may succeed. */
  readonly renew?: () => boolean;
  readonly onTrouble?: ((trouble: Trouble) => void) | undefined;
}

/** One outside system over HTTP. It handles authentication, time limits, retries and errors; the caller decides what to ask. */
export class HttpSource {
  private readonly sockets: Sockets;

  /** @param credentials the shared credentials, if the source has several streams */
  constructor(
    private readonly settings: HttpSourceSettings,
    private readonly context: ConnectorContext,
    private readonly credentials: Credentials = createCredentials(settings.access.auth, context.clock),
  ) {
    this.sockets = context.openSockets(settings.access);
  }

  /**
   * Sends a call that only reads. Repeats it after a failure that may be temporary (no response, 429, 5xx).
   *
   * @throws SyncError SYNC_SOURCE_DENIED (401, 403), SYNC_SOURCE_DOWN (after the last attempt), SYNC_SOURCE_FORMAT (not JSON),
   * SYNC_SOURCE_UNREADABLE (any other status)
   */
  read(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> {
    return this.send(call, false, signal);
  }

  /**
   * Sends a call that sets values. Setting the same values again changes nothing, so the call is repeated like a read.
   *
   * @throws SyncError like `read`, if the change was certainly not made
   */
  async write(call: HttpCall, signal?: AbortSignal): Promise<WriteAnswer> {
    const doubts: string[] = [];
    try {
      const answer = await this.send(call, true, signal, ({ mayHaveArrived, problem }) => {
        if (mayHaveArrived) doubts.push(problem);
      });
      return { answer };
    } catch (error) {
      const [lost] = doubts;
      if (lost === undefined) throw error;
      return { lost, error };
    }
  }

  close(): Promise<void> {
    return this.sockets.close();
  }

  private async send(
    { method = 'GET', url, body, headers: extra, handles = [], distanceMs, list, ...call }: HttpCall,
    isWrite: boolean,
    signal: AbortSignal | undefined,
    onTrouble?: (trouble: Trouble) => void,
  ): Promise<HttpAnswer> {
    const at = `${method} ${call.at ?? stripQuery(url)}`;
    const bound = boundAnswer(this.settings.access, list ?? {});
    const sent = { method, url, at, handles, body: body === undefined ? null : JSON.stringify(body), isWrite, bound };
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    let used: Readonly<Record<string, string>> = {};
    const attempt = async (): Promise<Attempt> => {
      used = await this.credentials.headers(this.askForToken, signal);
      if (distanceMs !== undefined) await this.context.pace(new URL(url).host, distanceMs, signal);
      return this.tryOnce(sent, { accept: this.settings.accept, ...content, ...extra, ...used }, signal);
    };
    const renew = (): boolean => this.credentials.renew(used);
    return this.insist(attempt, { at, signal, renew, onTrouble });
  }

  private readonly askForToken: AskForToken = async ({ url, form, headers }, signal) => {
    const at = `POST ${url}`;
    const isForm = form instanceof URLSearchParams;
    const [body, type] = isForm
      ? [form.toString(), 'application/x-www-form-urlencoded']
      : [JSON.stringify(form), 'application/json'];
    const bound = { maxBytes: MOST_TOKEN_BYTES, setting: null, rowsAt: null };
    const sent = { method: 'POST', url, at, handles: [400, 401], body, isWrite: false, bound };
    const content = { accept: 'application/json', 'content-type': type };
    const answer = await this.insist(() => this.tryOnce(sent, { ...headers, ...content }, signal), { at, signal });
    if (answer.status >= 400) throw refuseLogin(answer);
    return answer.body;
  };

  /** Repeats the attempt until there is a response or a limit is reached. */
  private async insist(
    attempt: () => Promise<Attempt>,
    { at, signal, renew, onTrouble }: HttpTries,
  ): Promise<HttpAnswer> {
    const counts = { failure: 0, limit: 0, denied: 0 };
    for (;;) {
      const tried = await attempt();
      if ('status' in tried) return tried;
      onTrouble?.(tried);
      signal?.throwIfAborted();
      const { kind, waitMs } = tried;
      const times = ++counts[kind];
      if (kind === 'denied') {
        if (times > 1 || renew?.() !== true) throw refuseStatus(this.settings, at, 401);
        continue;
      }
      if (times >= MOST_TIMES[kind]) throw refuseDown(this.settings, at, tried, counts.failure + counts.limit);
      const pauseMs = waitMs ?? (kind === 'failure' ? PAUSES_MS[times - 1] : undefined) ?? USUAL_PAUSE_MS;
      await this.context.clock.sleep(Math.min(pauseMs, LONGEST_PAUSE_MS), signal);
    }
  }

  private async tryOnce(
    sent: SentCall,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const { access } = this.settings;
    const deadline = new Deadline(access.timeoutMs, signal);
    try {
      const { method, url, body } = sent;
      const response = await this.sockets.send({
        ...{ method, url, headers, signal: deadline.signal },
        ...(body !== null && { body }),
      });
      if (!isSuccess(response.status)) return await this.judgeRefusal(response, sent);
      return await (sent.isWrite ? readWritten(response, sent) : readAsked(response, sent, this.settings.system));
    } catch (error) {
      if (error instanceof SyncError) throw error;
      return judgeFailure(error, access, deadline.ended() === 'timed out');
    } finally {
      deadline.release();
    }
  }

  private async judgeRefusal(response: HttpResponse, { at, handles }: SentCall): Promise<Attempt> {
    const { status, headers } = response;
    const body = parseOrNull(await readBeginning(response));
    const meant = this.readMeaning(status, body, headers);
    if (handles.includes(meant)) return buildAnswer(response, at, body);
    const limit = this.settings.exhausted?.(status, body) ?? null;
    if (limit !== null) throw refuseExhausted(this.settings, at, limit);
    const waitMs = readRetryAfter(headers.get('retry-after'), this.context.clock.now());
    const trouble = judgeStatus(meant, waitMs);
    if (trouble !== null) return trouble;
    throw refuseStatus(this.settings, at, status);
  }

  /** Translates a vendor-specific response to the usual status for its meaning. */
  private readMeaning(status: number, body: Json, headers: HttpHeaders): number {
    const { isThrottled, isTokenOver } = this.settings;
    if (isThrottled?.(status, body, headers) === true) return TOO_MANY;
    return isTokenOver?.(status, body) === true ? UNAUTHORIZED : status;
  }
}

function boundAnswer({ maxAnswerBytes }: HttpAccess, { depth, isWhole, object }: Partial<ListPlace>): AnswerBound {
  const maxBytes = maxAnswerBytes ?? (isWhole === true ? MOST_LIST_BYTES : MOST_PAGE_BYTES);
  return { maxBytes, setting: 'max_answer', rowsAt: depth ?? null, ...(object === undefined ? {} : { object }) };
}

function buildAnswer({ status, headers }: HttpResponse, at: string, body: Json): HttpAnswer {
  return { status, headers, at, body, batches: (list) => [list] };
}

async function readAsked(
  response: HttpResponse,
  { at, handles, bound }: SentCall,
  system: string,
): Promise<HttpAnswer> {
  const refuse = (fault: AnswerFault): SyncError => refuseAnswer(fault, system, at);
  const read = await readAnswer(response, bound).catch(asFault);
  if (read instanceof AnswerFault) throw refuse(read);
  if ('body' in read) {
    return { ...buildAnswer(response, at, read.body), batches: (list) => explainRows(read.batches(list), refuse) };
  }
  const isJudged = handles.includes(response.status);
  const body = isJudged ? parseOrNull(read.text) : parseBody(read.text, at, response.headers.get('content-type'));
  return buildAnswer(response, at, body);
}

/** Reads the response to a change. An unusable response does not show if the change was made. */
async function readWritten(response: HttpResponse, { at, bound }: SentCall): Promise<Attempt> {
  const read = await readAnswer(response, { ...bound, rowsAt: null }).catch(asFault);
  const text = 'text' in read ? read.text : '';
  const isFault = read instanceof AnswerFault;
  const problem = isFault ? read.message : findOddity(text, response.headers.get('content-type'));
  if (problem === null) return buildAnswer(response, at, parseOrNull(text));
  return { problem, waitMs: null, kind: 'failure', mayHaveArrived: true };
}

function asFault(error: unknown): AnswerFault {
  if (error instanceof AnswerFault) return error;
  throw error;
}
