import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import { Secret } from '../../../base/secrets/secret.js';
import type { HookSettings } from '../../../base/settings/hook.js';
import { ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import type { HookForm } from '../../../model/hook-forms.js';
import type { SignalPort } from '../../signals/signals.js';
import type { HookSource, HookSources } from '../../tenants/hook-sources.js';
import { findClient, groupAddress } from '../address.js';
import { FairGate } from '../scim/fair-gate.js';
import { receiveBody, tooLarge } from '../scim/receive-body.js';
import { answerUnread, hasBody, isUnread, pathOf, type Visit } from '../visit.js';
import type { WrongTokens } from '../wrong-tokens.js';
import { findValidationToken, isTestPing } from './handshake.js';
import type { HookRequest } from './hook-proof.js';
import { type HookVerdict, judgeHook } from './judge-hook.js';
import { ReplayMemory } from './replay-memory.js';

/**
 * The verdict on a hook, or the reason for having none: body too large or unfinished, sender throttled, or an internal
 * error.
 */
export type HookResult = HookVerdict | 'too_large' | 'unfinished' | 'flooding' | 'failed';

/** The report of a hook, without data from the sender. */
export interface HookEvent {
  /** Null if the request named no source with a hook. */
  readonly source: Pick<HookSource, 'tenant' | 'name'> | null;
  readonly form: HookForm | null;
  readonly result: HookResult;
  readonly status: number;
  readonly ms: number;
  /** Present for an internal error. */
  readonly error?: unknown;
}

export interface HookReceiverOptions extends HookSources {
  readonly clock: Pick<Clock, 'now'>;
  readonly signals: SignalPort;
  /** True while a source may be missing because its configuration has not been read yet. */
  readonly isStarting?: () => boolean;
  readonly onHook: (event: HookEvent) => void;
}

const ROOT = /^\/hooks(?=[/?]|$)/;
const KIB = 1024;
const LARGEST_HOOK = 256 * KIB;
/** Every body counts as at least this size. */
const LEAST_WEIGHT = 4 * KIB;
/** Limits for bodies received at the same time, in total and per address. A vendor waits three seconds for the response. */
const BODIES = { capacity: 16_384 * KIB, share: 4_096 * KIB, longestQueue: 64, patienceMs: 2_000 };
const AGAIN = { 'retry-after': '30' };

interface HookAnswer {
  readonly result: HookResult;
  readonly status: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: unknown;
}

interface Desk {
  readonly options: HookReceiverOptions;
  readonly wrongTokens: WrongTokens;
  readonly gate: FairGate;
  readonly memory: ReplayMemory;
  /** Settings for a source that does not exist, so that its hooks take the same path. */
  readonly nobody: HookSettings;
}

export function isHook(url: string): boolean {
  return ROOT.test(pathOf(url));
}

/** Receives vendors' hooks. The content of a hook is neither trusted nor stored. */
export function createHookReceiver(
  options: HookReceiverOptions,
  wrongTokens: WrongTokens,
): (visit: Visit) => Promise<void> {
  const desk: Desk = {
    options,
    wrongTokens,
    gate: new FairGate(BODIES),
    memory: new ReplayMemory(),
    nobody: { form: 'generic', secrets: [new Secret(randomBytes(32).toString('hex'))], url: null, trustedProxies: [] },
  };
  return async (visit) => {
    const startedMs = performance.now();
    const source = findSource(visit, options);
    const releases: (() => void)[] = [];
    try {
      const answer = await answerHook(visit, source, desk, releases);
      options.onHook({
        source: source === null ? null : { tenant: source.tenant, name: source.name },
        form: source?.form ?? null,
        result: answer.result,
        status: answer.status,
        ms: performance.now() - startedMs,
        ...(answer.error === undefined ? {} : { error: answer.error }),
      });
      if (!visit.signal.aborted) send(visit, answer);
    } finally {
      for (const release of releases) release();
    }
  };
}

/** Finds a source by an address of exactly two parts. */
function findSource({ request }: Visit, options: HookReceiverOptions): HookSource | null {
  const [path = ''] = pathOf(request.url ?? '').split('?');
  const parts = path.replace(ROOT, '').split('/').slice(1).map(decode);
  const [tenant, name] = parts;
  return parts.length !== 2 || tenant == null || name == null ? null : options.find(tenant, name);
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

async function answerHook(
  visit: Visit,
  source: HookSource | null,
  desk: Desk,
  releases: (() => void)[],
): Promise<HookAnswer> {
  const { request } = visit;
  const { isStarting, proxies } = desk.options;
  if (request.method !== 'POST') return { result: 'forged', status: 405, headers: { allow: 'POST' } };
  if (isStarting?.() === true) return { result: 'failed', status: 503, headers: AGAIN };
  // Both handshakes are answered at every address, so the responses do not reveal which sources exist.
  const token = findValidationToken(request.url ?? '');
  if (token !== null) return { result: 'ping', status: 200, text: token };
  const client = findClient(request.socket.remoteAddress ?? '', request.headers, proxies());
  try {
    const body = await readBody(visit, client, desk.gate, releases);
    const verdict = isTestPing(body) ? 'ping' : takeHook(visit, body, source, desk);
    if (verdict === 'accepted' || verdict === 'ping') return { result: verdict, status: 200 };
    return await answerWrong(visit, verdict, client, desk);
  } catch (error) {
    if (!(error instanceof ScimError)) return { result: 'failed', status: 500, error };
    if (error.status === 503) return { result: 'flooding', status: 503, headers: AGAIN };
    return answerWrong(visit, error.status === 413 ? 'too_large' : 'unfinished', client, desk);
  }
}

function takeHook(visit: Visit, body: Buffer, source: HookSource | null, desk: Desk): HookVerdict {
  const settings = source ?? desk.nobody;
  const request = describeRequest(visit, body, settings);
  const of = `${source?.tenant ?? ''}/${source?.name ?? ''}`;
  const verdict = judgeHook(request, settings, { nowMs: desk.options.clock.now(), memory: desk.memory, of });
  if (source === null) return 'forged';
  if (verdict === 'accepted' || verdict === 'ping') visit.prove();
  if (verdict === 'accepted') desk.options.signals.signal({ tenant: source.tenant, source: source.name, kind: 'hook' });
  return verdict;
}

function describeRequest({ request }: Visit, body: Buffer, { url }: Pick<HookSettings, 'url'>): HookRequest {
  const { method = '', headers } = request;
  const path = pathOf(request.url ?? '');
  const query = /\?.*$/.exec(path)?.[0] ?? '';
  return { method, url: url === null ? `https://${headers.host ?? ''}${path}` : `${url}${query}`, headers, body };
}

/** Gives the same response for every error, including a source that does not exist. */
async function answerWrong(
  { signal }: Visit,
  result: HookResult,
  client: string,
  { wrongTokens }: Desk,
): Promise<HookAnswer> {
  const waitSeconds = await wrongTokens.holdBack(client, signal);
  if (waitSeconds === null) return { result, status: 403 };
  return { result: 'flooding', status: 429, headers: { 'retry-after': String(waitSeconds) } };
}

/** @throws ScimError 413 if the body is too large, 408 or 400 if it is incomplete, 503 if there is no room for it */
async function readBody(
  { request, response, signal, isExpectant }: Visit,
  client: string,
  gate: FairGate,
  releases: (() => void)[],
): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  const length = Number(request.headers['content-length'] ?? LARGEST_HOOK);
  if (length > LARGEST_HOOK) throw tooLarge(LARGEST_HOOK);
  releases.push(await gate.enter(groupAddress(client), Math.max(LEAST_WEIGHT, length), signal));
  if (isExpectant) response.writeContinue();
  const grow = (): Promise<Buffer> => Promise.reject(tooLarge(LARGEST_HOOK));
  return receiveBody(request, { space: Buffer.allocUnsafe(length), large: LARGEST_HOOK, grow });
}

function send(visit: Visit, { status, text = '', headers = {} }: HookAnswer): void {
  const { request, response } = visit;
  const all = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers };
  for (const [name, value] of Object.entries({ ...all, 'x-content-type-options': 'nosniff' }))
    response.setHeader(name, value);
  if (isUnread(request) || status >= 400) answerUnread(visit, status, text);
  else response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
}
