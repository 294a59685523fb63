import type { Logger } from '../base/logger.js';
import type { WireUser } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';

/** Inputs for deciding whether the feed of changes can be trusted. */
export interface FeedContext {
  readonly mirror: MirrorStore;
  readonly logger: Logger;
  /** The service's time in its newest answer, in milliseconds since the epoch; null if that answer had no time. */
  readonly serviceTime: () => number | null;
}

/** Set if the stamps come from another clock, because a full read found only stamps ahead of the service's time. */
const AHEAD_MARK = 'users.stamps_ahead';
/** Maximum clock difference between the machines behind one address. */
const SKEW_MS = 10_000;
/** The service truncates its time to the second. */
const CUT_MS = 999;

/**
 * Returns true if the service's clock was set back. A cursor is never later than the service's time at the moment it is
 * saved. If it is later now, newer changes may have stamps before the cursor, and the feed would miss them.
 */
export function isClockSetBack({ mirror, logger, serviceTime }: FeedContext): boolean {
  const [cursor, now] = [mirror.mark('users.cursor'), serviceTime()];
  if (cursor === null || now === null || mirror.mark(AHEAD_MARK) === '1') return false;
  if (!(Date.parse(cursor) > now + SKEW_MS)) return false;
  logger.warn(
    { cursor, service_time: new Date(now).toISOString() },
    "the service's clock was set back, so everyone is read again",
  );
  return true;
}

/** @param isAhead true if a full read found only stamps later than its own start, so they come from another clock */
export function noteAhead(mirror: MirrorStore, isAhead: boolean): void {
  mirror.setMark(AHEAD_MARK, isAhead ? '1' : '0');
}

/**
 * Returns the newest stamp that is not ahead of the service's time. Later stamps are read again until the service's
 * time reaches them.
 */
export function cursorAfter(
  page: readonly WireUser[],
  resumeFrom: string,
  { mirror, serviceTime }: FeedContext,
): string | null {
  const now = serviceTime();
  if (now === null || mirror.mark(AHEAD_MARK) === '1' || Date.parse(resumeFrom) <= now + CUT_MS) return resumeFrom;
  const stamps = page.flatMap((user) => readStamp(user) ?? []);
  return newestOf(stamps.filter(({ ms }) => ms <= now + CUT_MS))?.text ?? null;
}

/**
 * Finds where the feed continues after a full read: at the newest stamp not later than the read's start, by the
 * service's clock. A later stamp may come from the last page, while a person on the first page changed just before it.
 * Without a usable service time, the cursor is the newest stamp of the first page, because later changes have later
 * stamps.
 */
export function createCursor(serviceTime: () => number | null) {
  let startMs: number | null = null;
  let timely: Stamp | null = null;
  let first: Stamp | null = null;
  return {
    take(page: readonly WireUser[]): void {
      startMs ??= serviceTime() ?? Number.NEGATIVE_INFINITY;
      const stamps = page.flatMap((user) => readStamp(user) ?? []);
      first ??= newestOf(stamps);
      const before = startMs;
      timely = newestOf([...(timely === null ? [] : [timely]), ...stamps.filter(({ ms }) => ms <= before)]);
    },
    stamp(): { readonly text: string; readonly timely: boolean } | null {
      const found = timely ?? first;
      return found === null ? null : { text: found.text, timely: timely !== null };
    },
  };
}

interface Stamp {
  /** The stamp verbatim from the service. */
  readonly text: string;
  readonly ms: number;
}

function readStamp({ profile_updated_at: text }: WireUser): Stamp | null {
  const ms = text ? Date.parse(text) : Number.NaN;
  return text && !Number.isNaN(ms) ? { text, ms } : null;
}

function newestOf(stamps: readonly Stamp[]): Stamp | null {
  return stamps.reduce<Stamp | null>((best, stamp) => (best === null || stamp.ms > best.ms ? stamp : best), null);
}
