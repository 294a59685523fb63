import type { Logger } from '../base/logger.js';
import type { WireUser } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';

/** Shows whether the feed of changes can be believed. */
export interface FeedContext {
  readonly mirror: MirrorStore;
  readonly logger: Logger;
  /** The service's own time at its newest answer, if that had one; milliseconds since the epoch. */
  readonly serviceTime: () => number | null;
}

/** Where the stamps of a service are no part of its own time: a full read found none that was not ahead of it. */
const AHEAD_MARK = 'users.stamps_ahead';
/** So far apart the clocks of the machines behind one address may be. */
const SKEW_MS = 10_000;
/** The time that an answer tells is cut to its second. */
const CUT_MS = 999;

/**
 * A cursor is never later than the service's time was when it was noted. Later than that time now, the clock was set back:
 * what has changed since is stamped before the cursor, and the feed does not tell of it.
 */
export function isClockSetBack({ mirror, logger, serviceTime }: FeedContext): boolean {
  const [cursor, now] = [mirror.mark('users.cursor'), serviceTime()];
  if (cursor === null || now === null || mirror.mark(AHEAD_MARK) === '1') return false;
  if (!(Date.parse(cursor) > now + SKEW_MS)) return false;
  logger.warn(
    { cursor, service_time: new Date(now).toISOString() },
    'the clock of the service was set back: everybody is read',
  );
  return true;
}

/** @param isAhead a full read found no stamp that its own start had reached: they come from another clock */
export function noteAhead(mirror: MirrorStore, isAhead: boolean): void {
  mirror.setMark(AHEAD_MARK, isAhead ? '1' : '0');
}

/** The newest stamp that the service's time has reached; a later one is read again until it has. */
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
 * Where the feed goes on after a full read: the newest stamp not later than the read's own start by the service's clock.
 * A later stamp could belong to the last page, while somebody on the first page changed a moment before it. A service
 * that tells no time, or another than its stamps have, leaves the newest stamp of the first page: whatever changes after
 * that page was made is stamped no earlier.
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
  /** As the service wrote it. */
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
