import { describe, expect, it } from 'vitest';
import { changeOf, desiredOf, openTestStores } from '../../samples.js';

/** Planned because a record refers to it. */
const NAMED = { reason: { kind: 'referenced', text: 'a record refers to it' } } as const;

describe('the planned changes', () => {
  function planned(edges: Readonly<Record<string, readonly string[]>>) {
    const { work } = openTestStores();
    for (const [key, needs] of Object.entries(edges))
      work.plan(changeOf('users', key, { needs: needs.map((need) => `users:${need}`) }));
    return work;
  }
  const order = (work: ReturnType<typeof planned>) =>
    [...work.inOrder('all')].map(({ key, stage }) => [key, stage % 1000]);

  it('get levels for a chain and a diamond', () => {
    const work = planned({ a: ['b'], b: ['c'], c: [], top: ['left', 'right'], left: ['c'], right: [] });
    expect(work.level('users')).toEqual([]);
    expect(order(work)).toEqual([
      ['c', 0],
      ['right', 0],
      ['b', 1],
      ['left', 1],
      ['a', 2],
      ['top', 2],
    ]);
  });

  it('report a circle, but not the changes that only wait for it', () => {
    const work = planned({ a: ['b'], b: ['c'], c: ['a'], waits: ['a'], later: ['waits'], free: [], chain: ['free'] });
    expect([...work.level('users')].toSorted()).toEqual(['users:a', 'users:b', 'users:c']);
    for (const key of ['a', 'b', 'c', 'waits', 'later']) work.unplan(`users:${key}`);
    expect(work.level('users')).toEqual([]);
    expect(order(work)).toEqual([
      ['free', 0],
      ['chain', 1],
    ]);
    expect(planned({ self: ['self'] }).level('users')).toEqual(['users:self']);
  });

  it('are ordered so that entities come before those that refer to them', () => {
    const { work } = openTestStores();
    for (const entity of ['projects', 'users', 'offices', 'customers', 'tags', 'tag_categories'] as const)
      work.plan(changeOf(entity, 'k'));
    expect([...work.inOrder('all')].map(({ entity }) => entity)).toEqual([
      'offices',
      'tag_categories',
      'tags',
      'users',
      'customers',
      'projects',
    ]);
    expect([...work.plannedOf('users')].length).toBe(1);
  });

  it('are withheld if they need a withheld change, to any depth, and name it', () => {
    const work = planned({ root: [], child: ['root'], grandchild: ['child'], free: [] });
    work.plan(changeOf('users', 'root', { action: 'deactivate' }));
    expect(work.withhold('users', 'deactivate', { by: 'guard', name: 'users.deactivate' })).toBe(1);
    work.propagateWithheld();
    const withheld = [...work.inOrder('all')].map(({ key, withheld: why }) => [key, why?.by, why?.name]).toSorted();
    expect(withheld).toEqual([
      ['child', 'blocked', 'users:root'],
      ['free', undefined, undefined],
      ['grandchild', 'blocked', 'users:child'],
      ['root', 'guard', 'users.deactivate'],
    ]);
    expect([...work.inOrder('applicable')].map(({ key }) => key)).toEqual(['free']);
    expect([work.count('all'), work.count('applicable')]).toEqual([4, 1]);
  });

  it('include an office in what is withheld only if no free change needs it', () => {
    const { work } = openTestStores();
    for (const name of ['both', 'waits']) work.plan(changeOf('offices', name, NAMED));
    work.plan(changeOf('users', 'free', { needs: ['offices:both'] }));
    work.plan(changeOf('users', 'held', { action: 'update', needs: ['offices:both', 'offices:waits'] }));
    work.withhold('users', 'update', { by: 'guard', name: 'users.update' });
    work.propagateWithheld();
    expect([...work.inOrder('applicable')].map(({ key }) => key)).toEqual(['both', 'free']);
    const [waits] = [...work.inOrder('all')].filter(({ key }) => key === 'waits');
    expect(waits?.withheld).toEqual({ by: 'blocked', name: 'users:held' });
  });

  it('are not counted while they are paused, or while they need a paused change', () => {
    const { work } = openTestStores();
    for (const name of ['both', 'rests']) work.plan(changeOf('offices', name, NAMED));
    work.plan(changeOf('users', 'free', { needs: ['offices:both'] }));
    work.plan(changeOf('users', 'asks', { action: 'deactivate' }));
    work.plan(changeOf('users', 'rests', { needs: ['offices:both', 'offices:rests'] }));
    work.plan(changeOf('courses', 'child', { needs: ['users:rests', 'users:asks'] }));
    work.plan(changeOf('courses', 'other', { needs: ['users:asks'] }));
    work.pause('users:rests', 'its next try after noon');
    work.withhold('users', 'deactivate', { by: 'guard', name: 'users.deactivate' });
    work.propagateWithheld();
    expect(work.counts('unpaused')).toEqual({
      offices: { create: 1 },
      users: { create: 1, deactivate: 1 },
      courses: { create: 1 },
    });
    expect([work.count('all'), work.countWaiting()]).toEqual([7, 2]);
  });

  it('lose an office, tag or category that no planned change needs, to any depth, but not a person', () => {
    const { work } = openTestStores();
    work.plan(changeOf('tag_categories', 'unit', NAMED));
    work.plan(changeOf('tags', 'unit/north', { ...NAMED, needs: ['tag_categories:unit'] }));
    work.plan(changeOf('offices', 'no/oslo', NAMED));
    work.plan(changeOf('users', 'a', { needs: ['tags:unit/north'] }));
    work.plan(changeOf('users', 'b', { needs: ['offices:no/oslo'] }));
    work.unplan('users:a');
    work.dropUnneeded();
    expect([...work.inOrder('all')].map(({ key }) => key)).toEqual(['no/oslo', 'b']);
  });

  it('are counted and withheld by a guard only if they are not approved', () => {
    const work = planned({ a: [], b: [], c: [] });
    work.approveId('id-users-a', 'a1 by ops: why');
    expect(work.countUnapproved('users', 'create')).toBe(2);
    expect(work.withhold('users', 'create', { by: 'guard', name: 'users.create' })).toBe(2);
    expect([...work.inOrder('applicable')].map(({ key, approval }) => [key, approval])).toEqual([
      ['a', 'a1 by ops: why'],
    ]);
  });

  it('are reduced by keepOnly to the chosen ones and everything these need', () => {
    const work = planned({ wanted: ['need'], need: ['deep'], deep: [], above: ['wanted'], other: [] });
    work.keepOnly(({ key }) => key === 'wanted');
    expect([...work.inOrder('all')].map(({ key }) => key).toSorted()).toEqual(['deep', 'need', 'wanted']);
  });

  it('are wanted if they were requested and are not withheld', () => {
    const work = planned({ a: [], b: [], c: [] });
    work.plan(changeOf('users', 'b', { action: 'update' }));
    work.withhold('users', 'update', { by: 'guard', name: 'users.update' });
    work.want(['id-users-a', 'id-users-b', 'unknown']);
    expect([...work.inOrder('wanted')].map(({ key }) => key)).toEqual(['a']);
    expect(work.counts()).toEqual({ users: { create: 2, update: 1 } });
  });

  it('are not wanted if they need a change that was not requested, to any depth', () => {
    const work = planned({ a: ['b'], b: ['c'], c: [], d: ['a'], e: ['unplanned'] });
    work.want(['id-users-a', 'id-users-b', 'id-users-d', 'id-users-e']);
    expect([...work.inOrder('wanted')].map(({ key }) => key)).toEqual(['e']);
  });

  it('are empty at the start of the next run', () => {
    const work = planned({ a: ['b'], b: [] });
    work.stage([{ desired: desiredOf('x'), hash: 'h' }]);
    work.hold({ entity: 'users', key: 'x', place: 'p', code: 'c', reason: 'r', remedy: 'm' });
    work.claim('users.email', 'a@x.test', 'x');
    work.reset();
    expect([
      work.count('all'),
      work.holdCount(),
      work.isStaged('users', 'x'),
      work.claimants('users.email', 'a@x.test'),
    ]).toEqual([0, 0, false, []]);
  });

  it('page through 1,201 changes and agreements in order, and list 1,000 holds of one cause and one for the rest', () => {
    const { work } = openTestStores();
    const keys = Array.from({ length: 1_201 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    work.together(() => {
      for (const key of keys) {
        work.plan(changeOf('users', key));
        work.hold({ entity: 'users', key, place: 'p', code: 'c', reason: 'r', remedy: 'm' });
        work.agree({ entity: 'users', key, base: { name: key }, written: {}, desiredHash: 'd', observedHash: 'o' });
      }
    });
    expect([...work.inOrder('all')].map(({ key }) => key)).toEqual(keys);
    expect([...work.plannedOf('users')].map(({ key }) => key)).toEqual(keys);
    const listed = [...work.holds()];
    expect(listed.map(({ key }) => key)).toEqual([...keys.slice(0, 1_000), '*']);
    expect(listed.at(-1)).toMatchObject({
      entity: 'users',
      code: 'c',
      count: 201,
      reason: expect.stringContaining(
        '201 more are held for the same cause and not listed individually, such as k1000, k1001, k1002.',
      ),
    });
    expect(work.holdsOf('users', 'k1200')).toMatchObject([{ key: 'k1200', reason: 'r' }]);
    expect(work.holdCount()).toBe(1_201);
    expect([...work.certainPairs()].flat().map(({ key }) => key)).toEqual(keys);
  });
});
