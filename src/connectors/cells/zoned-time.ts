/** A wall-clock time without a zone, as written in a cell. Months are 1–12. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Converts wall-clock times of one zone to instants, in milliseconds since the epoch. */
export type ResolveWallTime = (wall: WallTime) => number;

const DAY_MS = 86_400_000;

/** False for times such as 30 February or 25:00, which `Date` would silently move to another day. */
export function isRealTime(wall: WallTime): boolean {
  if (wall.year < 1 || wall.hour > 23 || wall.minute > 59 || wall.second > 59) return false;
  const asUtc = new Date(readAsUtc(wall));
  return asUtc.getUTCMonth() === wall.month - 1 && asUtc.getUTCDate() === wall.day;
}

/** Reads the wall-clock time as if it were UTC. `Date.UTC` would read the years 0–99 as 1900–1999. */
export function readAsUtc(wall: WallTime): number {
  const date = new Date(0);
  date.setUTCFullYear(wall.year, wall.month - 1, wall.day);
  date.setUTCHours(wall.hour, wall.minute, wall.second, wall.millisecond);
  return date.getTime();
}

/** Returns a function that gives the wall-clock time of an IANA zone at an instant. Throws RangeError for an unknown zone. */
export function createWallClock(timezone: string): (instant: number) => WallTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map((part) => [part.type, part.value]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    return {
      year: parts.get('era') === 'BC' ? 1 - read('year') : read('year'),
      month: read('month'),
      day: read('day'),
      hour: read('hour'),
      minute: read('minute'),
      second: read('second'),
      millisecond: instant - Math.floor(instant / 1000) * 1000,
    };
  };
}

/**
 * Creates the resolver of one IANA zone. Throws RangeError for an unknown zone.
 *
 * Daylight saving follows the "compatible" rule of the Temporal proposal. A time that occurs twice becomes the earlier
 * instant. A skipped time moves forward by the gap, so a midnight that does not exist becomes the first moment of that
 * day.
 */
export function createWallTimeResolver(timezone: string): ResolveWallTime {
  const readWall = createWallClock(timezone);
  const findOffsetMs = (instant: number): number => readAsUtc(readWall(instant)) - instant;

  return (wall) => {
    const asUtc = readAsUtc(wall);
    const before = findOffsetMs(asUtc - DAY_MS);
    const after = findOffsetMs(asUtc + DAY_MS);
    if (before === after) return asUtc - before;
    if (findOffsetMs(asUtc - before) === before) return asUtc - before;
    if (findOffsetMs(asUtc - after) === after) return asUtc - after;
    return asUtc - before;
  };
}
