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

/**
 * Each span of time counts by one extreme, because chance affects the other. Garbage made since the collection and
 * sockets about to close only add. For young objects, V8 takes a varying amount of RSS.
 */
const WHAT: Readonly<
  Record<keyof Holding, { readonly name: string; readonly endOf: (...values: number[]) => number }>
> = {
  heapMiB: { name: 'heap, MiB', endOf: Math.min },
  rssMiB: { name: 'RSS, MiB', endOf: Math.max },
  handles: { name: 'handles', endOf: Math.min },
  descriptors: { name: 'descriptors', endOf: Math.min },
};
const SPANS = 10;
/** The share by which a holding may grow per hour. */
const MOST_SHARE = 0.01;
/** Shorter parts say nothing about slopes. */
const LEAST_HOURS = 0.5;

/**
 * The growth of each kind of holding in each part, fitted over the second half, when caches are full and code is
 * compiled.
 */
export function judgeGrowth(samples: readonly Sample[]): readonly Growth[] {
  return [...new Set(samples.map(({ part }) => part))].flatMap((part) => {
    const ofPart = samples.filter((sample) => sample.part === part);
    const hours = ofPart.at(-1)?.hours ?? 0;
    const late = ofPart.filter((sample) => sample.hours >= hours / 2);
    return (Object.keys(WHAT) as (keyof Holding)[]).map((key) => {
      const { name, endOf } = WHAT[key];
      const ends = splitInSpans(late).map(
        (span): Point => [span[0]?.hours ?? 0, endOf(...span.map((one) => one[key]))],
      );
      const [first, last] = [ofPart[0]?.[key] ?? 0, ends.at(-1)?.[1] ?? 0];
      const slopePerHour = fitSlope(ends);
      return {
        part,
        what: name,
        first,
        last,
        slopePerHour,
        isTooMuch: hours >= LEAST_HOURS && slopePerHour > last * MOST_SHARE,
      };
    });
  });
}

type Point = readonly [x: number, y: number];

function splitInSpans(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const size = Math.ceil(samples.length / SPANS);
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, at) => samples.slice(at * size, (at + 1) * size));
}

/** Fits a line by least squares. */
function fitSlope(points: readonly Point[]): number {
  const meanOf = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [x, y] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  const under = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
