import { describe, expect, it } from 'vitest';
import type { StageContext } from '../../../src/planning/staging/stage-sources.js';
import { deriveUndoRun } from '../../../src/planning/undo/undo-run.js';
import { appendEntry } from '../../../src/store/audit/audit-log.js';
import { linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, NOW } from '../world.js';

/** Undoes a run that wrote the numbers of this many people. */
async function undo(people: number, { full = false, only = null }: { full?: boolean; only?: string | null } = {}) {
  const stores = openTestStores();
  const keys = Array.from({ length: people }, (_, at) => `E${at}`);
  for (const key of keys) {
    linkTo(stores, 'users', key, observedOf(`u-${key}`, { telephone: '2' }));
    appendEntry(stores.audit, {
      ...{ kind: 'change', change: `c-${key}`, entity: 'users', key, action: 'update', target: `u-${key}`, label: key },
      ...{ before: { telephone: '1' }, after: { telephone: '2' }, cause: { kind: 'changed', text: 'x' }, calls: [] },
      ...{ run: 'r1', at: NOW, approval: null, result: 'done', error: null, place: 'p' },
    });
  }
  stores.mirror.setMark('users.full_read_at', '2026-11-20T11:00:00.000Z');
  stores.mirror.setMark('users.cursor', '2026-11-20T11:00:00+00:00');
  const shown = keys.map((key) => ({ id: `u-${key}`, telephone: '2', deactivated: false }));
  const { context, calls } = contextOf({
    stores,
    shows: { 'users.search': [{ users: shown }], 'users.get': shown[0] },
  });
  const { config, refresh, protectedBy } = context;
  const tenant = {
    config,
    stores,
    clock: refresh.clock,
    mappers: {},
    refreshContext: refresh,
    protectedBy,
    stageContext: {} as StageContext,
  };
  const run = await deriveUndoRun(tenant, { full, only }, { run: 'r1', reason: '' });
  const plan = [...stores.work.inOrder('all')].map(({ key, after }) => `${key} ${String(after.telephone)}`);
  return { run, plan, calls: calls.filter((call) => call.startsWith('users')) };
}

describe('an undo', () => {
  it('reads its people one by one, or everybody if that takes fewer calls or is requested', async () => {
    expect((await undo(1)).calls).toEqual(['users.readChanges', 'users.get u-E0']);
    expect((await undo(2)).calls).toEqual(['users.search']);
    expect((await undo(1, { full: true })).calls).toEqual(['users.search']);
  });

  it('creates an ordinary plan in which all people were seen', async () => {
    const { run, plan } = await undo(2);
    expect(plan).toEqual(['E0 1', 'E1 1']);
    expect(run).toMatchObject({
      usersFresh: true,
      bulkLoad: null,
      guards: [],
      only: null,
      undoes: { run: 'r1', reason: '' },
      others: null,
    });
    expect(run.told).toMatchObject({ staged: [], stopped: [], unread: [] });
    const one = await undo(2, { only: 'user:E1' });
    expect([one.plan, one.run.only]).toEqual([['E1 1'], 'user:E1']);
  });
});
