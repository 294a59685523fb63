import { describe, expect, it } from 'vitest';
import type { LimiterFamily } from '../../src/service/endpoint.js';
import { Limiter, type RateLimit } from '../../src/service/limiter.js';
import { createTalentService } from '../../src/service/talent-service.js';
import { BASE } from './desk.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

class Limited extends Error {
  readonly retryAfterMs = 7_000;
}

const unknown: RateLimit = { requestsPerSecond: null, perMinute: null, concurrency: 4 };

function openLimiter(rateLimit: RateLimit, clock: VirtualClock): Limiter {
  const readLimited = (error: unknown) => (error instanceof Limited ? { retryAfterMs: error.retryAfterMs } : null);
  return new Limiter({ rateLimit, clock, readLimited });
}

/** Sends this many calls together and returns the time of each, in milliseconds from the start. */
function sendMany(limiter: Limiter, clock: VirtualClock, count: number, family: LimiterFamily) {
  const startMs = clock.now();
  const sentMs: number[] = [];
  const work = Promise.all(
    Array.from({ length: count }, () =>
      limiter.run(
        async () => {
          sentMs.push(clock.now() - startMs);
          await clock.sleep(30);
        },
        undefined,
        family,
      ),
    ),
  );
  return { work, sentMs };
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

/** The highest number within any span of this many milliseconds. */
function densest(times: readonly number[], windowMs: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + windowMs).length));
}

describe('downloads', () => {
  it('are limited to one in two seconds and ten a minute, with no extra wait for the first ten', async () => {
    const clock = createVirtualClock(() => 2);
    const { work, sentMs } = sendMany(openLimiter(unknown, clock), clock, 31, 'download');
    await clock.run(work);
    expect(Math.min(...gaps(sentMs))).toBeGreaterThanOrEqual(2_000);
    expect(densest(sentMs, 60_000)).toBe(10);
    expect(sentMs[9]).toBeLessThan(20_000);
    // The last of 31 downloads may go after three minutes.
    expect(sentMs[30]).toBeGreaterThanOrEqual(180_000);
    expect(sentMs[30]).toBeLessThan(182_000);
  });

  it('wait for the answer of the one before, which may have arrived late', async () => {
    const clock = createVirtualClock(() => 2);
    const limiter = openLimiter(unknown, clock);
    const sentMs: number[] = [];
    const download = () => {
      sentMs.push(clock.now());
      return clock.sleep(5_000);
    };
    await clock.run(Promise.all([0, 1, 2].map(() => limiter.run(download, undefined, 'download'))));
    expect(Math.min(...gaps(sentMs))).toBeGreaterThanOrEqual(5_000);
  });

  it('wait without a slot, so other calls are not delayed', async () => {
    const clock = createVirtualClock();
    const limiter = openLimiter(unknown, clock);
    const downloads = sendMany(limiter, clock, 20, 'download');
    const others = sendMany(limiter, clock, 40, 'general');
    await clock.run(others.work);
    expect(others.sentMs.at(-1)).toBeLessThan(1_000);
    expect(downloads.sentMs).toHaveLength(1);
    await clock.run(downloads.work);
  });

  it('count for the account too, and keep their distance while waiting there', async () => {
    const clock = createVirtualClock();
    const limiter = openLimiter({ requestsPerSecond: 1, perMinute: null, concurrency: 4 }, clock);
    const others = sendMany(limiter, clock, 12, 'general');
    const downloads = sendMany(limiter, clock, 4, 'download');
    await clock.run(Promise.all([others.work, downloads.work]));
    expect(Math.min(...gaps(downloads.sentMs))).toBeGreaterThanOrEqual(2_000);
    const all = [...others.sentMs, ...downloads.sentMs].toSorted((a, b) => a - b);
    expect(Math.min(...gaps(all))).toBeGreaterThanOrEqual(950);
  });

  it("pause only downloads at their limit, and keep the account's rate", async () => {
    const clock = createVirtualClock();
    const limiter = openLimiter(unknown, clock);
    const startMs = clock.now();
    const refused = limiter.run(() => Promise.reject(new Limited()), undefined, 'download');
    await clock.run(refused.catch(() => undefined));
    const others = sendMany(limiter, clock, 3, 'general');
    await clock.run(others.work);
    expect(others.sentMs).toEqual([0, 0, 0]);
    expect(limiter.stats()).toMatchObject({ limited: 1, requestsPerSecond: null, inFlight: 0, queued: 0 });
    const { work } = sendMany(limiter, clock, 1, 'download');
    await clock.run(work);
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(7_000);
  });

  it('wait while the account is paused', async () => {
    const clock = createVirtualClock();
    const limiter = openLimiter(unknown, clock);
    await clock.run(limiter.run(() => Promise.reject(new Limited())).catch(() => undefined));
    const { work, sentMs } = sendMany(limiter, clock, 1, 'download');
    await clock.run(work);
    expect(sentMs).toEqual([7_000]);
  });

  it('leave the queue when stopped, so that others move up', async () => {
    const clock = createVirtualClock();
    const limiter = openLimiter(unknown, clock);
    const controller = new AbortController();
    const run = (signal?: AbortSignal) => limiter.run(async () => clock.now(), signal, 'download');
    const first = await clock.run(run());
    const stopped = run(controller.signal);
    const behind = run();
    queueMicrotask(() => controller.abort(new Error('stop')));
    await expect(stopped).rejects.toThrow('stop');
    expect((await clock.run(behind)) - first).toBeLessThan(2_100);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe('the families of the endpoints', () => {
  it('include document exports in downloads, but not reports or their polls', async () => {
    const clock = createVirtualClock();
    const startMs = clock.now();
    const sent: (readonly [string, number])[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      const { pathname } = new URL(String(url));
      sent.push([pathname.split('/')[3] ?? '', clock.now() - startMs]);
      return new Response(JSON.stringify({ id: 'r1', state: 'started' }));
    };
    const service = createTalentService({ baseUrl: BASE, apiKey: 'key', clock, fetch });
    const { documents, reports } = service.reader;
    const cv = { userId: 'u', cvId: 'v' };
    const form = { language: 'en', filetype: 'pdf', templateId: 't' } as const;
    const downloads = [
      documents.downloadCv(cv, form),
      documents.downloadCvFromTemplate(cv, form),
      documents.downloadProject({ customerId: 'c', projectId: 'p' }, form),
      documents.downloadProposalProject('o', 'p', form),
    ];
    const polls = [
      reports.startCvReport({ type: 'courses' }),
      reports.getCvReport('r1'),
      reports.startProjectReport(),
      reports.getProjectReport('r1'),
    ];
    await clock.run(Promise.all(polls));
    expect(clock.now()).toBe(startMs);
    await clock.run(Promise.all(downloads));
    const times = (...names: string[]) => sent.filter(([name]) => names.includes(name)).map(([, at]) => at);
    expect(times('cv-report', 'references')).toEqual([0, 0, 0, 0]);
    const slow = times('cvs', 'reference_projects', 'proposal_reference_projects');
    expect(slow).toHaveLength(4);
    expect(Math.min(...gaps(slow))).toBeGreaterThanOrEqual(2_000);
    await service.close();
  });
});

describe('a stopped call', () => {
  it('frees its slot and its turn at any moment', async () => {
    for (const family of ['general', 'download'] as const) {
      for (let steps = 0; steps < 60; steps += 1) {
        const clock = createVirtualClock();
        const limiter = openLimiter({ ...unknown, concurrency: 1 }, clock);
        const controller = new AbortController();
        const stopped = limiter.run(async () => 'sent', controller.signal, family).catch(() => 'stopped');
        for (let step = 0; step < steps; step += 1) await Promise.resolve();
        controller.abort(new Error('stop'));
        expect(['sent', 'stopped']).toContain(await stopped);
        expect(await clock.run(limiter.run(async () => 'next', undefined, family))).toBe('next');
        await new Promise((resolve) => setImmediate(resolve));
        expect(limiter.stats(), `${family}, after ${steps} steps`).toMatchObject({ inFlight: 0, queued: 0 });
      }
    }
  });
});
