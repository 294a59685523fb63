import { describe, expect, it } from 'vitest';
import { countCarriedOut } from '../../../src/apply/count-carried-out.js';
import { goInSteps } from '../../../src/base/clock.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Change, GuardTrip } from '../../../src/model/plan.js';
import { holdGuarded } from '../../../src/planning/holds/hold-guarded.js';
import { rememberHeld } from '../../../src/planning/holds/remember-held.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { NOW } from '../world.js';

const GUARDS = `guards: { users: { deactivate: { max: 3 }, update: { max: 3 }, create: off, fields: { title: { max: 1 }, '*': off } } }\n`;
const config = loadSample(`${SAMPLE}${GUARDS}`);
const HOUR = 3_600_000;
const later = (hours: number): string => new Date(Date.parse(NOW) + hours * HOUR).toISOString();

const addressOf = (key: string | undefined): string => `${key}@x.test`;

/** Plans changes of people by key; returns the held ones, each with its guard. */
async function derive(
  stores: Stores,
  changes: Readonly<Record<string, Partial<Change>>>,
  now = NOW,
  rows: readonly Parameters<typeof desiredOf>[] = [],
) {
  stores.work.reset();
  stores.work.stage(rows.map((row) => ({ desired: desiredOf(...row), hash: JSON.stringify(row) })));
  for (const [key, change] of Object.entries(changes)) {
    linkTo(stores, 'users', key, observedOf(`u-${key}`, { email: addressOf(key) }));
    stores.work.plan(changeOf('users', key, { target: `u-${key}`, ...change }));
  }
  const derivation = {
    ...{ leavers: { toAsk: () => [] }, staged: [], contextOf: () => '' },
    evidenceOf: () => ({ configurationChanged: false, rowsBefore: 3, rowsNow: 3 }),
  };
  const trips = await holdGuarded({ config, stores, now }, derivation);
  const held = [...stores.work.inOrder('all')].flatMap(({ key, withheld }) =>
    withheld === null ? [] : [`${key} ${withheld.name}`],
  );
  return { trips, held: held.toSorted() };
}

const leaving: Partial<Change> = { action: 'deactivate', reason: { kind: 'left', text: 'x' } };
const titled = (title: string): Partial<Change> => ({
  action: 'update',
  fields: ['title'],
  before: { title: 'A' },
  after: { title },
});
const peopleOf = (keys: readonly string[], change: Partial<Change>) =>
  Object.fromEntries(keys.map((key) => [key, change]));

type Read = Partial<{
  complete: boolean;
  rejected: number;
  failed: boolean;
  only: string;
  guards: readonly GuardTrip[];
}>;
async function remember(stores: Stores, read: Read = {}): Promise<void> {
  const { complete = true, rejected = 0, failed = false, only = null, guards = [] } = read;
  const evidence = { complete, rejected };
  const deciding = [{ source: 'hr', evidence: failed ? null : evidence, error: failed ? new Error('down') : null }];
  const derived = {
    only,
    guards,
    undoes: null,
    stopped: [],
    unread: [],
    staged: [{ entity: 'users', deciding, enriching: [] }],
  };
  await goInSteps(rememberHeld(stores, derived as never, { run: 'r1', at: NOW, mayEnd: only === null }), undefined);
}

function approve(stores: Stores, key: string, expiresAt = later(48)): void {
  const id = `a-${key}`;
  stores.history.approve([
    { id, guard: 'users.deactivate', changeId: `id-users-${key}`, who: 'ops', reason: '', at: NOW, expiresAt },
  ]);
  stores.heldChanges.release('users.deactivate', 'users', key, id);
}

describe('a change held by a guard', () => {
  const four = ['E1', 'E2', 'E3', 'E4'];

  it('stays held although the total falls below the limit', async () => {
    const stores = openTestStores();
    expect((await derive(stores, peopleOf(four, leaving))).held).toHaveLength(4);
    await remember(stores);
    const { trips, held } = await derive(stores, peopleOf(['E1'], leaving), later(1));
    expect(held).toEqual(['E1 users.deactivate']);
    expect(trips).toMatchObject([
      {
        guard: 'users.deactivate',
        held: 1,
        detail: expect.stringMatching(/^held since 2026-11-20 \(run r1\): not decided yet; /),
      },
    ]);
    expect((await derive(stores, peopleOf(['E5'], leaving), later(1))).held).toEqual([]);
  });

  it('stays held if its value changes, but only in that field', async () => {
    const stores = openTestStores();
    await derive(stores, peopleOf(['E1', 'E2'], titled('B')));
    await remember(stores);
    expect((await derive(stores, { E1: titled('C') })).held).toEqual(['E1 users.fields.title']);
    const named: Partial<Change> = { action: 'update', fields: ['name'], before: { name: 'x' }, after: { name: 'y' } };
    expect((await derive(stores, { E1: named })).held).toEqual([]);
  });

  it('is released by an approval, and held again once that has expired', async () => {
    const stores = openTestStores();
    await derive(stores, peopleOf(four, leaving));
    await remember(stores);
    approve(stores, 'E1', later(2));
    expect((await derive(stores, peopleOf(four, leaving), later(1))).held).toEqual(
      four.slice(1).map((key) => `${key} users.deactivate`),
    );
    // Its value has changed: the approval does not apply, and the guard counts it like any other.
    expect((await derive(stores, { E1: { ...leaving, id: 'other' } }, later(1))).held).toEqual([]);
    expect((await derive(stores, { E1: { ...leaving, id: 'other' } }, later(3))).held).toEqual(['E1 users.deactivate']);
  });

  const update = (...fields: readonly string[]): Partial<Change> => ({
    action: 'update',
    fields,
    after: { name: 'x' },
  });

  it('does not extend to fields that the guard has not held', async () => {
    const stores = openTestStores();
    const { trips } = await derive(stores, peopleOf(four, update('name')));
    expect(trips.map(({ guard }) => guard)).toEqual(['users.update']);
    await remember(stores, { guards: trips });
    const both = await derive(stores, { E1: update('name', 'telephone') });
    expect(both.held).toEqual(['E1 users.update']);
    await remember(stores, { guards: both.trips });
    expect((await derive(stores, { E1: update('telephone') })).held).toEqual([]);
    expect((await derive(stores, { E1: update('name', 'upn') })).held).toEqual(['E1 users.update']);
  });

  it('waits only with the fields that have slipped to other people', async () => {
    const stores = openTestStores();
    const all = [...four, 'E5'];
    for (const key of all) linkTo(stores, 'users', key, observedOf(`u-${key}`, { email: addressOf(key) }));
    /** People's newest rows, in which the first ones have the address of the next person. */
    const shift = (count: number, ...fields: readonly string[]) => {
      const emailAt = (at: number): string => addressOf(all[at < count ? (at + 1) % 5 : at]);
      return derive(
        stores,
        peopleOf(all.slice(0, 3), update(...fields)),
        NOW,
        all.map((key, at) => [key, { email: emailAt(at) }]),
      );
    };
    const first = await shift(5, 'email', 'telephone');
    expect(first.trips).toMatchObject([{ guard: 'users.shifted', held: 3, fields: ['email'] }]);
    await remember(stores, { guards: first.trips });
    const second = await shift(2, 'email', 'telephone');
    expect(second.trips).toMatchObject([{ detail: expect.stringMatching(/^held since/), held: 3, fields: ['email'] }]);
    await remember(stores, { guards: second.trips });
    expect(stores.heldChanges.fieldsOf('users.shifted')).toEqual(['email']);
    expect((await shift(0, 'telephone')).held).toEqual([]);
    expect((await derive(stores, { E1: update('email') })).held).toEqual(['E1 users.shifted']);
  });

  const ends: readonly (readonly [what: string, read: Read, planned: readonly string[], isForgotten: boolean])[] = [
    ['a complete read with nothing to do', {}, [], true],
    ['a complete read that still asks for it', {}, ['E1'], false],
    ['an incomplete read', { complete: false }, [], false],
    ['an unreadable source', { failed: true }, [], false],
    ['a damaged row', { rejected: 1 }, [], false],
    ['a run for one object', { only: 'user:E9' }, [], false],
  ];
  it.each(ends)('is kept or forgotten after %s', async (_what, read, planned, isForgotten) => {
    const stores = openTestStores();
    await derive(stores, peopleOf(four, leaving));
    await remember(stores);
    await derive(stores, peopleOf(planned, leaving));
    await remember(stores, read);
    expect(stores.heldChanges.all().some(({ key }) => key === 'E1')).toBe(!isForgotten);
  });
});

const UNDOES = { run: 'r0', changes: [], derived: false, records: [] };

describe('changes carried out without an approval', () => {
  const done = (
    stores: Stores,
    key: string,
    change: Partial<Change>,
    more: Partial<{ approval: string; at: string; entity: Entity }> = {},
  ): void =>
    stores.state.transaction(() =>
      countCarriedOut(stores, {
        change: changeOf(more.entity ?? 'users', key, { target: `u-${key}`, ...change }),
        ...{ approval: more.approval ?? null, run: 'r1', at: more.at ?? NOW },
      }),
    );

  const each = (stores: Stores, keys: string, ...more: readonly Partial<Change>[]): void => {
    for (const key of keys) for (const change of more) done(stores, key === 'E' ? 'E1' : `L${key}`, change);
  };
  const rows: readonly (readonly [what: string, act: (stores: Stores) => void, hours: number, held: number])[] = [
    ['count for a day', (s) => each(s, '123', leaving), 23, 1],
    ['do not count after a day', (s) => each(s, '123', leaving), 24, 0],
    ['count for a week if they reach three times the limit', (s) => each(s, '123456789', leaving), 100, 1],
    ['do not count after a week', (s) => each(s, '123456789', leaving), 168, 0],
    ['count an object once', (s) => each(s, '1', leaving, leaving, leaving), 1, 0],
    ['count a person whom this run would change once', (s) => each(s, '12E', leaving), 1, 0],
    ['do not count a person who is back', (s) => each(s, '123', leaving, { action: 'reactivate' }), 1, 0],
    ['do not count a manual link', (s) => each(s, '123', { ...leaving, reason: { kind: 'by_hand', text: 'x' } }), 1, 0],
    ['do not count an undo', (s) => each(s, '123', { ...leaving, undoes: UNDOES }), 1, 0],
    [
      'do not count approved changes',
      (s) => {
        for (const key of ['L1', 'L2', 'L3']) done(s, key, leaving, { approval: 'a by ops' });
      },
      ...([1, 0] as const),
    ],
  ];
  it.each(rows)('%s', async (_what, act, hours, held) => {
    const stores = openTestStores();
    act(stores);
    expect((await derive(stores, { E1: leaving }, later(hours))).held).toHaveLength(held);
  });

  it('stop counting when the field returns to its first value', async () => {
    const stores = openTestStores();
    done(stores, 'T1', titled('B'));
    expect((await derive(stores, { E1: titled('C') }, later(1))).held).toEqual(['E1 users.fields.title']);
    done(stores, 'T1', { ...titled('A'), before: { title: 'B' } });
    expect((await derive(stores, { E1: titled('C') }, later(1))).held).toEqual([]);
    expect(stores.carriedOut.list()).toEqual([]);
  });

  it('count for deactivations, but not for creates and adoptions of the first load', () => {
    const stores = openTestStores();
    done(stores, 'N1', { action: 'create', reason: { kind: 'joined', text: 'x' } });
    done(stores, 'N2', { ...titled('B'), reason: { kind: 'first_contact', text: 'x' } });
    done(stores, 'N3', leaving);
    expect(stores.carriedOut.list().map(({ what, key }) => `${key} ${what}`)).toEqual(['N3 deactivate']);
    stores.history.noteLoaded('users');
    done(stores, 'N1', { action: 'create', reason: { kind: 'joined', text: 'x' } });
    expect(stores.carriedOut.list().map(({ what, key }) => `${key} ${what}`)).toEqual(['N1 create', 'N3 deactivate']);
  });

  it('are compared with the larger number: at the start of the window or now', () => {
    const { carriedOut } = openTestStores();
    for (const [count, hours] of [
      [100, -30],
      [90, -20],
      [80, -1],
    ] as const)
      carriedOut.noteCount('users', count, later(hours));
    expect([-40, -30, -24, -10, 0].map((hours) => carriedOut.countAt('users', later(hours)))).toEqual([
      100, 100, 100, 90, 80,
    ]);
  });
});
