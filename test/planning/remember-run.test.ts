import { describe, expect, it } from 'vitest';
import type { DerivedRun } from '../../src/planning/derived-run.js';
import { rememberRun } from '../../src/planning/remember-run.js';
import { loadSample } from '../config/sample.js';
import { evidenceOf, openTestStores } from '../samples.js';
import { NOW, readOf, stagedOf } from './world.js';

const HOLD = { entity: 'users', key: 'E1', place: 'p', code: 'SYNC_MAP_VALUE', reason: 'r', remedy: 'm' } as const;
const GUARD = { name: 'users.create', id: 'guard-1', kind: 'guard', entity: 'users.create' } as const;
const WAITS = { ...GUARD, key: null, code: null, body: null, cause: 'x', resolve: 'y', count: 1 };

/** Acknowledges a hold, a guard and a hold that is gone. Returns what is still acknowledged after the run. */
async function known(derived: Partial<DerivedRun> = {}) {
  const stores = openTestStores();
  stores.work.hold(HOLD);
  const [held] = [...stores.work.holds()];
  for (const _step of stores.waiting.record('', [WAITS], { now: NOW, lapses: null, isUnseen: () => false }));
  for (const hold of [held?.id ?? '', 'guard-1', 'gone'])
    stores.acknowledgements.acknowledge({
      hold,
      entity: 'users',
      key: 'E1',
      who: 'ops',
      reason: 'known',
      until: null,
      at: NOW,
    });
  const refused = { entity: 'users', key: 'E9', changeId: 'c9', firstAt: NOW, lastAt: NOW, nextAt: NOW } as const;
  stores.refusals.save({ ...refused, times: 1, message: 'no' });
  const saved: unknown[] = [];
  const run = {
    ...{
      staged: [stagedOf('users', readOf('hr'))],
      stopped: [],
      unread: [],
      usersFresh: true,
      only: null,
      undoes: null,
    },
    ...{ guards: [], leavers: { save: (of: unknown) => void saved.push(of) } },
    ...derived,
  } as unknown as DerivedRun;
  const tenant = { stores, config: loadSample(), deciding: {}, refreshContext: { signal: undefined } };
  await rememberRun(tenant, 'r1', run, NOW);
  const all = stores.acknowledgements.all();
  return { isGone: !all.includes('gone'), others: all.length - (all.includes('gone') ? 1 : 0), saved, run, stores };
}
const read = (more: object) => [stagedOf('users', readOf('hr', { evidence: evidenceOf(more) }))];

describe('the conclusions of a run', () => {
  it('are remembered: the run itself and its rejected changes', async () => {
    const { saved, run, stores } = await known();
    expect(saved).toEqual([run]);
    expect(stores.refusals.all()).toEqual([]);
  });

  it('end the acknowledgement of a hold that is gone, and keep one of a pending item', async () => {
    expect(await known()).toMatchObject({ isGone: true, others: 2 });
    expect(await known({ staged: read({ complete: false, partial: true }) })).toMatchObject({
      isGone: true,
      others: 2,
    });
  });

  it.each<readonly [why: string, derived: Partial<DerivedRun>]>([
    ['a source was not read completely', { staged: read({ complete: false }) }],
    ['a source failed', { staged: [stagedOf('users', readOf('hr', { evidence: null }))] }],
    ['the account was not read completely', { usersFresh: false }],
    ['something was left alone', { stopped: [{ entity: 'users', error: {} as never }] }],
    ['the service rejected a read', { unread: [{ area: 'cvs', leftAlone: [], error: {} as never }] }],
    ['one object was asked for', { only: 'user:E1' }],
    ['a run was undone', { undoes: { run: 'r1', reason: '' } }],
  ])('keep an acknowledgement if %s, since nobody knows if the hold is gone', async (_why, derived) => {
    expect(await known(derived)).toMatchObject({ isGone: false, others: 2 });
  });

  it('keep the rejected changes of other objects after a run of one object', async () => {
    expect((await known({ only: 'user:E1' })).stores.refusals.all()).toHaveLength(1);
  });
});
