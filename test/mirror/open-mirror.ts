import { systemClock } from '../../src/base/clock.js';
import { createLogger } from '../../src/base/logger.js';
import { lookUp } from '../../src/mirror/look-up.js';
import type { RefreshContext } from '../../src/mirror/refresh.js';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { createTalentService } from '../../src/service/talent-service.js';
import { closeAfterTest } from '../closing.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { openTestStores } from '../samples.js';
import { ACCOUNT, openSandbox } from '../sandbox/open-sandbox.js';

/** A memory that forgets: every refresh reads again. */
class Forgetful extends Map<string, Promise<void>> {
  override set(): this {
    return this;
  }
}

/** How the service reads `after_id`: it leaves out that one user, or everyone up to that user in the order of the feed. */
export type Reading = 'exact' | 'keyset';

export interface MirrorDesk {
  readonly context: RefreshContext;
  readonly mirror: RefreshContext['mirror'];
  readonly sandbox: Awaited<ReturnType<typeof openSandbox>>['sandbox'];
  readonly send: Awaited<ReturnType<typeof openSandbox>>['send'];
  /** The paths of the calls since this was last called. */
  calls(): readonly string[];
  /** Runs the hook before each call, with its path. */
  beforeCall(hook: (path: string) => Promise<void>): void;
}

const CONFIG = loadSample(
  `${SAMPLE}customers: { from: [crm.companies], fields: { external_unique_id: record.id, customer_name: { en: record.name } } }\n`.replace(
    '  idp:',
    '  crm: { type: crm, drop: ./crm, streams: { companies: { pattern: "*.json", key: id, columns: { id: string, name: string } } } }\n  idp:',
  ),
);

/** A mirror next to a sandbox, with a client that can read `after_id` the other way than the sandbox does. */
export async function openMirror(fixture: FixtureInput, reading: Reading = 'exact'): Promise<MirrorDesk> {
  const { sandbox, send } = await openSandbox({ fixture, clock: '2026-11-20T08:00:00Z' });
  const stores = openTestStores();
  let serviceTime: number | null = null;
  let hook: (path: string) => Promise<void> = async () => undefined;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const target = new URL(String(url));
    await hook(target.pathname);
    return reading === 'keyset' ? fetchKeyset(target, init) : globalThis.fetch(target, init);
  };
  const service = createTalentService({
    baseUrl: sandbox.url,
    apiKey: Object.values(sandbox.keys)[0] ?? '',
    rateLimit: { requestsPerSecond: null, perMinute: null, concurrency: 4 },
    timeoutMs: 10_000,
    maxAnswerBytes: null,
    clock: systemClock,
    fetch,
    onCall: ({ dateMs }) => {
      serviceTime = dateMs ?? serviceTime;
    },
  });
  closeAfterTest(service);
  const context: RefreshContext = {
    config: CONFIG,
    reader: service.reader,
    mirror: stores.mirror,
    clock: systemClock,
    logger: createLogger('silent', { write: () => undefined }),
    serviceTime: () => serviceTime,
    callsLeft: () => Number.POSITIVE_INFINITY,
    signal: undefined,
    // In these tests each refresh is a run of its own.
    lookUps: {
      find: (sought) => lookUp(sought, { reader: service.reader, mirror: stores.mirror, signal: undefined }),
      doubt: () => undefined,
      isDoubted: () => false,
      lack: () => undefined,
      lackOf: () => null,
    },
    once: new Forgetful(),
  };
  return {
    context,
    mirror: stores.mirror,
    sandbox,
    send,
    calls() {
      const all = sandbox.calls().map(({ path }) => path);
      sandbox.resetCalls();
      return all;
    },
    beforeCall(next) {
      hook = next;
    },
  };
}

/** Answers the feed like a service that reads (timestamp, id) as a position. */
async function fetchKeyset(target: URL, init: RequestInit | undefined): Promise<Response> {
  const afterId = target.searchParams.get('after_id');
  if (!target.pathname.endsWith('/users/changes') || afterId === null) return globalThis.fetch(target, init);
  const limit = Number(target.searchParams.get('limit'));
  const since = Date.parse(target.searchParams.get('profile_updated_since') ?? '');
  const whole = new URL(target);
  whole.searchParams.delete('after_id');
  whole.searchParams.set('limit', '100000');
  const users = (await (await globalThis.fetch(whole, init)).json()) as { id: string; profile_updated_at: string }[];
  const rest = users.filter((user) => Date.parse(user.profile_updated_at) > since || user.id > afterId);
  return Response.json(rest.slice(0, limit));
}

/** People of one office; those with the same timestamp share a second. */
export function crowd(stamps: readonly string[]): FixtureInput {
  const users = stamps.map((profile_updated_at, i) => ({
    email: `p${i}@example.com`,
    name: `Person ${i}`,
    external_unique_id: `E${i}`,
    country: 'no',
    office: 'Oslo',
    profile_updated_at,
  }));
  return { ...ACCOUNT, users, customers: [] };
}

/** The id of the user with this external id. */
export function idOf({ mirror }: MirrorDesk, external: string): string {
  const [id] = mirror.findIds('users', 'external_unique_id', external.toLowerCase());
  if (id === undefined) throw new Error(`nobody is ${external}`);
  return id;
}

export async function change(desk: MirrorDesk, id: string, user: Readonly<Record<string, unknown>>): Promise<void> {
  const { status, text } = await desk.send('PUT', `/api/v1/users/${id}`, { user });
  if (status !== 200) throw new Error(text);
}
