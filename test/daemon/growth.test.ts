import { expect, test } from 'vitest';
import { judgeGrowth, type Sample } from './growth.js';

const ROUNDS = 900;
const RUNS_A_ROUND = 20;

/** An hour of rounds: the resources held in each, plus garbage that comes and goes between collections. */
function soak(
  heapOf: (round: number) => number,
  more: { hours?: number; descriptors?: number; rssOf?: (round: number) => number } = {},
): Sample[] {
  return Array.from({ length: ROUNDS }, (_, round) => ({
    part: 'real time',
    hours: ((more.hours ?? 1) * (round + 1)) / ROUNDS,
    heapMiB: heapOf(round) + 0.3 * Math.sin(round),
    rssMiB: (more.rssOf?.(round) ?? 175) - (round % 3 === 0 ? 16 : 0),
    handles: 5 + (round % 2),
    descriptors: 23 + Math.floor((round * (more.descriptors ?? 0)) / ROUNDS),
  }));
}

const listGrown = (samples: readonly Sample[]): readonly string[] =>
  judgeGrowth(samples).flatMap(({ what, isTooMuch }) => (isTooMuch ? [what] : []));

test('does not report temporary objects or a single increase as growth', () => {
  expect(listGrown(soak(() => 32))).toEqual([]);
  expect(listGrown(soak((round) => 24 + 8 * Math.min(1, (2 * round) / ROUNDS)))).toEqual([]);
});

test('does not report occasional peaks as growth', () => {
  expect(listGrown(soak((round) => (round > ROUNDS - 12 && round % 2 === 0 ? 40 : 32)))).toEqual([]);
});

test('reports a growth of twenty bytes per run, and of one descriptor every twenty minutes', () => {
  expect(listGrown(soak((round) => 32 + (round * RUNS_A_ROUND * 20) / 1_048_576))).toEqual(['heap, MiB']);
  expect(listGrown(soak(() => 32, { descriptors: 3 }))).toEqual(['descriptors']);
});

test('reports RSS that grows by three MiB in an hour despite temporary young objects', () => {
  expect(listGrown(soak(() => 32, { rssOf: (round) => 175 + (3 * round) / ROUNDS }))).toEqual(['RSS, MiB']);
});

test('judges no part that is too short', () => {
  expect(listGrown(soak((round) => 32 + round, { hours: 0.4 }))).toEqual([]);
});

test('gives the slope per hour', () => {
  const [heap] = judgeGrowth(soak((round) => 32 + round / ROUNDS, { hours: 2 }));
  expect(heap?.slopePerHour).toBeCloseTo(0.5, 1);
});
