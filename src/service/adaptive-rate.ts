import { createRecentCalls } from './recent-calls.js';

/**
 * Finds a limit nobody told us (spec, Limits: "General per-account rate limit values: not shown"), and follows it when it
 * changes or when others begin or stop to use the account.
 *
 * What is known comes from refusals alone. A 429 begins an **episode**: everything waits, then one call goes alone, and
 * the episode ends when it is not answered 429. How long to wait is what `Retry-After` says; without it, until the
 * average of the last minute is down to the ceiling, and after that in steps that double.
 *
 * The end of an episode is the moment at which the service is known to have taken all that it takes, so what it took
 * until then is measured over spans that end there: that gives the **ceiling**. A span has to be as long as the pause
 * was, and as the pauses before it, because a window is at least as long as the pause that its end puts an end to. A span
 * that is longer than the window only measures too little. Where windows are short, the rate at which the limit was met
 * says more than what was measured, and weighs more. The estimate does not rest on the time since the first call, nor on
 * a 429 that came before ten calls were taken: that one is about somebody else's calls.
 *
 * Between episodes the rate is in one of these phases:
 *
 * - **free**: no 429 was seen; nothing is delayed.
 * - **hold**: a little below the ceiling, until the last refusals are paid for. One refusal costs about a hundred accepted
 *   calls, so that less than one call in a hundred is refused, in any 20 minutes of any rate.
 * - **look**: from below the ceiling to 5 % above it, in 80 seconds: slowly, so that a limit which did not change is met
 *   close to where it is, in a window of a minute too. Met there, it is measured again, and held.
 * - **climb**: it was not met, so it has moved: the rate grows by 1 % a second at first, and faster and faster.
 *
 * | an episode ends, and the estimate is             | then                                                      |
 * |--------------------------------------------------|-----------------------------------------------------------|
 * | the first                                        | climb at once, fast: it may be about somebody else's calls |
 * | 75 to 130 % of the ceiling before                | hold                                                      |
 * | another                                          | look at once: it has to be met again before it is believed |
 * | below 85 % of a ceiling that was believed        | 85 % of it: one refusal does not make a limit             |
 *
 * Rejected: additive increase with a cut of 15 % or more (85 % of the limit at 0.5 % refused, and minutes to hours until a
 * doubled limit is in use); the rate since the first call as first estimate (98 minutes for 100 calls after an early
 * `Retry-After: 60`); a probe of half as much again for a moment (finds a doubled limit a minute sooner, and measures
 * nothing when it is refused).
 */
export interface AdaptiveRate {
  delayMs(nowMs: number): number;
  /** After a 429: only one call at a time until one is accepted. */
  isProbing(): boolean;
  take(nowMs: number): Permit;
  accept(permit: Permit, nowMs: number): void;
  refuse(permit: Permit, nowMs: number, retryAfterMs: number | null): void;
  /** Calls a second, null while free. */
  rate(): number | null;
}

export interface Permit {
  readonly sentMs: number;
  /** The pace held it back, so the pace is what bounds us and may be raised when it is accepted. */
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
  /** The growth itself grows e-fold in so many seconds. */
  readonly fasterIn: number;
}
const CLIMB: Growth = { perSecond: 0.008, fasterIn: 45 };
const FIRST_CLIMB: Growth = { perSecond: 0.03, fasterIn: 12 };
/** After a 429 that says nothing: as if nothing had been met, but not all at once. */
const START_CLIMB: Growth = { perSecond: 0.25, fasterIn: Number.POSITIVE_INFINITY };
const START_RATE = 2;

/** With fewer accepted calls an estimate is worth little. */
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
/** At a window this long, what was measured and the rate at which the limit was met weigh the same. */
const EVEN_WINDOW_MS = 2_000;
const MOST_ABOVE_MEASURED = 1.25;

/** Share of the calls of 20 minutes that may be refused, with room for the one that just was. */
const REFUSED_SHARE = 0.0098;
const SPACING = 1.03;
const MOST_DEBT = { first: 2, later: 5 } as const;

/** How many accepted calls pay for a refused one, so that any 20 minutes hold less than one in a hundred. */
function priceOf(perSecond: number): number {
  const calls = 1_200 * perSecond;
  return Math.min(1_000, (SPACING * calls) / Math.max(1, Math.floor(REFUSED_SHARE * calls)));
}

export function createAdaptiveRate(): AdaptiveRate {
  const recent = createRecentCalls();
  let rate: number | null = null;
  /** What the service takes as far as is known, calls per second. */
  let ceiling: number | null = null;
  /** The ceiling was met twice at about the same height. */
  let believed = false;
  let everBelieved = false;
  let phase: 'hold' | 'look' | 'climb' = 'climb';
  let growth = START_CLIMB;
  /** Time in which the pace was what bound us: since the last episode, and since the phase began. */
  let pacedMs = 0;
  let phaseMs = 0;
  /** Accepted calls that are still to pay for refusals. */
  let debt = 0;
  let slotMs = Number.NEGATIVE_INFINITY;
  let lastAnswerMs = 0;
  /** When the last episode ended; before the first, when the first call was sent. */
  let epochMs: number | null = null;
  /** The window is about so long, as far as pauses tell. */
  let windowMs = 0;

  let probing = false;
  let blockedUntilMs = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  let firstRefusedMs = 0;
  let lastRefusedMs = 0;
  let refusedRate = 0;
  let wasTold = false;
  let surplusMs = 0;
  /** Calls sent before this belong to a refusal that has been counted. */
  let countedUntilMs = Number.NEGATIVE_INFINITY;

  function enter(next: typeof phase, how: Growth = CLIMB): void {
    phase = next;
    phaseMs = 0;
    growth = how;
  }

  function estimate(startMs: number, nowMs: number): number {
    // Where nobody told when, the service may have opened again at any time since the last refusal.
    const openedMs = wasTold ? nowMs : (lastRefusedMs + nowMs) / 2;
    const pauseMs = openedMs - firstRefusedMs;
    const epoch = Math.max(1, openedMs - startMs);
    // A pause is rounded up to whole seconds, and what was sent before it has to be within the span.
    const longestMs = Math.min(epoch, Math.max(LONGEST_SPAN_MS, Math.min(pauseMs, LONGEST_EPOCH_MS) * 1.02 + 1_000));
    const accepted = recent.countSince(startMs);
    if (phase !== 'hold' && accepted >= FEW_CALLS) {
      windowMs = Math.max(Math.min(pauseMs, LONGEST_SPAN_MS), windowMs * FORGET);
    }
    const shortestMs = Math.max(pauseMs, windowMs);
    const spans = SPANS_MS.filter((span) => span >= shortestMs && span <= longestMs);
    const measured = [longestMs, ...spans].map((span) => (recent.countSince(openedMs - span) * 1_000) / span);
    if (epoch <= LONGEST_EPOCH_MS) measured.push((accepted * 1_000) / epoch);
    const most = Math.max(...measured);
    if (ceiling !== null && accepted < FEW_CALLS) {
      const few = windowMs >= LONG_WINDOW_MS ? ceiling * FEW_CALLS_CUT : Math.sqrt(most * ceiling);
      return Math.max(most, few);
    }
    if (refusedRate <= most) return most;
    return most + (Math.min(refusedRate, most * MOST_ABOVE_MEASURED) - most) / (1 + windowMs / EVEN_WINDOW_MS);
  }

  function learn(nowMs: number): void {
    const startMs = epochMs ?? nowMs;
    if (rate === null && recent.countSince(startMs) < FEW_CALLS) {
      rate = START_RATE;
      enter('climb', START_CLIMB);
      return;
    }
    const found = Math.max(LOWEST_RATE, estimate(startMs, nowMs));
    const known = ceiling;
    ceiling = known !== null && believed ? Math.max(found, known * BELIEVED_CUT) : found;
    rate = Math.max(LOWEST_RATE, ceiling * HOLD_AT);
    everBelieved ||= believed;
    believed = known !== null && found >= known * SAME_FROM && found <= known * SAME_TO;
    if (believed) debt = Math.min(debt, (everBelieved ? MOST_DEBT.later : MOST_DEBT.first) * priceOf(ceiling));
    if (known === null) enter('climb', FIRST_CLIMB);
    else enter(believed ? 'hold' : 'look');
  }

  function endEpisode(permit: Permit, nowMs: number): void {
    probing = false;
    refusals = 0;
    learn(nowMs);
    pacedMs = 0;
    slotMs = ceiling === null ? nowMs : Math.max(nowMs, permit.sentMs + 1_000 / (rate ?? ceiling));
    epochMs = nowMs;
  }

  function raise(passedMs: number): void {
    if (rate === null) return;
    pacedMs += passedMs;
    if (phase === 'hold') {
      // Half of the look is below the limit: calls that pay.
      const isPaid = debt <= (rate * LOOK_MS) / 2_000;
      if (pacedMs < SHORTEST_HOLD_MS || !isPaid) return;
      enter('look');
    }
    phaseMs += passedMs;
    if (phase === 'climb') {
      rate *= Math.exp((growth.perSecond * Math.exp(phaseMs / 1_000 / growth.fasterIn) * passedMs) / 1_000);
      return;
    }
    rate = Math.max(LOWEST_RATE, (ceiling ?? rate) * (HOLD_AT + ((LOOK_TO - HOLD_AT) * phaseMs) / LOOK_MS));
    if (phaseMs > LOOK_MS) enter('climb');
  }

  /** How long to wait after a refusal when nobody tells. */
  function guessPauseMs(): number {
    const isNear = ceiling !== null && rate !== null && rate < ceiling * 1.1;
    if (surplusMs > FIRST_PAUSE_MS) return Math.max(FIRST_PAUSE_MS, isNear ? surplusMs : surplusMs / 2);
    const firstMs = ceiling === null ? FIRST_PAUSE_MS : Math.max(FIRST_PAUSE_MS, 1_000 / ceiling);
    return Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** (refusals - 1));
  }

  return {
    delayMs: (nowMs) => Math.max(0, blockedUntilMs - nowMs, rate === null ? 0 : slotMs - nowMs),
    isProbing: () => probing,
    take(nowMs) {
      epochMs ??= nowMs;
      if (rate === null) return { sentMs: nowMs, paced: false };
      const intervalMs = 1_000 / rate;
      // A late timer may catch up by one interval, and by no more than a blink: unspent time is not saved up.
      const paced = nowMs - slotMs < intervalMs;
      slotMs = Math.max(slotMs, nowMs - Math.min(intervalMs, 50)) + intervalMs;
      return { sentMs: nowMs, paced };
    },
    accept(permit, nowMs) {
      debt = Math.max(0, debt - 1);
      // An answer to a call from before the limit was met says nothing about now.
      if (probing && permit.sentMs > countedUntilMs) endEpisode(permit, nowMs);
      else if (permit.paced && !probing) raise(Math.min(nowMs - lastAnswerMs, 5_000));
      recent.add(nowMs);
      lastAnswerMs = nowMs;
    },
    refuse(permit, nowMs, retryAfterMs) {
      debt += priceOf(ceiling ?? 1);
      if (!probing) {
        firstRefusedMs = nowMs;
        refusedRate = rate ?? 0;
      }
      probing = true;
      const isOwn = permit.sentMs > countedUntilMs;
      if (isOwn) {
        refusals += 1;
        countedUntilMs = nowMs;
        lastRefusedMs = nowMs;
        surplusMs = refusals > 1 ? surplusMs / 2 : ceiling === null ? 0 : recent.surplusMs(nowMs, ceiling);
      }
      wasTold = retryAfterMs !== null && retryAfterMs > 0;
      const pauseMs = wasTold ? Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : guessPauseMs();
      if (isOwn || wasTold) blockedUntilMs = Math.max(blockedUntilMs, nowMs + pauseMs);
    },
    rate: () => rate,
  };
}
