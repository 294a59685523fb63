import { describe, expect, it } from 'vitest';
import type { HttpMethod, Repeat } from '../../src/service/endpoint.js';
import { createRetry, RETRY_POLICY, type Retried, type RetryPolicy, type Try } from '../../src/service/retry.js';
import { type CallOutcome, codeOfStatus, type Fault, ServiceError } from '../../src/service/service-error.js';
import { createVirtualClock } from './virtual-clock.js';

function buildError(
  fault: Fault,
  outcome: CallOutcome,
  status?: number,
  retryAfterMs: number | null = null,
): ServiceError {
  return new ServiceError({
    code: status === undefined ? 'SYNC_SERVICE_DOWN' : codeOfStatus(status),
    message: 'no',
    method: 'POST' satisfies HttpMethod,
    baseUrl: 'https://acme.example.com',
    path: '/x',
    fault,
    outcome,
    ...(status === undefined ? {} : { status }),
    retryAfterMs,
  });
}

const unsent = (): ServiceError => buildError('unsent', 'not_sent');
const reset = (): ServiceError => buildError('network', 'unknown');
const page = (): ServiceError => buildError('answer', 'unknown', 200);
const status = (code: number): ServiceError => buildError('status', code >= 500 ? 'unknown' : 'refused', code);
const limited = (retryAfterMs: number | null = null): ServiceError =>
  buildError('status', 'refused', 429, retryAfterMs);

interface Told {
  readonly result: Retried<string> | ServiceError;
  readonly tries: readonly Try[];
  readonly waitedMs: number;
}

/** Plays a script of failures. After its end, the call succeeds. */
async function play(
  repeat: Repeat,
  script: readonly ServiceError[],
  random = 0.999999,
  policy: RetryPolicy = RETRY_POLICY,
): Promise<Told> {
  const clock = createVirtualClock();
  const startMs = clock.now();
  const retry = createRetry({ clock, random: () => random, policy });
  const tries: Try[] = [];
  const work = retry({ repeat }, async (turn) => {
    tries.push(turn);
    const error = script[turn.number - 1];
    if (error !== undefined) throw error;
    return 'done';
  });
  const result = await clock.run(
    work.catch((error: unknown) => {
      if (error instanceof ServiceError) return error;
      throw error;
    }),
  );
  return { result, tries, waitedMs: clock.now() - startMs };
}

const times = (count: number, error: ServiceError): ServiceError[] => Array.from({ length: count }, () => error);
const done = (attempts: number) => ({ value: 'done', attempts });

describe('a repeatable call', () => {
  for (const [name, build] of [
    ['no connection', unsent],
    ['a reset', reset],
    ['a page instead of an answer', page],
    ['500', () => status(500)],
    ['503', () => status(503)],
    ['429', () => limited()],
  ] as const) {
    it(`is repeated after ${name}`, async () => {
      const told = await play('idempotent', [build(), build()]);
      expect(told.result).toEqual(done(3));
      expect(told.waitedMs).toBeGreaterThan(0);
    });
  }

  it('gives up after four tries, with the last failure', async () => {
    const script = Array.from({ length: 9 }, reset);
    const told = await play('idempotent', script);
    expect(told.tries).toHaveLength(4);
    expect(told.result).toMatchObject({ code: 'SYNC_SERVICE_DOWN', outcome: 'unknown' });
  });

  it('waits up to a quarter of an hour for a limit, after any number of rejections', async () => {
    for (const retryAfterMs of [null, 1_000, 60_000]) {
      const told = await play('idempotent', times(2_000, limited(retryAfterMs)));
      expect(told.result).toMatchObject({ code: 'SYNC_SERVICE_LIMITED', outcome: 'refused' });
      expect(told.waitedMs, String(retryAfterMs)).toBe(900_000);
    }
  });

  it('survives nine seconds of Retry-After: 1, in as many tries as needed', async () => {
    for (const repeat of ['idempotent', 'probe', 'hold'] as const) {
      const told = await play(repeat, times(9, limited(1_000)));
      expect(told.result).toEqual(done(10));
      expect(told.waitedMs).toBe(9_000);
    }
  });

  it('waits as long as configured, and skips a Retry-After that ends later', async () => {
    const patient = { ...RETRY_POLICY, giveUpAfterMs: 100_000 };
    expect((await play('probe', times(2, limited(50_000)), 0, patient)).result).toEqual(done(3));
    const told = await play('probe', times(9, limited(60_000)), 0, patient);
    expect(told).toMatchObject({ result: { code: 'SYNC_SERVICE_LIMITED' }, waitedMs: 60_000 });
  });

  it('counts limits and faults separately', async () => {
    const script = [reset(), limited(), reset(), limited(), limited(), limited(), reset()];
    expect((await play('idempotent', script)).result).toEqual(done(8));
  });
});

describe('a create', () => {
  for (const [name, build] of [
    ['no connection', unsent],
    ['429', () => limited()],
  ] as const) {
    it(`is repeated after ${name}, because it was not carried out`, async () => {
      expect((await play('probe', [build()])).result).toEqual(done(2));
    });
  }
  for (const [name, build] of [
    ['a reset', reset],
    ['a page instead of an answer', page],
    ['500', () => status(500)],
  ] as const) {
    it(`is not repeated after ${name}, because its outcome is unknown`, async () => {
      const told = await play('probe', [build()]);
      expect(told.tries).toHaveLength(1);
      expect(told.result).toMatchObject({ code: 'SYNC_SERVICE_UNKNOWN_OUTCOME', outcome: 'unknown' });
    });
  }
  it('advises to look first, or never to repeat if a look is impossible', async () => {
    expect((await play('probe', [reset()])).result).toMatchObject({ retry: 'look first' });
    expect((await play('hold', [reset()])).result).toMatchObject({ retry: 'never' });
    expect((await play('hold', [unsent(), limited()])).result).toEqual(done(3));
  });

  it('stays unsent, not unknown, if the service is unreachable', async () => {
    const told = await play('probe', Array.from({ length: 9 }, unsent));
    expect(told.result).toMatchObject({ code: 'SYNC_SERVICE_DOWN', outcome: 'not_sent', retry: 'safe' });
  });
});

describe('every call', () => {
  for (const code of [400, 401, 403, 404, 409, 415, 422, 302]) {
    it(`ends at ${code}`, async () => {
      for (const repeat of ['idempotent', 'probe', 'hold'] as const) {
        const told = await play(repeat, [status(code)]);
        expect(told.tries).toHaveLength(1);
        expect(told.result).toMatchObject({ status: code, outcome: 'refused', retry: 'never' });
      }
    });
  }

  it('ends when stopped', async () => {
    expect((await play('idempotent', [buildError('stopped', 'unknown')])).tries).toHaveLength(1);
  });

  it('keeps the outcome unknown if an earlier try was lost', async () => {
    expect((await play('idempotent', [reset(), status(422)])).result).toMatchObject({
      status: 422,
      outcome: 'unknown',
      retry: 'never',
    });
    const script = [reset(), unsent(), unsent(), unsent()];
    expect((await play('idempotent', script)).result).toMatchObject({ outcome: 'unknown', retry: 'safe' });
  });

  it('waits exactly for Retry-After', async () => {
    expect((await play('probe', [limited(12_000)])).waitedMs).toBe(12_000);
  });

  it('does not wait for a Retry-After of an hour', async () => {
    const told = await play('idempotent', [limited(3_600_000)]);
    expect(told).toMatchObject({ result: { code: 'SYNC_SERVICE_LIMITED' }, waitedMs: 0 });
  });

  it('doubles its pauses, and uses between half and all of each', async () => {
    const script = [reset(), reset(), reset()];
    expect((await play('idempotent', script, 0)).waitedMs).toBe((250 + 500 + 1000) / 2);
    expect((await play('idempotent', script)).waitedMs).toBe(250 + 500 + 1000);
    expect(RETRY_POLICY.longestPauseMs).toBe(30_000);
  });

  it('says to a repeated try if an earlier one may have been carried out', async () => {
    expect((await play('idempotent', [limited(), reset(), limited()])).tries.map((turn) => turn.doubtful)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('reports the failure, not the stop, if stopped in a pause', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const retry = createRetry({ clock, random: () => 0.5 });
    const work = retry(
      { repeat: 'idempotent' },
      async () => {
        queueMicrotask(() => controller.abort(new Error('stop')));
        throw status(503);
      },
      controller.signal,
    );
    await expect(work).rejects.toMatchObject({ status: 503 });
  });
});
