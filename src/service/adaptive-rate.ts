/**
 * Finds a limit nobody told us (spec, Limits: "General per-account rate limit values: not shown").
 *
 * - **free**: no 429 was seen; nothing is delayed.
 * - **episode**: a 429 came. Everything waits for `Retry-After`, or for pauses that double; then one call goes alone, and
 *   the episode ends when it is not answered 429. One episode cuts the rate once, however many calls were under way.
 * - **paced**: calls are spread evenly at `rate`, which grows a little with each call that had to wait for its turn: fast
 *   up to where the last limit was met, slowly around it (most of the time is spent there), fast again well beyond.
 *
 * The first rate is what the service took from the first call to the end of the first episode: whatever its window,
 * that is close to what it allows. Later cuts are 15 %: with a slow climb over 500 calls or 90 s this keeps
 * about nine tenths of the limit in use and meets it less than once in a hundred calls (`limiter.test.ts` measures it).
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

const CUT = 0.85;
/** The next limit came at once: the rate is far off, not a little. */
const HARD_CUT = 0.6;
const HARD_CUT_BELOW_CALLS = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 120_000;
const LOWEST_RATE = 1 / 60;
/** Calls over which 15 % of the last limit are gained: away from it, and near it. */
const FAST_CLIMB_CALLS = 40;
const SLOW_CLIMB_CALLS = 500;
/** At high rates 500 calls pass in seconds, and the pause after each 429 would weigh too much. */
const SLOW_CLIMB_SECONDS = 90;
const NEAR_FROM = 0.93;
const NEAR_TO = 1.12;

export function createAdaptiveRate(): AdaptiveRate {
  let rate: number | null = null;
  /** Where the last limit was met, calls a second. */
  let ceiling = 0;
  let slotMs = Number.NEGATIVE_INFINITY;
  let blockedUntilMs = Number.NEGATIVE_INFINITY;
  let probing = false;
  let refusals = 0;
  /** Calls sent before this belong to an episode that has been counted. */
  let countedUntilMs = Number.NEGATIVE_INFINITY;
  let firstSentMs: number | null = null;
  let accepted = 0;
  let acceptedSinceCut = 0;

  function endEpisode(nowMs: number): void {
    probing = false;
    refusals = 0;
    if (rate === null) {
      ceiling = accepted / (Math.max(1_000, nowMs - (firstSentMs ?? nowMs)) / 1_000);
      rate = Math.max(LOWEST_RATE, ceiling * CUT);
    }
    slotMs = nowMs;
  }

  function raise(): void {
    if (rate === null) return;
    const near = rate >= ceiling * NEAR_FROM && rate <= ceiling * NEAR_TO;
    const calls = near ? Math.max(SLOW_CLIMB_CALLS, SLOW_CLIMB_SECONDS * rate) : FAST_CLIMB_CALLS;
    rate += (ceiling * 0.15) / calls;
  }

  return {
    delayMs: (nowMs) => Math.max(0, blockedUntilMs - nowMs, rate === null ? 0 : slotMs - nowMs),
    isProbing: () => probing,
    take(nowMs) {
      firstSentMs ??= nowMs;
      if (rate === null) return { sentMs: nowMs, paced: false };
      const intervalMs = 1_000 / rate;
      // A late timer may catch up by one interval, and by no more than a blink: unspent time is not saved up.
      const paced = nowMs - slotMs < intervalMs;
      slotMs = Math.max(slotMs, nowMs - Math.min(intervalMs, 50)) + intervalMs;
      return { sentMs: nowMs, paced };
    },
    accept(permit, nowMs) {
      accepted += 1;
      acceptedSinceCut += 1;
      // An answer to a call from before the limit was met says nothing about now.
      if (probing && permit.sentMs > countedUntilMs) endEpisode(nowMs);
      else if (permit.paced && !probing) raise();
    },
    refuse(permit, nowMs, retryAfterMs) {
      const own = permit.sentMs > countedUntilMs;
      if (own && !probing && rate !== null) {
        ceiling = rate;
        rate = Math.max(LOWEST_RATE, rate * (acceptedSinceCut < HARD_CUT_BELOW_CALLS ? HARD_CUT : CUT));
      }
      if (own) {
        acceptedSinceCut = 0;
        refusals += 1;
        countedUntilMs = nowMs;
      }
      probing = true;
      const guessMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, refusals - 1));
      const askedMs =
        retryAfterMs !== null && retryAfterMs > 0 ? Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) : guessMs;
      if (own || retryAfterMs !== null) blockedUntilMs = Math.max(blockedUntilMs, nowMs + askedMs);
    },
    rate: () => rate,
  };
}
