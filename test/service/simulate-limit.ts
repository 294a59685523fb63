import { AdaptiveRate, type Permit } from '../../src/service/adaptive-rate.js';

/** A service's way of counting calls, on a clock that starts at 0. */
export interface HiddenLimit {
  /** Returns 0 if the call is accepted, or else how long until one would be. */
  take(nowMs: number): number;
  set(perMinute: number): void;
}

/** @param offsetMs how long the first window has been open */
export function countFixed(perMinute: number, windowMs: number, offsetMs = 0): HiddenLimit {
  let limit = (perMinute * windowMs) / 60_000;
  let window = -1;
  let count = 0;
  return {
    set(next) {
      limit = (next * windowMs) / 60_000;
    },
    take(nowMs) {
      const current = Math.floor((nowMs + offsetMs) / windowMs);
      if (current !== window) count = 0;
      window = current;
      if (count + 1 > limit) return (window + 1) * windowMs - offsetMs - nowMs;
      count += 1;
      return 0;
    },
  };
}

export function countSliding(perMinute: number, windowMs: number): HiddenLimit {
  let limit = (perMinute * windowMs) / 60_000;
  const taken: number[] = [];
  let first = 0;
  return {
    set(next) {
      limit = (next * windowMs) / 60_000;
    },
    take(nowMs) {
      while (first < taken.length && (taken[first] ?? 0) <= nowMs - windowMs) first += 1;
      if (taken.length - first + 1 > limit)
        return (taken[taken.length - Math.floor(limit)] ?? nowMs) + windowMs - nowMs;
      taken.push(nowMs);
      return 0;
    },
  };
}

/** @param burstSeconds the bucket's capacity in seconds, at least five calls */
export function countTokens(perMinute: number, burstSeconds: number): HiddenLimit {
  let perSecond = perMinute / 60;
  let most = Math.max(5, perSecond * burstSeconds);
  let tokens = most;
  let lastMs = 0;
  return {
    set(next) {
      perSecond = next / 60;
      most = Math.max(5, perSecond * burstSeconds);
      tokens = Math.min(most, tokens);
    },
    take(nowMs) {
      tokens = Math.min(most, tokens + ((nowMs - lastMs) / 1_000) * perSecond);
      lastMs = nowMs;
      if (tokens < 1) return ((1 - tokens) / perSecond) * 1_000;
      tokens -= 1;
      return 0;
    },
  };
}

export const NO_LIMIT: HiddenLimit = { take: () => 0, set: () => undefined };

export interface Trial {
  readonly limit: HiddenLimit;
  readonly connections: number;
  readonly latencyMs: number;
  readonly retryAfter: boolean;
  readonly forMs: number;
  /** Calls per minute from another client, evenly spread. */
  readonly others: number;
  /** The time of a change of the limit or of the other client. */
  readonly change: { readonly atMs: number; readonly perMinute?: number; readonly others?: number } | null;
  /** Every call is rejected in this time, or only the first one if it begins at 0. */
  readonly pause: { readonly atMs: number; readonly forMs: number } | null;
}

export interface Outcome {
  readonly acceptedAtMs: readonly number[];
  readonly refusedAtMs: readonly number[];
}

interface Sent {
  readonly permit: Permit;
  readonly atMs: number;
  /** Known from the answer: 0, or how long until a call would be accepted. */
  readonly waitMs: number;
}

/**
 * A client that always has something to send follows the gate's rules: calls go one after the other, up to the
 * concurrency, and singly after a 429. Nothing sleeps or awaits, so an hour takes milliseconds.
 */
export function simulate(trial: Trial): Outcome {
  const rate = new AdaptiveRate();
  const acceptedAtMs: number[] = [];
  const refusedAtMs: number[] = [];
  const halfMs = trial.latencyMs / 2;
  // Latencies are equal, so calls arrive and are answered in the order of sending.
  const arriving: Sent[] = [];
  const answers: Sent[] = [];
  let nowMs = 0;
  let underWay = 0;
  let isFirst = true;
  let { change, others } = trial;
  let otherMs = others > 0 ? 30_000 / others : Number.POSITIVE_INFINITY;

  function passUntil(atMs: number): void {
    for (;;) {
      if (change !== null && change.atMs <= Math.min(atMs, otherMs)) {
        if (change.perMinute !== undefined) trial.limit.set(change.perMinute);
        if (change.others !== undefined) {
          others = change.others;
          otherMs = others > 0 ? change.atMs + 60_000 / others : Number.POSITIVE_INFINITY;
        }
        change = null;
      } else if (otherMs <= atMs) {
        trial.limit.take(otherMs);
        otherMs += 60_000 / others;
      } else return;
    }
  }

  function judge(atMs: number): number {
    const { pause } = trial;
    const begins = isFirst;
    isFirst = false;
    if (pause !== null && pause.atMs === 0 && begins) return pause.forMs;
    if (pause !== null && pause.atMs > 0 && atMs >= pause.atMs && atMs < pause.atMs + pause.forMs) {
      return pause.atMs + pause.forMs - atMs;
    }
    return trial.limit.take(atMs);
  }

  while (nowMs < trial.forMs) {
    let sendMs = Number.POSITIVE_INFINITY;
    if (underWay < trial.connections) {
      const delayMs = rate.delayMs(nowMs);
      if (delayMs > 0) sendMs = nowMs + Math.ceil(delayMs);
      else if (!rate.isProbing || underWay === 0) {
        arriving.push({ permit: rate.take(nowMs), atMs: nowMs + halfMs, waitMs: 0 });
        underWay += 1;
        continue;
      }
    }
    const arrivalMs = arriving[0]?.atMs ?? Number.POSITIVE_INFINITY;
    const answerMs = answers[0]?.atMs ?? Number.POSITIVE_INFINITY;
    nowMs = Math.min(sendMs, arrivalMs, answerMs);
    if (nowMs === arrivalMs) {
      const sent = arriving.shift();
      passUntil(nowMs);
      const waitMs = judge(nowMs);
      (waitMs > 0 ? refusedAtMs : acceptedAtMs).push(nowMs);
      if (sent !== undefined) answers.push({ permit: sent.permit, atMs: nowMs + halfMs, waitMs });
    } else if (nowMs === answerMs) {
      const sent = answers.shift();
      underWay -= 1;
      if (sent === undefined) continue;
      if (sent.waitMs === 0) rate.accept(sent.permit, nowMs);
      else rate.refuse(sent.permit, nowMs, trial.retryAfter ? Math.ceil(sent.waitMs / 1_000) * 1_000 : null);
    }
  }
  return { acceptedAtMs, refusedAtMs };
}

export function countBetween(times: readonly number[], fromMs: number, toMs: number): number {
  return times.filter((time) => time >= fromMs && time < toMs).length;
}
