import { describe, expect, it } from 'vitest';
import { Limiter, type RateLimit } from '../../src/service/limiter.js';
import { oneIn } from '../depth.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

class Limited extends Error {
  readonly retryAfterMs: number | null;
  constructor(retryAfterMs: number | null) {
    super('429');
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns how long until a call would be accepted again, or 0 if it is accepted. */
type Server = (nowMs: number) => number;

function countFixed(limit: number, windowMs: number): Server {
  let window = -1;
  let count = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    if (current !== window) count = 0;
    window = current;
    if (count >= limit) return (window + 1) * windowMs - nowMs;
    count += 1;
    return 0;
  };
}

function countSliding(limit: number, windowMs: number): Server {
  const taken: number[] = [];
  return (nowMs) => {
    while ((taken[0] ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs) taken.shift();
    if (taken.length >= limit) return (taken[0] ?? nowMs) + windowMs - nowMs;
    taken.push(nowMs);
    return 0;
  };
}

/** A repeatable sequence of pseudo-random numbers in [0, 1). */
function createNoise(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Trial {
  readonly accepted: number;
  readonly limited: number;
  readonly seconds: number;
  readonly acceptedAtMs: readonly number[];
  readonly limitedAtMs: readonly number[];
}

interface TrialOptions {
  readonly rateLimit: RateLimit;
  readonly server: Server;
  readonly forMs: number;
  readonly latencyMs?: () => number;
  readonly retryAfter?: boolean;
  readonly workers?: number;
}

/** Workers that always have something to send, for this long. A rejected call is sent again. */
async function runTrial(clock: VirtualClock, options: TrialOptions): Promise<Trial> {
  const limiter = new Limiter({
    rateLimit: options.rateLimit,
    clock,
    readLimited: (error) => (error instanceof Limited ? { retryAfterMs: error.retryAfterMs } : null),
  });
  const startMs = clock.now();
  const latencyMs = options.latencyMs ?? (() => 20);
  const acceptedAtMs: number[] = [];
  const limitedAtMs: number[] = [];

  async function send(): Promise<void> {
    const there = latencyMs() / 2;
    await clock.sleep(there);
    const waitMs = options.server(clock.now());
    if (waitMs === 0) acceptedAtMs.push(clock.now() - startMs);
    else limitedAtMs.push(clock.now() - startMs);
    await clock.sleep(there);
    if (waitMs > 0) throw new Limited(options.retryAfter ? Math.ceil(waitMs / 1000) * 1000 : null);
  }
  async function work(): Promise<void> {
    while (clock.now() - startMs < options.forMs) await limiter.run(send).catch(() => undefined);
  }
  await clock.run(Promise.all(Array.from({ length: options.workers ?? 16 }, work)));
  expect(limiter.stats().limited).toBe(limitedAtMs.length);
  expect(limiter.stats().inFlight).toBe(0);
  return {
    accepted: acceptedAtMs.length,
    limited: limitedAtMs.length,
    seconds: (clock.now() - startMs) / 1000,
    acceptedAtMs,
    limitedAtMs,
  };
}

const unknown: RateLimit = { requestsPerSecond: null, perMinute: null, concurrency: 8 };
const counting = { fixed: countFixed, sliding: countSliding } as const;

describe('a known limit', () => {
  const cases = [
    { limit: 5, windowMs: 1_000, rateLimit: { requestsPerSecond: 5, perMinute: null, concurrency: 4 } },
    { limit: 50, windowMs: 1_000, rateLimit: { requestsPerSecond: 50, perMinute: null, concurrency: 8 } },
    { limit: 150, windowMs: 60_000, rateLimit: { requestsPerSecond: null, perMinute: 150, concurrency: 4 } },
    { limit: 150, windowMs: 60_000, rateLimit: { requestsPerSecond: 5, perMinute: 150, concurrency: 4 } },
  ] as const;
  for (const { limit, windowMs, rateLimit } of cases) {
    for (const way of ['fixed', 'sliding'] as const) {
      it(`uses 97 % of ${limit} in ${windowMs / 1000} s counted ${way} without a 429 (${JSON.stringify(rateLimit)})`, async () => {
        const noise = createNoise();
        const clock = createVirtualClock(() => Math.floor(noise() * 3));
        const trial = await runTrial(clock, {
          rateLimit,
          server: counting[way](limit, windowMs),
          forMs: windowMs * 10,
          latencyMs: () => 20 + noise() * 16,
        });
        expect(trial.limited).toBe(0);
        expect(trial.accepted / (trial.seconds * 1000)).toBeGreaterThanOrEqual((0.97 * limit) / windowMs);
      });
    }
  }

  it('spreads calls over a window instead of sending a burst', async () => {
    const trial = await runTrial(createVirtualClock(), {
      rateLimit: { requestsPerSecond: 10, perMinute: null, concurrency: 8 },
      server: () => 0,
      forMs: 5_000,
    });
    const inFirstTenth = trial.acceptedAtMs.filter((ms) => ms < 100).length;
    expect(inFirstTenth).toBeLessThanOrEqual(2);
  });

  it('may be less than one call per second', async () => {
    const trial = await runTrial(createVirtualClock(), {
      rateLimit: { requestsPerSecond: 0.5, perMinute: null, concurrency: 8 },
      server: countFixed(1, 2_000),
      forMs: 60_000,
      workers: 1,
    });
    expect(trial.limited).toBe(0);
    expect(trial.accepted).toBeGreaterThanOrEqual(29);
  });
});

describe('no known limit', () => {
  it('delays nothing until a 429', async () => {
    const clock = createVirtualClock();
    const trial = await runTrial(clock, { rateLimit: unknown, server: () => 0, forMs: 2_500 });
    // 8 calls at a time, 20 ms each: 400 a second.
    expect(trial.accepted).toBeGreaterThanOrEqual(1_000);
  });

  it('keeps to the concurrency', async () => {
    const clock = createVirtualClock();
    const limiter = new Limiter({ rateLimit: { ...unknown, concurrency: 3 }, clock, readLimited: () => null });
    let now = 0;
    let most = 0;
    const tasks = Array.from({ length: 20 }, () =>
      limiter.run(async () => {
        now += 1;
        most = Math.max(most, now);
        await clock.sleep(10);
        now -= 1;
      }),
    );
    await clock.run(Promise.all(tasks));
    expect(most).toBe(3);
    expect(limiter.stats()).toMatchObject({ waitedMs: 0, limited: 0, requestsPerSecond: null, inFlight: 0, queued: 0 });
  });

  for (const way of ['fixed', 'sliding'] as const) {
    for (const [limit, windowMs] of oneIn(1 / 2, [
      [150, 60_000],
      [600, 60_000],
      [10, 1_000],
      [40, 1_000],
    ])) {
      for (const retryAfter of oneIn(1, [true, false])) {
        it(`finds ${limit} in ${windowMs / 1000} s counted ${way}, ${retryAfter ? 'with' : 'without'} Retry-After`, async () => {
          const noise = createNoise();
          const trial = await runTrial(
            createVirtualClock(() => Math.floor(noise() * 2)),
            {
              rateLimit: unknown,
              server: counting[way](limit, windowMs),
              forMs: 18 * 60_000,
              retryAfter,
              latencyMs: () => 20 + noise() * 10,
            },
          );
          const warmMs = 180_000;
          const accepted = trial.acceptedAtMs.filter((ms) => ms >= warmMs).length;
          const limited = trial.limitedAtMs.filter((ms) => ms >= warmMs).length;
          const share = accepted / ((limit / windowMs) * (trial.seconds * 1000 - warmMs));
          expect(share).toBeGreaterThanOrEqual(0.9);
          expect(limited / (accepted + limited)).toBeLessThan(0.01);
        }, 60_000);
      }
    }
  }
});

describe('a 429', () => {
  it('makes all calls wait for Retry-After, and then sends one first', async () => {
    const clock = createVirtualClock();
    const startMs = clock.now();
    const limiter = new Limiter({
      rateLimit: unknown,
      clock,
      readLimited: (error) => (error instanceof Limited ? { retryAfterMs: error.retryAfterMs } : null),
    });
    const sentMs: number[] = [];
    const send = async (): Promise<void> => {
      sentMs.push(clock.now() - startMs);
      await clock.sleep(100);
    };
    await clock.run(limiter.run(() => Promise.reject(new Limited(7_000))).catch(() => undefined));
    await clock.run(Promise.all([limiter.run(send), limiter.run(send), limiter.run(send)]));
    expect(sentMs[0]).toBe(7_000);
    expect(sentMs[1]).toBeGreaterThanOrEqual(7_100);
    expect(limiter.stats().limited).toBe(1);
  });

  it('holds back neither a call stopped while waiting nor those behind it', async () => {
    const clock = createVirtualClock();
    const limiter = new Limiter({
      rateLimit: unknown,
      clock,
      readLimited: (error) => (error instanceof Limited ? { retryAfterMs: error.retryAfterMs } : null),
    });
    await clock.run(limiter.run(() => Promise.reject(new Limited(60_000))).catch(() => undefined));
    const controller = new AbortController();
    const stopped = limiter.run(() => Promise.resolve('sent'), controller.signal);
    const behind = limiter.run(() => Promise.resolve('sent'));
    queueMicrotask(() => controller.abort(new Error('stop')));
    await expect(stopped).rejects.toThrow('stop');
    await expect(clock.run(behind)).resolves.toBe('sent');
  });
});
