import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Signals } from '../../../src/daemon/signals/signals.js';
import type { SignalKind } from '../../../src/model/signal.js';

/** Signals of one tenant at these seconds, on a clock that jumps from one moment to the next. */
async function play(
  moments: readonly (readonly [seconds: number, kind: SignalKind | 'revoke'])[],
  untilS = 400,
  readsAll = false,
  begin: ((nowMs: number, apartMs: number) => number) | null = null,
) {
  let now = 0;
  const sleepers: { atMs: number; wake(): void }[] = [];
  const runs: string[] = [];
  const signals = new Signals({
    clock: {
      now: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          sleepers.push({ atMs: now + ms, wake: resolve });
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    logger: pino({ level: 'silent' }),
    scheduleOf: (tenant) => (tenant === 'acme' ? { onChange: true, readsAll } : null),
    start: async (_tenant, by) => void runs.push(`${now / 1_000}: ${by.replace('signal: ', '')}`),
    ...(begin === null ? {} : { begin: async (_tenant, apartMs) => begin(now, apartMs) }),
  });
  for (let at = 0; at <= untilS * 10; at++) {
    now = at * 100;
    for (const [, kind] of moments.filter(([seconds]) => Math.round(seconds * 10) === at)) {
      if (kind === 'revoke') signals.takeBack('acme');
      else signals.signal({ tenant: 'acme', kind, source: kind === 'approval' ? null : 'hr' });
    }
    for (const sleeper of sleepers.splice(0)) {
      if (sleeper.atMs <= now) sleeper.wake();
      else sleepers.push(sleeper);
    }
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  }
  signals.close();
  return runs;
}

const every = (stepS: number, fromS: number, toS: number, kind: SignalKind) =>
  Array.from({ length: Math.floor((toS - fromS) / stepS) + 1 }, (_, i) => [fromS + i * stepS, kind] as const);

test.each<[string, readonly (readonly [number, SignalKind | 'revoke'])[], readonly string[]]>([
  ['starts a run one second after a file', [[0, 'file']], ['1: file of hr']],
  [
    'waits for five quiet seconds after a push',
    [
      [0, 'push'],
      [4, 'push'],
    ],
    ['9: push of hr'],
  ],
  ['waits at most a minute for pushes without a pause', every(2, 0, 80, 'push'), ['60: push of hr', '85: push of hr']],
  [
    'merges signals of several kinds into one run',
    [
      [0, 'push'],
      [0.5, 'file'],
      [0.9, 'hook'],
    ],
    ['1.9: push of hr, file of hr, hook of hr'],
  ],
  ['merges a thousand hooks in a minute into one run', every(0.1, 0, 60, 'hook'), ['60: hook of hr']],
  ['starts at most one run per minute for single hooks', every(3, 0, 57, 'hook'), ['1: hook of hr', '61: hook of hr']],
  [
    'waits for the last of several decisions',
    [
      [0, 'approval'],
      [50, 'approval'],
      [100, 'approval'],
    ],
    ['160: approval'],
  ],
  [
    'starts nothing for a revoked approval',
    [
      [0, 'approval'],
      [30, 'revoke'],
    ],
    [],
  ],
  [
    'keeps one of two approvals if the other is revoked',
    [
      [0, 'approval'],
      [10, 'approval'],
      [30, 'revoke'],
    ],
    ['70: approval'],
  ],
  [
    'keeps signals that came with a revoked approval',
    [
      [0, 'approval'],
      [0.5, 'push'],
      [1, 'revoke'],
    ],
    ['5.5: push of hr'],
  ],
])('%s', async (_, moments, expected) => {
  expect(await play(moments)).toEqual(expected);
});

test('lists everyone of a source at most once in ten minutes, unless people decide', async () => {
  const hooks = every(30, 0, 900, 'hook');
  expect(await play([...hooks, [620, 'approval']], 1_000, true)).toEqual([
    '1: hook of hr',
    '601: hook of hr',
    '680: approval, hook of hr',
  ]);
});

test('counts a run that another daemon started, except for decisions', async () => {
  // The other daemon started a run after 20 s.
  const begin = (nowMs: number, apartMs: number) => Math.max(0, 20_000 + apartMs - nowMs);
  expect(await play([[25, 'hook']], 400, false, begin)).toEqual(['80: hook of hr']);
  expect(await play([[25, 'hook'], ...every(1, 30, 70, 'hook')], 400, false, begin)).toEqual(['80: hook of hr']);
  expect(await play([[25, 'file']], 400, false, begin)).toEqual(['30: file of hr']);
  expect(await play([[25, 'approval']], 400, true, begin)).toEqual(['85: approval']);
});

test('starts nothing for signals after the end', async () => {
  const started: string[] = [];
  const signals = new Signals({
    clock: { now: () => 0, sleep: async () => undefined },
    logger: pino({ level: 'silent' }),
    scheduleOf: () => ({ onChange: true, readsAll: false }),
    start: async (tenant) => void started.push(tenant),
  });
  signals.close();
  signals.signal({ tenant: 'acme', kind: 'hook', source: 'hr' });
  expect(signals.next('acme')).toBeNull();
  expect(started).toEqual([]);
});
