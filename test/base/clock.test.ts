import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Clock, followStop, keepSteady, systemClock } from '../../src/base/clock.js';
import { Limiter } from '../../src/service/limiter.js';
import { createVirtualClock, type VirtualClock } from '../service/virtual-clock.js';

const HOUR_MS = 3_600_000;

/** Simulates setting the machine's time. Pauses take as long as usual. */
function createAdjustable(virtual: VirtualClock): Clock & { set(byMs: number): void } {
  let offMs = 0;
  return {
    now: () => virtual.now() + offMs,
    sleep: virtual.sleep,
    set(byMs) {
      offMs += byMs;
    },
  };
}

describe('a steady clock', () => {
  it('equals the clock as long as its time is not set', async () => {
    const virtual = createVirtualClock();
    const steady = keepSteady(virtual);
    await virtual.run(steady.sleep(5_000));
    expect(steady.now()).toBe(virtual.now());
  });

  it('does not go back, and continues from its own time', async () => {
    const virtual = createVirtualClock();
    const clock = createAdjustable(virtual);
    const steady = keepSteady(clock);
    const startMs = steady.now();
    clock.set(-5 * HOUR_MS);
    expect(steady.now()).toBe(startMs);
    await virtual.run(steady.sleep(7_000));
    expect(steady.now()).toBe(startMs + 7_000);
  });

  it('counts a pause during which the time was set back', async () => {
    const virtual = createVirtualClock();
    const clock = createAdjustable(virtual);
    const steady = keepSteady(clock);
    const startMs = steady.now();
    const pause = steady.sleep(7_000);
    clock.set(-5 * HOUR_MS);
    await virtual.run(pause);
    expect(steady.now()).toBe(startMs + 7_000);
  });

  it('keeps the limiter on time: a clock set back by hours delays no call', async () => {
    const virtual = createVirtualClock();
    const clock = createAdjustable(virtual);
    const rateLimit = { requestsPerSecond: 1, perMinute: 30, concurrency: 4 };
    const limiter = new Limiter({ rateLimit, clock, readLimited: () => null });
    const startMs = virtual.now();
    for (let call = 0; call < 20; call += 1) {
      if (call === 10) clock.set(-5 * HOUR_MS);
      await virtual.run(limiter.run(async () => undefined));
    }
    expect(virtual.now() - startMs).toBeLessThan(45_000);
    expect(limiter.stats().waitedMs).toBeLessThan(45_000);
  });
});

describe('work under a stop that outlives it', () => {
  /** The listeners and signals that Node.js keeps for a signal as long as it exists. */
  function countKept(signal: AbortSignal): number {
    const symbol = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
    const joined = symbol === undefined ? undefined : (signal as unknown as Record<symbol, Set<unknown>>)[symbol];
    return getEventListeners(signal, 'abort').length + (joined?.size ?? 0);
  }

  it('leaves no listeners on the stop signal', async () => {
    const stop = new AbortController().signal;
    let kept = 0;
    for (let times = 0; times < 3; times++) {
      await followStop(stop, async (signal) => {
        AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
        signal.addEventListener('abort', () => undefined);
        kept = countKept(signal);
      });
      await expect(followStop(stop, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    expect([kept, countKept(stop)]).toEqual([2, 0]);
  });

  it('ends with the stop signal and its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('the daemon stops');
    const work = followStop(stop.signal, (signal) => systemClock.sleep(60_000, signal));
    stop.abort(reason);
    await expect(work).rejects.toBe(reason);
    await expect(followStop(stop.signal, (signal) => systemClock.sleep(60_000, signal))).rejects.toBe(reason);
  });
});
