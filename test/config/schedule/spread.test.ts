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
  ])('is for %s: %d minutes', (every, minutes) => {
    expect(findShortestPause({ every })).toBe(minutes * MINUTE);
  });
});

describe('the delay of a tenant', () => {
  test.each([
    ['a tenth of the pause', '*/15 * * * *', null, 90_000],
    ['an hour at most', '0 0 1 1 *', null, 60 * MINUTE],
    ['the configured time', '*/15 * * * *', 5 * MINUTE, 5 * MINUTE],
  ])('is %s, spread evenly over the names', (_what, every, spreadMs, longestMs) => {
    const delays = NAMES.map((name) => findDelay({ every, timezone: 'UTC', spreadMs }, name));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(longestMs);
    for (const tenth of Array.from({ length: 10 }, (_, part) => (part * longestMs) / 10)) {
      const inIt = delays.filter((ms) => ms >= tenth && ms < tenth + longestMs / 10).length;
      expect(inIt).toBeGreaterThan(60);
      expect(inIt).toBeLessThan(140);
    }
  });

  test('is the same for the same name, and zero with 0', () => {
    const delay = findDelay({ ...QUARTERS, spreadMs: null }, 'acme');
    expect(findDelay({ ...QUARTERS, spreadMs: null }, 'acme')).toBe(delay);
    expect(findDelay({ ...QUARTERS, spreadMs: null }, 'north')).not.toBe(delay);
    expect(findDelay({ ...QUARTERS, spreadMs: 0 }, 'acme')).toBe(0);
  });
});

describe('slots with a delay of four minutes', () => {
  const anchor = { ...QUARTERS, atMs: at('10:00:00') };
  const due = (now: string) => findDueLater(QUARTERS, 4 * MINUTE, anchor, at(now));

  test('are due only after the delay, at their original time', () => {
    expect(due('10:18:59')).toMatchObject({ slotMs: null, nextMs: at('10:19:00') });
    expect(due('10:19:00')).toMatchObject({ slotMs: at('10:15:00'), missed: 0, nextMs: at('10:34:00') });
  });

  test('are one run if several have passed', () => {
    expect(due('11:05:00')).toMatchObject({ slotMs: at('11:00:00'), missed: 3 });
  });

  test('are neither repeated nor lost when a delay is added or removed', () => {
    const { anchor: ran } = findDueLater(QUARTERS, 0, anchor, at('10:15:00'));
    expect(findDueLater(QUARTERS, 4 * MINUTE, ran, at('10:16:00')).slotMs).toBeNull();
    expect(findDueLater(QUARTERS, 4 * MINUTE, ran, at('10:34:00')).slotMs).toBe(at('10:30:00'));
    expect(findDueLater(QUARTERS, 0, ran, at('10:30:00')).slotMs).toBe(at('10:30:00'));
  });
});
