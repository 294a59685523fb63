import { afterEach, expect, test, vi } from 'vitest';
import { startMinuteTick } from '../../../src/config/schedule/minute-tick.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('ticks once per minute, continues after a sleep with the next one, and writes nothing to the console', async () => {
  const said: unknown[] = [];
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...words) => void said.push(words));
  }
  vi.useFakeTimers({ now: Date.parse('2026-06-01T09:59:30Z') });
  const ticks: string[] = [];
  const tick = startMinuteTick(() => ticks.push(new Date().toISOString().slice(11, 16)));
  await vi.advanceTimersByTimeAsync(90_000);
  expect(ticks).toEqual(['10:00', '10:01']);
  vi.setSystemTime(Date.parse('2026-06-01T12:01:10Z'));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(ticks.at(-1)).toBe('12:03');
  expect(said).toEqual([]);
  await tick.close();
});
