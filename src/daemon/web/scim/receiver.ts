import { type Clock, isoNow } from '../../../base/clock.js';
import { isUnavailable, SyncError } from '../../../base/errors.js';
import { LARGEST_BODY, LARGEST_GROUP_BODY } from '../../../connectors/scim-protocol/discovery.js';
import { parseBody } from '../../../connectors/scim-protocol/parse-body.js';
import { describeScimError, ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import type { PushStore } from '../../../store/state/push-store.js';
import type { PushSource, PushSources } from '../../tenants/push-sources.js';
import { findClient } from '../address.js';
import { isAnyOf, readBearer } from '../bearer.js';
import { hasBody, type Visit } from '../visit.js';
import type { WrongTokens } from '../wrong-tokens.js';
import { answerRequest, type ScimRequest } from './answer-request.js';
import { FairGate } from './fair-gate.js';
import { HeapCare } from './heap-care.js';
import type { ScimAnswer } from './push-context.js';
import { BodySpaces, receiveBody, tooLarge } from './receive-body.js';
import { retryBusy } from './retry-busy.js';
import { type RequestTarget, readTarget, SCIM_ROOT } from './scim-address.js';
import { MEDIA_TYPE, sendAnswer } from './send-answer.js';

/**
 * Result of a request. A write was accepted, rejected because of its own error, not authorized, or failed because of an
 * internal error. `read` is not a push.
 */
export type PushResult = 'taken' | 'refused' | 'denied' | 'failed' | 'read';

/** The report of a request, without names of people. */
export interface PushEvent {
  /** Null if the request named no existing source. */
  readonly source: Pick<PushSource, 'tenant' | 'name'> | null;
  readonly method: string;
  readonly status: number;
  readonly result: PushResult;
  readonly ms: number;
  /** Present for an internal error. */
  readonly error?: unknown;
}

export interface ReceiverOptions extends Pick<PushSources, 'find' | 'proxies'> {
  readonly clock: Clock;
  /** True while a source may be missing because its configuration has not been read yet. */
  readonly isStarting?: () => boolean;
  readonly onRequest: (event: PushEvent) => void;
}

const ACCEPTED = /^\s*application\/(scim\+json|json)\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** Methods with a body. Bodies of other methods are ignored. */
const BODIED: readonly string[] = ['POST', 'PUT', 'PATCH'];
const MIB = 1024 * 1024;
const QUEUE = { longestQueue: 256, patienceMs: 30_000 };
/** Every body counts as at least this size. */
const LEAST_WEIGHT = 64 * 1024;
/** A longer body, or a body of unknown length, gets a full-size buffer and counts as that size. */
const SMALL = MIB;
/** Limits for parsed bodies, because a body of brackets alone would grow to many times its size. */
const BOUNDS = { values: 250_000, depth: 32 };
const GROUP_BOUNDS = { ...BOUNDS, values: 1_000_000 };
/** Each operation of a bulk request checks its own depth. */
const BULK_BOUNDS = { ...BOUNDS, depth: Number.POSITIVE_INFINITY };

interface Gates {
  /** Bytes of bodies of ordinary size that are being received or processed. */
  readonly bodies: FairGate;
  /** Bytes of larger bodies, which are received one at a time. */
  readonly large: FairGate;
  /** Requests being processed. No request blocks the process for long, so a few at the same time are enough. */
  readonly work: FairGate;
  readonly spaces: BodySpaces;
}

/** Serves SCIM 2.0 (RFC 7643, 7644) for each source of `type: scim-push`. */
export function createReceiver(options: ReceiverOptions, wrongTokens: WrongTokens): (visit: Visit) => Promise<void> {
  const gates: Gates = {
    bodies: new FairGate({ ...QUEUE, capacity: 32 * MIB, share: 16 * MIB }),
    large: new FairGate({ ...QUEUE, capacity: 2, share: 1 }),
    work: new FairGate({ ...QUEUE, capacity: 16, share: 4 }),
    spaces: new BodySpaces(),
  };

  return async (visit) => {
    const startedMs = performance.now();
    const { method = 'GET', url = '' } = visit.request;
    const target = readTarget(url);
    const found = options.find(target.parts);
    const releases: (() => void)[] = [];
    const { answer, thrown } = await answerOrDescribe(() =>
      isLetIn(visit, found)
        ? answerAuthorized(visit, target, found, { gates, releases, clock: options.clock })
        : answerDenied(visit, target, found, { wrongTokens, ...options }),
    );
    const tell = (status: number, error: unknown): void =>
      options.onRequest({
        source: found === null ? null : { tenant: found.source.tenant, name: found.source.name },
        method,
        status,
        result: pushResult(method, target, status),
        ms: performance.now() - startedMs,
        ...(status >= 500 ? { error } : {}),
      });
    try {
      tell(answer.status, thrown);
      await sendAnswer(visit, answer);
    } catch (error) {
      if (!visit.signal.aborted) tell(500, error);
      await breakOff(visit);
    } finally {
      for (const release of releases) release();
    }
  };
}

async function answerOrDescribe(
  answer: () => Promise<ScimAnswer>,
): Promise<{ readonly answer: ScimAnswer; readonly thrown?: unknown }> {
  try {
    return { answer: await answer() };
  } catch (thrown) {
    return { answer: errorAnswer(thrown instanceof ScimError ? thrown : wentWrong()), thrown };
  }
}

/** Closes the connection. In the middle of a response, only this shows the client that the response is incomplete. */
async function breakOff(visit: Visit): Promise<void> {
  const { request, response, signal } = visit;
  if (response.headersSent || signal.aborted) request.socket.destroy();
  else await sendAnswer(visit, errorAnswer(wentWrong()));
}

function wentWrong(): ScimError {
  return new ScimError(500, 'Something went wrong here.');
}

type FoundPushSource = NonNullable<ReturnType<PushSources['find']>>;

/** True if the sender may use the source. A source that does not exist admits nobody. */
function isLetIn({ request, prove }: Visit, found: FoundPushSource | null): found is FoundPushSource {
  const isRight = isAnyOf(readBearer(request.headers.authorization), found?.source.tokens ?? []);
  if (isRight) prove();
  return isRight;
}

/** Answers without reading the body. */
async function answerDenied(
  { request, signal }: Visit,
  { isReadable, isVersion2 }: RequestTarget,
  found: FoundPushSource | null,
  { wrongTokens, isStarting }: Pick<ReceiverOptions, 'isStarting'> & { readonly wrongTokens: WrongTokens },
): Promise<ScimAnswer> {
  if (!isVersion2) throw new ScimError(404, `There is nothing at this address; SCIM 2.0 is under ${SCIM_ROOT}.`);
  if (!isReadable && found === null) throw new ScimError(400, 'The address cannot be read.');
  // The token may be valid. Identity providers give up after several 401 responses, but try again after a 503.
  if (isStarting?.() === true) throw new ScimError(503, 'The configurations are still being read. Try again.');
  const isSent = readBearer(request.headers.authorization) !== '';
  if (isSent) {
    const client = findClient(request.socket.remoteAddress ?? '', request.headers, found?.source.trustedProxies ?? []);
    const waitSeconds = await wrongTokens.holdBack(client, signal);
    if (waitSeconds !== null) {
      const error = new ScimError(429, 'Too many wrong tokens came from this address.');
      return { ...errorAnswer(error), headers: { 'retry-after': String(waitSeconds) } };
    }
  }
  // RFC 6750, section 3: a client that sent no token gets no reason.
  const why = isSent ? ', error="invalid_token"' : '';
  const headers = { 'www-authenticate': `Bearer realm="talent-sync"${why}` };
  return { ...errorAnswer(new ScimError(401, 'Send a token of this source.')), headers };
}

/** The resources that a request holds, and how to release them. */
interface RequestRoom {
  readonly gates: Gates;
  readonly releases: (() => void)[];
  readonly clock: Clock;
}

async function answerAuthorized(
  visit: Visit,
  { parts, query, isReadable, origin }: RequestTarget,
  { source, used }: FoundPushSource,
  room: RequestRoom,
): Promise<ScimAnswer> {
  const { gates, releases, clock } = room;
  const { request, signal } = visit;
  if (!isReadable) throw new ScimError(400, 'The address cannot be read.');
  const ofGroups = parts[used] === 'Groups' && parts[used + 1] !== '.search';
  const bytes = await readBytes(visit, source.tenant, ofGroups ? LARGEST_GROUP_BODY : LARGEST_BODY, room);
  releases.push(await gates.work.enter(source.tenant, 1, signal));
  const scim: ScimRequest = {
    // A HEAD request is handled as a GET, and its body is dropped when it is sent.
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
    parts: parts.slice(used),
    query,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    body() {
      checkMediaType(request.headers['content-type']);
      if (parts[used] === 'Bulk') return parseBody(bytes, BULK_BOUNDS);
      return parseBody(bytes, bytes.length > LARGEST_BODY ? GROUP_BOUNDS : BOUNDS);
    },
  };
  const heap = new HeapCare();
  releases.push(() => heap.end());
  heap.weigh(bytes.length);
  const root = parts.slice(0, used).map(encodeURIComponent).join('/');
  const base = source.baseUrl ?? `${origin(request.headers.host)}${SCIM_ROOT}/${root}`;
  const answer = async (store: PushStore | null): Promise<ScimAnswer> => {
    if (store === null) throw new ScimError(503, 'The state of this source is not open yet. Try again.');
    return retryBusy(() =>
      answerRequest(scim, {
        ...{ source: source.name, key: source.key, store, base, now: isoNow(clock) },
        isGone: () => signal.aborted,
        weigh: (size) => heap.weigh(size),
      }),
    );
  };
  try {
    return await source.use(isLook(scim) ? 'read' : 'change', answer);
  } catch (error) {
    if (!(error instanceof SyncError && isUnavailable(error))) throw error;
    throw new ScimError(503, 'The stored users and groups cannot be reached now. Try again.');
  }
}

function isLook({ method, parts }: Pick<ScimRequest, 'method' | 'parts'>): boolean {
  return method === 'GET' || method === 'HEAD' || parts.at(-1) === '.search';
}

/** Reads the body once there is room for it. Until then, the client is not asked to send the body. */
async function readBytes(
  { request, response, signal, isExpectant }: Visit,
  tenant: string,
  large: number,
  { gates, releases }: RequestRoom,
): Promise<Uint8Array> {
  if (!hasBody(request)) return new Uint8Array();
  if (BODIED.includes(request.method ?? '')) checkMediaType(request.headers['content-type']);
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (length > large) throw tooLarge(large);
  const takeSpace = (bytes: number): Buffer => {
    const space = gates.spaces.take(bytes);
    releases.push(() => gates.spaces.giveBack(space));
    return space;
  };
  const enterLarge = async (): Promise<Buffer> => {
    releases.push(await gates.large.enter(tenant, 1, signal));
    return takeSpace(large);
  };
  const enter = async (): Promise<Buffer> => {
    const isSmall = length <= SMALL;
    releases.push(await gates.bodies.enter(tenant, isSmall ? Math.max(LEAST_WEIGHT, length) : LARGEST_BODY, signal));
    return isSmall ? Buffer.allocUnsafe(length) : takeSpace(LARGEST_BODY);
  };
  const space = length > LARGEST_BODY ? await enterLarge() : await enter();
  if (isExpectant) response.writeContinue();
  return receiveBody(request, { space, large, grow: enterLarge });
}

function checkMediaType(type = MEDIA_TYPE): void {
  if (!ACCEPTED.test(type) || !/^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8'))
    throw new ScimError(415, `Send the body as ${MEDIA_TYPE}, in UTF-8.`);
}

function pushResult(method: string, { parts }: RequestTarget, status: number): PushResult {
  if (status === 401 || status === 429) return 'denied';
  // A request for an unsupported feature (501) is an error of the client.
  if (status >= 500 && status !== 501) return 'failed';
  if (isLook({ method, parts })) return 'read';
  return status < 400 ? 'taken' : 'refused';
}

function errorAnswer(error: ScimError): ScimAnswer {
  const headers = error.status === 503 ? { 'retry-after': '30' } : {};
  return { status: error.status, body: describeScimError(error), headers };
}
