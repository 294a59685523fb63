import { RecentCalls } from './recent-calls.js';

export interface Permit {
  readonly sentMs: number;
  /** True if the pace delayed this call: once such a call is accepted, the pace may rise. */
  readonly paced: boolean;
}

const LOWEST_RATE = 1 / 60;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 900_000;

const HOLD_AT = 0.97;
const SHORTEST_HOLD_MS = 40_000;
const LOOK_MS = 80_000;
const LOOK_TO = 1.05;

interface Growth {
  readonly perSecond: number;
  /** The growth rate itself grows e-fold in this many seconds. */
  readonly fasterIn: number;
}
const CLIMB: Growth = { perSecond: 0.008, fasterIn: 45 };
const FIRST_CLIMB: Growth = { perSecond: 0.03, fasterIn: 12 };
/** Growth after a first 429 with too few calls for an estimate: it starts from a low rate, without a burst. */
const START_CLIMB: Growth = { perSecond: 0.25, fasterIn: Number.POSITIVE_INFINITY };
const START_RATE = 2;

/** With fewer accepted calls, an estimate is unreliable. */
const FEW_CALLS = 10;
const FEW_CALLS_CUT = 0.9;
const LONG_WINDOW_MS = 10_000;
const BELIEVED_CUT = 0.85;
const SAME_FROM = 0.75;
const SAME_TO = 1.3;

const LONGEST_SPAN_MS = 60_000;
const LONGEST_EPOCH_MS = 120_000;
const SPANS_MS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60].map((seconds) => seconds * 1_000);
/** Each episode with a shorter pause makes a long window less likely. */
const FORGET = 0.9;
/** Window length at which the measured rate and the rate that hit the limit have equal weight. */
const EVEN_WINDOW_MS = 2_000;
const MOST_ABOVE_MEASURED = 1.25;

/** Share of the calls in 20 minutes that may be rejected, with a margin for the latest rejection. */
const REFUSED_SHARE = 0.0098;
const SPACING = 1.03;
const MOST_DEBT = { first: 2, later: 5 } as const;

/** Accepted calls that make up for one rejected call, so that any 20 minutes hold less than one rejection per hundred calls. */
function priceOf(perSecond: number): number {
  const calls = 1_200 * perSecond;
  return Math.min(1_000, (SPACING * calls) / Math.max(1, Math.floor(REFUSED_SHARE * calls)));
}

type Phase = 'hold' | 'look' | 'climb';

/**
 * Finds an unknown rate limit (spec, Limits: "General per-account rate limit values: not shown"). Follows the limit
 * when it changes, or when other clients of the account start or stop.
 *
 * It learns the limit from rejections only. A 429 begins an **episode**: all calls wait, then one call goes alone. The
 * episode ends when that call gets any answer other than 429. `Retry-After` says how long to wait. Without it, calls
 * wait until the average of the last minute is down to the ceiling, and after that in steps that double.
 *
 * When an episode ends, the service has just accepted the most that it allows. So the calls accepted in time spans that
 * end at that moment give the **ceiling**. A span must be at least as long as this pause and the earlier ones, because
 * a window is never shorter than the pause at its end. A span longer than the window merely measures too low a rate. If
 * windows are short, the rate at which the limit was hit is more accurate than the measurement, and gets more weight.
 * The estimate ignores the time since the first call. It also ignores a 429 before ten calls were accepted, because
 * other clients caused it.
 *
 * Between episodes the rate is in one of these phases:
 *
 * - **free**: no 429 was seen; nothing is delayed.
 * - **hold**: a little below the ceiling, until enough calls were accepted to make up for the last rejections. One
 *   rejection needs about a hundred accepted calls. This keeps rejections below one in a hundred calls, in any 20
 *   minutes at any rate.
 * - **look**: from below the ceiling to 5 % above it, in 80 seconds. This is slow enough to hit an unchanged limit close to its
 *   value, even in a window of a minute. If the limit is hit, it is measured again and held.
 * - **climb**: the look did not hit the limit, so the limit has moved. The rate grows by 1 % per second at first, then
 *   faster and faster.
 *
 * | an episode ends, and the estimate is             | then                                                          |
 * |--------------------------------------------------|---------------------------------------------------------------|
 * | the first                                        | climb immediately and fast: it may be about other clients     |
 * | 75 to 130 % of the previous ceiling              | hold                                                          |
 * | another value                                    | look immediately: it must be hit again before it is believed  |
 * | below 85 % of a believed ceiling                 | use 85 % of it: one rejection does not prove a new limit      |
 *
 * Three designs were rejected. An additive increase with a cut of 15 % or more used 85 % of the limit with 0.5 %
 * rejections, and needed minutes to hours to use a doubled limit. A first estimate from the rate since the first call
 * needed 98 minutes for 100 calls after an early `Retry-After: 60`. A short probe at 1.5 times the rate found a doubled
 * limit a minute sooner, but measured nothing when it was rejected.
 */
export class AdaptiveRate {
  readonly #recent = new RecentCalls();
  #rate: number | null = null;
  /** The highest rate that the service is known to accept, in calls per second. */
  #ceiling: number | null = null;
  /** True if the ceiling was found twice at about the same height. */
  #believed = false;
  #everBelieved = false;
  #phase: Phase = 'climb';
  #growth = START_CLIMB;
  /** Time during which the pace was the bottleneck: since the last episode, and since the phase began. */
  #pacedMs = 0;
  #phaseMs = 0;
  /** Accepted calls still needed to make up for rejections. */
  #debt = 0;
  #slotMs = Number.NEGATIVE_INFINITY;
  #lastAnswerMs = 0;
  /** End of the last episode; before the first episode, the time of the first call. */
  #epochMs: number | null = null;
  /** Estimated length of the window, judged by the pauses. */
  #windowMs = 0;

  #probing = false;
  #blockedUntilMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #firstRefusedMs = 0;
  #lastRefusedMs = 0;
  #refusedRate = 0;
  /** True if the last rejection said how long to wait. */
  #isTold = false;
  #surplusMs = 0;
  /** Calls sent before this time belong to a rejection that was already counted. */
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  delayMs(nowMs: number): number {
    return Math.max(0, this.#blockedUntilMs - nowMs, this.#rate === null ? 0 : this.#slotMs - nowMs);
  }

  /** True after a 429: calls go one at a time until one is accepted. */
  get isProbing(): boolean {
    return this.#probing;
  }

  /** Calls per second; null while free. */
  get rate(): number | null {
    return this.#rate;
  }

  take(nowMs: number): Permit {
    this.#epochMs ??= nowMs;
    if (this.#rate === null) return { sentMs: nowMs, paced: false };
    const intervalMs = 1_000 / this.#rate;
    // A late timer may catch up by one interval, but by 50 ms at most: unused time is not saved up.
    const paced = nowMs - this.#slotMs < intervalMs;
    this.#slotMs = Math.max(this.#slotMs, nowMs - Math.min(intervalMs, 50)) + intervalMs;
    return { sentMs: nowMs, paced };
  }

  accept(permit: Permit, nowMs: number): void {
    this.#debt = Math.max(0, this.#debt - 1);
    // An answer to a call sent before the limit was hit says nothing about the current state.
    if (this.#probing && permit.sentMs > this.#countedUntilMs) this.#endEpisode(permit, nowMs);
    else if (permit.paced && !this.#probing) this.#raise(Math.min(nowMs - this.#lastAnswerMs, 5_000));
    this.#recent.add(nowMs);
    this.#lastAnswerMs = nowMs;
  }

  refuse(permit: Permit, nowMs: number, retryAfterMs: number | null): void {
    this.#debt += priceOf(this.#ceiling ?? 1);
    if (!this.#probing) {
      this.#firstRefusedMs = nowMs;
      this.#refusedRate = this.#rate ?? 0;
    }
    this.#probing = true;
    const isOwn = permit.sentMs > this.#countedUntilMs;
    if (isOwn) this.#countRefusal(nowMs);
    this.#isTold = retryAfterMs !== null && retryAfterMs > 0;
    const pauseMs = this.#isTold ? Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : this.#guessPauseMs();
    if (isOwn || this.#isTold) this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + pauseMs);
  }

  #countRefusal(nowMs: number): void {
    this.#refusals += 1;
    this.#countedUntilMs = nowMs;
    this.#lastRefusedMs = nowMs;
    if (this.#refusals > 1) this.#surplusMs /= 2;
    else this.#surplusMs = this.#ceiling === null ? 0 : this.#recent.surplusMs(nowMs, this.#ceiling);
  }

  /** How long to wait after a rejection without `Retry-After`. */
  #guessPauseMs(): number {
    const ceiling = this.#ceiling;
    if (this.#surplusMs > FIRST_PAUSE_MS) {
      const isNear = ceiling !== null && this.#rate !== null && this.#rate < ceiling * 1.1;
      return Math.max(FIRST_PAUSE_MS, isNear ? this.#surplusMs : this.#surplusMs / 2);
    }
    const firstMs = ceiling === null ? FIRST_PAUSE_MS : Math.max(FIRST_PAUSE_MS, 1_000 / ceiling);
    return Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** (this.#refusals - 1));
  }

  #endEpisode(permit: Permit, nowMs: number): void {
    this.#probing = false;
    this.#refusals = 0;
    this.#learn(nowMs);
    this.#pacedMs = 0;
    const slotMs = this.#ceiling === null ? nowMs : permit.sentMs + 1_000 / (this.#rate ?? this.#ceiling);
    this.#slotMs = Math.max(nowMs, slotMs);
    this.#epochMs = nowMs;
  }

  #learn(nowMs: number): void {
    const startMs = this.#epochMs ?? nowMs;
    if (this.#rate === null && this.#recent.countSince(startMs) < FEW_CALLS) {
      this.#rate = START_RATE;
      this.#enter('climb', START_CLIMB);
      return;
    }
    const found = Math.max(LOWEST_RATE, this.#estimate(startMs, nowMs));
    const known = this.#ceiling;
    const ceiling = known !== null && this.#believed ? Math.max(found, known * BELIEVED_CUT) : found;
    this.#ceiling = ceiling;
    this.#rate = Math.max(LOWEST_RATE, ceiling * HOLD_AT);
    this.#everBelieved ||= this.#believed;
    this.#believed = known !== null && found >= known * SAME_FROM && found <= known * SAME_TO;
    const mostDebt = this.#everBelieved ? MOST_DEBT.later : MOST_DEBT.first;
    if (this.#believed) this.#debt = Math.min(this.#debt, mostDebt * priceOf(ceiling));
    if (known === null) this.#enter('climb', FIRST_CLIMB);
    else this.#enter(this.#believed ? 'hold' : 'look');
  }

  #enter(next: Phase, how: Growth = CLIMB): void {
    this.#phase = next;
    this.#phaseMs = 0;
    this.#growth = how;
  }

  #estimate(startMs: number, nowMs: number): number {
    // Without `Retry-After`, the service may have opened again at any time since the last rejection.
    const openedMs = this.#isTold ? nowMs : (this.#lastRefusedMs + nowMs) / 2;
    const pauseMs = openedMs - this.#firstRefusedMs;
    const accepted = this.#recent.countSince(startMs);
    if (this.#phase !== 'hold' && accepted >= FEW_CALLS) {
      this.#windowMs = Math.max(Math.min(pauseMs, LONGEST_SPAN_MS), this.#windowMs * FORGET);
    }
    const most = this.#measure(openedMs, pauseMs, startMs);
    const windowMs = this.#windowMs;
    if (this.#ceiling !== null && accepted < FEW_CALLS) {
      const few = windowMs >= LONG_WINDOW_MS ? this.#ceiling * FEW_CALLS_CUT : Math.sqrt(most * this.#ceiling);
      return Math.max(most, few);
    }
    const above = Math.min(this.#refusedRate, most * MOST_ABOVE_MEASURED) - most;
    return most + Math.max(0, above) / (1 + windowMs / EVEN_WINDOW_MS);
  }

  /** The highest rate that the service accepted in a span that ended when the service opened again, in calls per second. */
  #measure(openedMs: number, pauseMs: number, startMs: number): number {
    const epochMs = Math.max(1, openedMs - startMs);
    // Pauses are rounded up to full seconds, and the span must include the calls sent before the pause.
    const reachMs = Math.max(LONGEST_SPAN_MS, Math.min(pauseMs, LONGEST_EPOCH_MS) * 1.02 + 1_000);
    const longestMs = Math.min(epochMs, reachMs);
    const shortestMs = Math.max(pauseMs, this.#windowMs);
    const spans = SPANS_MS.filter((span) => span >= shortestMs && span <= longestMs);
    const measured = [longestMs, ...spans].map((span) => (this.#recent.countSince(openedMs - span) * 1_000) / span);
    if (epochMs <= LONGEST_EPOCH_MS) measured.push((this.#recent.countSince(startMs) * 1_000) / epochMs);
    return Math.max(...measured);
  }

  #raise(passedMs: number): void {
    if (this.#rate === null) return;
    this.#pacedMs += passedMs;
    if (this.#phase === 'hold') {
      // Half of the look stays below the limit, so its calls are accepted and make up for rejections.
      const isPaid = this.#debt <= (this.#rate * LOOK_MS) / 2_000;
      if (this.#pacedMs < SHORTEST_HOLD_MS || !isPaid) return;
      this.#enter('look');
    }
    this.#phaseMs += passedMs;
    if (this.#phase === 'climb') {
      const { perSecond, fasterIn } = this.#growth;
      this.#rate *= Math.exp((perSecond * Math.exp(this.#phaseMs / 1_000 / fasterIn) * passedMs) / 1_000);
      return;
    }
    const reached = HOLD_AT + ((LOOK_TO - HOLD_AT) * this.#phaseMs) / LOOK_MS;
    this.#rate = Math.max(LOWEST_RATE, (this.#ceiling ?? this.#rate) * reached);
    if (this.#phaseMs > LOOK_MS) this.#enter('climb');
  }
}
