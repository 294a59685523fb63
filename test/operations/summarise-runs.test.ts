import { expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { summariseRuns } from '../../src/operations/summarise-runs.js';
import { openTestStores } from '../samples.js';

it('counts what a person still has to settle as held', () => {
  const stores = openTestStores();
  const [startedAt, endedAt] = ['2026-11-20T08:00:00.000Z', '2026-11-20T08:00:09.000Z'];
  const acknowledged = { who: 'jane', reason: 'known', until: null, at: startedAt };
  const held = [
    { code: 'SYNC_MAP_VALUE', count: 2 },
    { code: 'SYNC_MAP_VALUE', acknowledged },
    { code: 'SYNC_UNDONE_PINNED' },
  ];
  const guards = [
    { guard: 'users.deactivate', held: 5 },
    { guard: 'users.update', held: 7, acknowledged },
    { guard: 'users.create', held: 9, declined: { id: 'd1' } },
  ];
  stores.history.startRun({ id: 'r1', command: 'sync', startedAt, configDigest: 'c' });
  const result = JSON.stringify({ done: 1, held, conflicts: [{}], guards });
  stores.history.endRun('r1', { endedAt, plan: null, exitCode: 3, result });
  const { runs } = summariseRuns({ sources: {} } as unknown as Config, stores, { before: null, limit: 5 });
  expect(runs).toMatchObject([{ id: 'r1', done: 1, held: 2 + 1 + 5 }]);
});
