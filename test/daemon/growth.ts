import type { Holding } from './soaked-daemon.js';

export interface Sample extends Holding {
  readonly part: string;
  /** Since the part began. */
  readonly hours: number;
}

export interface Growth {
  readonly part: string;
  readonly what: string;
  readonly first: number;
  readonly last: number;
  readonly slopePerHour: number;
  readonly isTooMuch: boolean;
}

const WHAT: Readonly<Record<keyof Holding, string>> = {
  heapMiB: 'heap, MiB',
  rssMiB: 'RSS, MiB',
  handles: 'handles',
  descriptors: 'descriptors',
};
/** What is held may grow by so much of itself per hour. */
const MOST_SHARE = 0.01;
/** Of a shorter part the slopes say nothing. */
const LEAST_HOURS = 0.5;

/** Of so many equal spans the medians are looked at: what stands out once, because V8 was not done, is no growth. */
const SPANS = 10;

/** By how much each kind of holding grows in each part: fitted over the second half, when caches are full and code has been compiled. */
export function judgeGrowth(samples: readonly Sample[]): readonly Growth[] {
  return [...new Set(samples.map(({ part }) => part))].flatMap((part) => {
    const ofPart = samples.filter((sample) => sample.part === part);
    const hours = ofPart.at(-1)?.hours ?? 0;
    const late = ofPart.filter((sample) => sample.hours >= hours / 2);
    return (Object.keys(WHAT) as (keyof Holding)[]).map((key) => {
      const medians = takeMedians(late.map((sample) => [sample.hours, sample[key]]));
      const slopePerHour = fitSlope(medians);
      const [first, last] = [ofPart[0]?.[key] ?? 0, medians.at(-1)?.[1] ?? 0];
      const isTooMuch = hours >= LEAST_HOURS && slopePerHour > last * MOST_SHARE;
      return { part, what: WHAT[key], first, last, slopePerHour, isTooMuch };
    });
  });
}

type Point = readonly [x: number, y: number];

function takeMedians(points: readonly Point[]): readonly Point[] {
  const medianOf = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  const size = Math.ceil(points.length / SPANS);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, span) => {
    const within = points.slice(span * size, (span + 1) * size);
    return [medianOf(within.map(([x]) => x)), medianOf(within.map(([, y]) => y))];
  });
}

/** Least squares. */
function fitSlope(points: readonly Point[]): number {
  const meanOf = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [x, y] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  const under = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
