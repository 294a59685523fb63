import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Change, ReasonKind } from '../../../src/model/plan.js';
import { holdGuarded } from '../../../src/planning/holds/hold-guarded.js';
import type { CauseEvidence } from '../../../src/reconcile/guard-cause.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { changeOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { NOW, rowOf } from '../world.js';

const config = loadSample(`${SAMPLE}guards: { users: { deactivate: { max: 1 } } }\n`);

interface Asked {
  readonly toAsk?: readonly ReasonKind[];
  readonly evidence?: Partial<CauseEvidence>;
  /** The number under the earlier configuration. */
  readonly before?: number;
  readonly isUndo?: boolean;
}

async function guard(stores: Stores, { toAsk = [], evidence = {}, before, isUndo = false }: Asked = {}) {
  const derivation = {
    ...{ leavers: { toAsk: () => toAsk }, staged: [], contextOf: () => '', isUndo },
    evidenceOf: () => ({ configurationChanged: false, rowsBefore: 3, rowsNow: 3, ...evidence }),
  };
  const previewed: string[] = [];
  const preview = async () => (name: string, now: number) => {
    previewed.push(name);
    return { before: before ?? null, now, paths: ['users.scope'], run: 'r1' };
  };
  const trips = await holdGuarded({ config, stores, now: NOW }, derivation, before === undefined ? null : preview);
  const held = [...stores.work.inOrder('all')].flatMap(({ key, withheld }) =>
    withheld === null ? [] : [`${key} ${withheld.name}`],
  );
  return { trips, held: held.toSorted(), previewed };
}

/** A plan with one change per key. */
function plan(changes: Readonly<Record<string, Partial<Change>>>, entity: Entity = 'users'): Stores {
  const stores = openTestStores();
  for (const [key, change] of Object.entries(changes)) {
    linkTo(stores, entity, key, observedOf(`u-${key}`));
    stores.work.plan(changeOf(entity, key, { target: `u-${key}`, ...change }));
  }
  return stores;
}
const leaving = (kind: ReasonKind): Partial<Change> => ({ action: 'deactivate', reason: { kind, text: 'x' } });
const approve = (stores: Stores, ...changes: readonly string[]): void =>
  stores.history.approve(
    changes.map((changeId) => ({
      ...{ id: `a-${changeId}`, guard: 'x', changeId, who: 'ops', reason: '', at: NOW },
      expiresAt: '2026-11-21T12:00:00.000Z',
    })),
  );

describe('leavers caused by an edit of the configuration', () => {
  const people = { E1: leaving('out_of_scope'), E2: leaving('absent_since_edit'), E3: leaving('left') };

  it('need approval under any limit if they must be asked about, while others are counted', async () => {
    const { trips, held } = await guard(plan(people), { toAsk: ['out_of_scope', 'absent_since_edit'] });
    expect(trips.map(({ guard: name, limit, found, held: count }) => [name, limit, found, count])).toEqual([
      ['users.absent_since_edit', 0, 1, 1],
      ['users.out_of_scope', 0, 1, 1],
    ]);
    expect(trips.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('they have been missing since the first read after the source'),
      expect.stringContaining('they are in the source, but out of scope since the scope or the source was edited'),
    ]);
    expect(held).toEqual(['E1 users.out_of_scope', 'E2 users.absent_since_edit']);
  });

  it('are counted like others if nothing must be asked, and go through once approved', async () => {
    expect((await guard(plan(people))).trips.map(({ guard: name }) => name)).toEqual(['users.deactivate']);
    const stores = plan(people);
    approve(stores, 'id-users-E1', 'id-users-E2');
    const { trips, held } = await guard(stores, { toAsk: ['out_of_scope', 'absent_since_edit'] });
    expect([trips, held]).toEqual([[], []]);
    expect([...stores.work.inOrder('all')].find(({ key }) => key === 'E1')?.approval).toBe(
      'a-id-users-E1 by ops: no reason given',
    );
  });
});

describe('old keys that are missing since an edit of the configuration', () => {
  const relink: Partial<Change> = { action: 'relink', reason: { kind: 'relinked_since_edit', text: 'x' } };
  const renumbered = (keys: readonly string[], fresh: readonly string[], entity: Entity = 'users'): Stores => {
    const stores = plan(Object.fromEntries(keys.map((key) => [key, relink])), entity);
    for (const key of fresh) stores.work.stage([{ desired: { ...rowOf(key), entity }, hash: 'h' }]);
    return stores;
  };

  it('need approval of who takes over which object', async () => {
    const { trips, held } = await guard(renumbered(['E1', 'E2'], ['N1', 'N2']));
    expect(trips).toEqual([
      {
        ...{ guard: 'users.relink', limit: 0, found: 2, held: 2, cause: 'keys renumbered' },
        detail: '2 of 2 keys are new; all 2 match accounts whose keys are gone',
      },
    ]);
    expect(held).toEqual(['E1 users.relink', 'E2 users.relink']);
    const some = await guard(renumbered(['E1'], ['N1', 'N2', 'N3']));
    expect(some.trips[0]?.detail).toBe('3 of 3 keys are new; 1 of them match accounts whose keys are gone');
    const objects = await guard(renumbered(['C1'], ['N1'], 'customers'));
    expect(objects.trips).toMatchObject([
      { guard: 'customers.relink', detail: '1 of 1 key is new; all 1 match objects whose keys are gone' },
    ]);
  });

  it('are reported with another cause if the configuration was edited or a run is undone', async () => {
    const edited = await guard(renumbered(['E1'], ['N1']), { evidence: { configurationChanged: true } });
    expect(edited.trips).toMatchObject([
      { cause: 'configuration changed', detail: expect.stringContaining('they have been missing since') },
    ]);
    const undone = await guard(renumbered(['E1'], ['N1']), { evidence: { undoes: 'r7' } });
    expect(undone.trips[0]?.cause).not.toBe('keys renumbered');
  });
});

describe('records that look the same', () => {
  const suspect = (stores: Stores, entity: Entity, key: string, other: string): void =>
    stores.work.suspect(`${entity}:${key}`, {
      entity,
      key,
      place: 'p',
      code: 'SYNC_SAME_PERSON',
      reason: `as ${other}`,
      remedy: 'Look.',
    });

  it('need approval, with the evidence of each pair', async () => {
    const stores = plan({ E1: { action: 'create' }, E2: { action: 'update' } });
    suspect(stores, 'users', 'E1', 'E8');
    suspect(stores, 'users', 'E1', 'E9');
    const { trips, held } = await guard(stores);
    expect(trips).toEqual([
      {
        ...{ guard: 'users.same_person', limit: 0, found: 1, held: 1, cause: 'real events' },
        detail:
          'a leaver and a joiner look like one person under another key or address; each pair is listed with the held records',
        remedy: expect.stringContaining('holds resolve --guard users.same_person --new --reason'),
      },
    ]);
    expect(held).toEqual(['E1 users.same_person']);
    expect(stores.work.holdCount()).toBe(2);
    const customers = plan({ C1: { action: 'create' } }, 'customers');
    suspect(customers, 'customers', 'C1', 'C8');
    expect((await guard(customers)).trips).toMatchObject([
      {
        guard: 'customers.look_alike',
        cause: 'real events',
        detail: expect.stringMatching(/^new records look like linked/),
      },
    ]);
  });

  it('are neither held nor reported once approved', async () => {
    const stores = plan({ E1: { action: 'create' } });
    suspect(stores, 'users', 'E1', 'E8');
    approve(stores, 'id-users-E1');
    expect(await guard(stores)).toMatchObject({ trips: [], held: [] });
    expect(stores.work.holdCount()).toBe(0);
  });
});

describe('values that inactive accounts would give up', () => {
  it('need approval', async () => {
    const { trips, held } = await guard(
      plan({ E1: { action: 'update', reason: { kind: 'freed', text: 'x' } }, E2: { action: 'update' } }),
    );
    expect(trips).toEqual([
      {
        ...{ guard: 'users.free_value', limit: 0, found: 1, held: 1, cause: 'real events' },
        detail:
          'another person is given an address or id of a deactivated account; each is listed with the held changes',
      },
    ]);
    expect(held).toEqual(['E1 users.free_value']);
    expect((await guard(plan({ E2: { action: 'update' } }))).trips).toEqual([]);
  });
});

describe('a preview under the earlier configuration', () => {
  const people = { E1: leaving('left'), E2: leaving('left'), E3: leaving('left') };

  it('is requested and reported if a guard trips under an edited configuration', async () => {
    const { trips, previewed } = await guard(plan(people), { evidence: { configurationChanged: true }, before: 0 });
    expect(previewed).toEqual(['users.deactivate']);
    expect(trips).toMatchObject([
      {
        ...{ guard: 'users.deactivate', found: 3, cause: 'configuration changed' },
        preview: { before: 0, now: 3, paths: ['users.scope'], run: 'r1' },
      },
    ]);
  });

  it('is not requested if no guard trips or the configuration is the same', async () => {
    const same = await guard(plan(people), { before: 0 });
    expect([same.previewed, same.trips[0]]).toEqual([[], expect.not.objectContaining({ preview: expect.anything() })]);
    const fine = await guard(plan({ E1: leaving('left') }), { evidence: { configurationChanged: true }, before: 0 });
    expect([fine.previewed, fine.trips]).toEqual([[], []]);
    const alone = await guard(plan(people), { evidence: { configurationChanged: true } });
    expect(alone.trips[0]).not.toHaveProperty('preview');
  });
});
