import { describe, expect, test } from 'vitest';
import { findDelay, findDueLater, findShortestPause } from '../../../src/config/schedule/spread.js';

const MINUTE = 60_000;
const QUARTERS = { every: '*/15 * * * *', timezone: 'UTC' };
const NAMES = Array.from({ length: 1_000 }, (_, number) => `tenant-${number}`);
const at = (time: string): number => Date.parse(`2026-06-01T${time}Z`);

describe('the shortest pause of a schedule', () => {
  test.each([
    ['* * * * *', 1],
    ['*/15 * * * *', 15],
    ['0,5 3 * * *', 5],
    ['*/15 8-16 * * 1-5', 15],
    ['0 8-16/2 * * *', 120],
    ['30 2 * * *', 1_440],
  ])('%s: %d minutes', (every, minutes) => {
    expect(findShortestPause({ every })).toBe(minutes * MINUTE);
  });
});

describe('the delay of a tenant', () => {
  test.each([
    ['a tenth of the pause', '*/15 * * * *', null, 90_000],
    ['an hour at most', '0 0 1 1 *', null, 60 * MINUTE],
    ['what is configured', '*/15 * * * *', 5 * MINUTE, 5 * MINUTE],
  ])('%s, evenly over the names', (_what, every, spreadMs, longestMs) => {
    const delays = NAMES.map((name) => findDelay({ every, timezone: 'UTC', spreadMs }, name));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(longestMs);
    for (const tenth of Array.from({ length: 10 }, (_, part) => (part * longestMs) / 10)) {
      const inIt = delays.filter((ms) => ms >= tenth && ms < tenth + longestMs / 10).length;
      expect(inIt).toBeGreaterThan(60);
      expect(inIt).toBeLessThan(140);
    }
  });

  test('is the same for the same name, and none with 0', () => {
    const delay = findDelay({ ...QUARTERS, spreadMs: null }, 'acme');
    expect(findDelay({ ...QUARTERS, spreadMs: null }, 'acme')).toBe(delay);
    expect(findDelay({ ...QUARTERS, spreadMs: null }, 'north')).not.toBe(delay);
    expect(findDelay({ ...QUARTERS, spreadMs: 0 }, 'acme')).toBe(0);
  });
});

describe('what is due with a delay of four minutes', () => {
  const anchor = { ...QUARTERS, atMs: at('10:00:00') };
  const due = (now: string) => findDueLater(QUARTERS, 4 * MINUTE, anchor, at(now));

  test('nothing before it has passed; the slot keeps its moment', () => {
    expect(due('10:18:59')).toMatchObject({ slotMs: null, nextMs: at('10:19:00') });
    expect(due('10:19:00')).toMatchObject({ slotMs: at('10:15:00'), missed: 0, nextMs: at('10:34:00') });
  });

  test('slots that passed are one run', () => {
    expect(due('11:05:00')).toMatchObject({ slotMs: at('11:00:00'), missed: 3 });
  });

  test('a delay that is new, or taken away, neither repeats a slot nor loses one', () => {
    const { anchor: ran } = findDueLater(QUARTERS, 0, anchor, at('10:15:00'));
    expect(findDueLater(QUARTERS, 4 * MINUTE, ran, at('10:16:00')).slotMs).toBeNull();
    expect(findDueLater(QUARTERS, 4 * MINUTE, ran, at('10:34:00')).slotMs).toBe(at('10:30:00'));
    expect(findDueLater(QUARTERS, 0, ran, at('10:30:00')).slotMs).toBe(at('10:30:00'));
  });
});
