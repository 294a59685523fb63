import type { Change, Cost } from '../../model/plan.js';

/** Endpoint templates of the calls that one change needs, in order; the apply stage sends exactly these. */
export type CallsOf = (change: Change) => readonly string[];

export interface AssumedPace {
  readonly requestsPerSecond: number | null;
  readonly perMinute: number | null;
  readonly concurrency: number;
  /** Measured or assumed milliseconds per call. */
  readonly latencyMs: number;
}

/** The maximum number of changes in one call, because the URL of a request that names them all must stay within 16 KB. */
export const MOST_IN_ONE_CALL = 300;

/** Adds up the calls that applying a plan will send, and forecasts how long the limiter will make them take. */
export function createCostMeter(
  callsOf: CallsOf,
  isRead: (endpoint: string) => boolean,
  mails: (change: Change) => boolean,
): {
  add(change: Change): void;
  /** Adds calls that do not belong to a single change. */
  addCalls(calls: Readonly<Record<string, number>>): void;
  /** Adds calls that change nothing, whatever their method. */
  addReads(calls: Readonly<Record<string, number>>): void;
  total(pace: AssumedPace): Cost;
} {
  const byEndpoint = new Map<string, number>();
  const asked = new Set<string>();
  let mailed = 0;
  /** Batch → number of its changes so far. */
  const batches = new Map<string, number>();
  const count = (endpoint: string, times: number): void =>
    void byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + times);
  const addCalls = (calls: Readonly<Record<string, number>>): void => {
    for (const [endpoint, times] of Object.entries(calls)) count(endpoint, times);
  };
  return {
    add(change) {
      const { batch } = change;
      if (mails(change)) mailed += 1;
      const before = batch === undefined ? 0 : (batches.get(batch) ?? 0);
      if (batch !== undefined) batches.set(batch, before + 1);
      const isShared = before % MOST_IN_ONE_CALL !== 0;
      for (const endpoint of callsOf(change).slice(isShared ? 1 : 0)) count(endpoint, 1);
    },
    addCalls,
    addReads(calls) {
      for (const endpoint of Object.keys(calls)) asked.add(endpoint);
      addCalls(calls);
    },
    total(pace) {
      const sorted = [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1));
      const sum = (calls: typeof sorted): number => calls.reduce((all, [, times]) => all + times, 0);
      const reads = sum(sorted.filter(([endpoint]) => isRead(endpoint) || asked.has(endpoint)));
      const writes = sum(sorted) - reads;
      const seconds = forecastSeconds(reads + writes, pace);
      const by_endpoint = Object.fromEntries(sorted);
      return { writes, reads, by_endpoint, seconds, ...(mailed > 0 ? { mails: mailed } : {}) };
    },
  };
}

/** The slowest of three limits decides: the rate, the quota per minute, and the calls in flight. */
export function forecastSeconds(calls: number, pace: AssumedPace): number {
  const byRate = pace.requestsPerSecond === null ? 0 : calls / pace.requestsPerSecond;
  const byQuota = pace.perMinute === null ? 0 : (calls / pace.perMinute) * 60;
  const byFlight = (calls * pace.latencyMs) / 1000 / pace.concurrency;
  return Math.ceil(Math.max(byRate, byQuota, byFlight) * 10) / 10;
}
