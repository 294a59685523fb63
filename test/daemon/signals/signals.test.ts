import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Signals } from '../../../src/daemon/signals/signals.js';
import type { SignalKind } from '../../../src/model/signal.js';

/** Signals of one tenant at moments in seconds, on a clock that goes from one moment to the next. */
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
  ['a file starts one a second later', [[0, 'file']], ['1: file of hr']],
  [
    'a push waits for five quiet seconds',
    [
      [0, 'push'],
      [4, 'push'],
    ],
    ['9: push of hr'],
  ],
  ['pushes without a pause wait for a minute at most', every(2, 0, 80, 'push'), ['60: push of hr', '85: push of hr']],
  [
    'signals of several kinds become one run',
    [
      [0, 'push'],
      [0.5, 'file'],
      [0.9, 'hook'],
    ],
    ['1.9: push of hr, file of hr, hook of hr'],
  ],
  ['a thousand hooks in a minute are one', every(0.1, 0, 60, 'hook'), ['60: hook of hr']],
  [
    'hooks that come one by one start no more than one in a minute',
    every(3, 0, 57, 'hook'),
    ['1: hook of hr', '61: hook of hr'],
  ],
  [
    'decisions wait for the last of them',
    [
      [0, 'approval'],
      [50, 'approval'],
      [100, 'approval'],
    ],
    ['160: approval'],
  ],
  [
    'an approval that is revoked starts none',
    [
      [0, 'approval'],
      [30, 'revoke'],
    ],
    [],
  ],
  [
    'one of two approvals that is revoked leaves the other',
    [
      [0, 'approval'],
      [10, 'approval'],
      [30, 'revoke'],
    ],
    ['70: approval'],
  ],
  [
    'what came with a revoked approval starts all the same',
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

test('a source that is asked for everybody is so once in ten minutes, unless people decide', async () => {
  const hooks = every(30, 0, 900, 'hook');
  expect(await play([...hooks, [620, 'approval']], 1_000, true)).toEqual([
    '1: hook of hr',
    '601: hook of hr',
    '680: approval, hook of hr',
  ]);
});

test('a run that another daemon has started counts as well, but for people', async () => {
  // The other one started a run after 20 s.
  const begin = (nowMs: number, apartMs: number) => Math.max(0, 20_000 + apartMs - nowMs);
  expect(await play([[25, 'hook']], 400, false, begin)).toEqual(['80: hook of hr']);
  expect(await play([[25, 'hook'], ...every(1, 30, 70, 'hook')], 400, false, begin)).toEqual(['80: hook of hr']);
  expect(await play([[25, 'file']], 400, false, begin)).toEqual(['30: file of hr']);
  expect(await play([[25, 'approval']], 400, true, begin)).toEqual(['85: approval']);
});

test('what is signalled after the end starts nothing', async () => {
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
