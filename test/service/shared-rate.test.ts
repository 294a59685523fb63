import { describe, expect, it } from 'vitest';
import { AdaptiveRate, type Permit } from '../../src/service/adaptive-rate.js';
import { countBetween, countFixed, countSliding, countTokens, type HiddenLimit } from './simulate-limit.js';

const MINUTE_MS = 60_000;
const STEP_MS = 10;
const LATENCY_MS = 50;
const CONNECTIONS = 4;
const SETTLE_MS = 5 * MINUTE_MS;
const UNTIL_MS = 25 * MINUTE_MS;

interface Client {
  readonly acceptedAtMs: number[];
  readonly refusedAtMs: number[];
  step(nowMs: number): void;
}

/** A worker that always has something to send. It knows about others only through 429 and Retry-After. */
function createWorker(limit: HiddenLimit): Client {
  const rate = new AdaptiveRate();
  const acceptedAtMs: number[] = [];
  const refusedAtMs: number[] = [];
  const underWay: { readonly permit: Permit; readonly atMs: number; readonly waitMs: number }[] = [];
  return {
    acceptedAtMs,
    refusedAtMs,
    step(nowMs) {
      while ((underWay[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
        const answer = underWay.shift();
        if (answer === undefined) break;
        if (answer.waitMs === 0) rate.accept(answer.permit, nowMs);
        else rate.refuse(answer.permit, nowMs, Math.ceil(answer.waitMs / 1_000) * 1_000);
      }
      while (underWay.length < CONNECTIONS && rate.delayMs(nowMs) <= 0 && !(rate.isProbing && underWay.length > 0)) {
        const permit = rate.take(nowMs);
        const waitMs = limit.take(nowMs);
        (waitMs > 0 ? refusedAtMs : acceptedAtMs).push(nowMs);
        underWay.push({ permit, atMs: nowMs + LATENCY_MS, waitMs });
      }
    },
  };
}

/** A foreign program that sends evenly, and repeats calls according to Retry-After. */
function createForeign(limit: HiddenLimit, perMinute: number): Client {
  const acceptedAtMs: number[] = [];
  const refusedAtMs: number[] = [];
  let nextMs = 0;
  return {
    acceptedAtMs,
    refusedAtMs,
    step(nowMs) {
      if (nowMs < nextMs) return;
      const waitMs = limit.take(nowMs);
      (waitMs > 0 ? refusedAtMs : acceptedAtMs).push(nowMs);
      nextMs = nowMs + (waitMs > 0 ? Math.ceil(waitMs / 1_000) * 1_000 : MINUTE_MS / perMinute);
    },
  };
}

function share(clients: readonly Client[]): { readonly accepted: readonly number[]; readonly refused: number } {
  for (let nowMs = 0; nowMs < UNTIL_MS; nowMs += STEP_MS) for (const client of clients) client.step(nowMs);
  const accepted = clients.map(({ acceptedAtMs }) => countBetween(acceptedAtMs, SETTLE_MS, UNTIL_MS));
  const refused = clients.reduce((sum, { refusedAtMs }) => sum + countBetween(refusedAtMs, SETTLE_MS, UNTIL_MS), 0);
  return { accepted, refused };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Clients with the same key share an account's limit without communication. */
describe.each([
  ['a fixed window of a minute', (perMinute: number) => countFixed(perMinute, MINUTE_MS)],
  ['a sliding window of a minute', (perMinute: number) => countSliding(perMinute, MINUTE_MS)],
  ['a bucket of ten seconds', (perMinute: number) => countTokens(perMinute, 10)],
])('an account with %s', (_name, count) => {
  const PER_MINUTE = 300;
  const free = (PER_MINUTE * (UNTIL_MS - SETTLE_MS)) / MINUTE_MS;

  it('is well used by three tenants together, with few rejections and no starvation', () => {
    const limit = count(PER_MINUTE);
    const { accepted, refused } = share([0, 1, 2].map(() => createWorker(limit)));
    const used = sum(accepted);
    expect(used / free).toBeGreaterThan(0.95);
    expect(refused / (used + refused)).toBeLessThan(0.01);
    for (const one of accepted) expect(one / (free / 3)).toBeGreaterThan(0.5);
  });

  it('leaves a foreign program its share, and uses the rest', () => {
    const limit = count(PER_MINUTE);
    const { accepted, refused } = share([createForeign(limit, 100), createWorker(limit)]);
    const [foreign = 0, own = 0] = accepted;
    expect(foreign / (free / 3)).toBeGreaterThan(0.95);
    expect(own / ((free * 2) / 3)).toBeGreaterThan(0.95);
    expect(refused / (foreign + own + refused)).toBeLessThan(0.01);
  });
});
