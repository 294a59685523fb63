import { describe, expect, it } from 'vitest';
import { forgetMoved, holdPaused } from '../../../src/planning/holds/hold-paused.js';
import { changeOf, openTestStores } from '../../samples.js';

const NOW = '2026-11-20T12:00:00.000Z';

/** A change of E1 that the service rejected, and the change that is planned now. */
function open({ id = 'c1', nextAt = '2026-11-20T13:30:00.000Z' } = {}) {
  const stores = openTestStores();
  const refused = { entity: 'users', key: 'E1', changeId: 'c1', firstAt: '2026-11-18T08:15:30.000Z' } as const;
  stores.refusals.save({ ...refused, nextAt, lastAt: NOW, times: 4, message: 'email is taken' });
  for (const key of ['E1', 'E2']) stores.work.plan(changeOf('users', key, { id: key === 'E1' ? id : key }));
  return stores;
}

describe('a change that was rejected repeatedly', () => {
  it('waits for its next try and says so, while the others continue', () => {
    const stores = open();
    holdPaused(stores, NOW);
    expect([...stores.work.inOrder('applicable')].map(({ key }) => key)).toEqual(['E2']);
    expect([...stores.work.inOrder('all')].map(({ withheld }) => withheld?.name ?? null)).toEqual([
      'its next try after 2026-11-20 13:30 UTC',
      null,
    ]);
    expect([...stores.work.holds()]).toMatchObject([
      {
        ...{ entity: 'users', key: 'E1', place: 'hr employees.csv:2', code: 'SYNC_CHANGE_PAUSED' },
        reason: 'Rejected 4 times since 2026-11-18 08:15 UTC, next try after 2026-11-20 13:30 UTC: email is taken',
        remedy: expect.stringContaining('`sync --only`'),
      },
    ]);
  });

  it.each([
    ['it has become another change', { id: 'c2' }],
    ['its time has come', { nextAt: NOW }],
  ])('is tried immediately: %s', (_why, how) => {
    const stores = open(how);
    holdPaused(stores, NOW);
    expect(stores.work.count('applicable')).toBe(2);
    expect(stores.work.holdCount()).toBe(0);
  });

  it('is forgotten once a run that looked does not derive it', () => {
    const left = (id: string, ...stopped: readonly ('users' | 'offices')[]) => {
      const stores = open({ id });
      forgetMoved(
        stores,
        stopped.map((entity) => ({ entity })),
      );
      return stores.refusals.all().length;
    };
    expect([left('c1'), left('c2'), left('c2', 'offices'), left('c2', 'users')]).toEqual([1, 0, 0, 1]);
  });
});
