import type { CallRecord } from '../../src/service/call.js';
import { createTalentService, type TalentService } from '../../src/service/talent-service.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

export const BASE = 'https://acme.example.com';

export interface Sent {
  readonly line: string;
  readonly body: unknown;
}
export type Reply = {
  readonly status?: number;
  readonly body?: unknown;
  /** Sent unchanged instead of a body. */
  readonly text?: string;
  readonly error?: Error;
  readonly headers?: Record<string, string>;
};

export interface Desk {
  readonly service: TalentService;
  readonly clock: VirtualClock;
  readonly sent: Sent[];
  readonly records: CallRecord[];
}

/** A service that answers from a script. The last answer repeats. */
export function createDesk(...replies: readonly Reply[]): Desk {
  const sent: Sent[] = [];
  const records: CallRecord[] = [];
  const clock = createVirtualClock();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? {};
    sent.push({
      line: `${init?.method} ${String(url).slice(BASE.length)}`,
      body: readBody(init),
    });
    if (reply.error !== undefined) throw reply.error;
    const status = reply.status ?? 200;
    const text = status === 204 ? null : (reply.text ?? JSON.stringify(reply.body ?? {}));
    return new Response(text, { status, headers: { 'x-request-id': `r-${sent.length}`, ...reply.headers } });
  };
  const service = createTalentService({
    baseUrl: BASE,
    apiKey: 'key',
    rateLimit: { requestsPerSecond: null, perMinute: null, concurrency: 4 },
    timeoutMs: 1_000,
    clock,
    fetch,
    onCall: (record) => records.push(record),
    random: () => 0.5,
  });
  return { service, clock, sent, records };
}

export const reset = (): Reply => ({
  error: Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  }),
});

export async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

/** Parses JSON, and returns anything else unchanged. */
function readBody(init: RequestInit | undefined): unknown {
  if (typeof init?.body !== 'string') return undefined;
  const isJson = new Headers(init.headers).get('content-type') === 'application/json';
  return isJson ? JSON.parse(init.body) : init.body;
}
