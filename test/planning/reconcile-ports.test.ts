import { describe, expect, it } from 'vitest';
import { createReconcilePorts } from '../../src/planning/reconcile-ports.js';
import type { LeaverVerdict } from '../../src/reconcile/ports.js';
import type { Stores } from '../../src/store/open-stores.js';
import { changeOf, desiredOf, directoryOf, linkTo, type Names, observedOf, openTestStores } from '../samples.js';
import { NOW } from './world.js';

const NOBODY: LeaverVerdict = { due: false, text: 'x' };
const ago = (days: number, ms = 0): string => new Date(Date.parse(NOW) - days * 86_400_000 + ms).toISOString();

function open(stores: Stores = openTestStores(), names: Names = {}) {
  const judge = () => NOBODY;
  return createReconcilePorts({
    ...{ stores, directory: directoryOf(names), contextOf: () => 'c', now: NOW, timezone: 'UTC', existence: 'hr' },
    leavers: { explicit: judge, gone: judge, absent: judge, outOfScope: judge },
    ...{
      protectedBy: () => null,
      pins: () => [],
      unownedProof: () => null,
      isDoubted: () => false,
      lackOf: () => null,
    },
  });
}

describe('the ports of reconciliation', () => {
  it.each<readonly [who: string, origin: 'created' | 'adopted', at: string, isRecent: boolean]>([
    ['we created a month ago', 'created', ago(30), true],
    ['we created longer ago', 'created', ago(30, -1), false],
    ['we created today', 'created', NOW, true],
    ['was matched today', 'adopted', NOW, false],
  ])('treat an account that %s as a recent one: %s', (_who, origin, at, isRecent) => {
    const stores = openTestStores();
    stores.links.link({ entity: 'users', sourceKey: 'E1', serviceId: 'u1', origin, run: 'r1', at });
    expect(open(stores).isRecent('u1')).toBe(isRecent);
    expect(open(stores).isRecent('u9')).toBe(false);
  });

  it('return what is known of a link, and null without one', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1'));
    stores.links.remember('users', 'E1', { name: 'Jane' });
    const { memory } = open(stores);
    expect(memory.link('users', 'E1')).toEqual({
      serviceId: 'u1',
      base: null,
      written: { name: 'Jane' },
      untaken: {},
      was: null,
    });
    expect(memory.link('users', 'E2')).toBeNull();
  });

  it('treat a change as approved until the approval expires', () => {
    const stores = openTestStores();
    const of = { guard: 'x', who: 'ops', reason: 'y', at: ago(1) };
    stores.history.approve([
      { ...of, id: 'a1', changeId: 'c1', expiresAt: ago(-1) },
      { ...of, id: 'a2', changeId: 'c2', expiresAt: NOW },
    ]);
    const { memory } = open(stores);
    expect(['c1', 'c2', 'c3'].map(memory.isApproved)).toEqual([true, false, false]);
  });

  it('treat an agreed name as unseen until the lists were read a second time', () => {
    const isUnseen = (round: number) => {
      const stores = openTestStores();
      linkTo(stores, 'users', 'E1', observedOf('u1'));
      stores.links.restore('users', 'E1', { office: { country: 'no', name: 'Oslo' }, tags: { unit: 'north' } });
      for (const entity of ['offices', 'tags']) stores.mirror.setMark(`${entity}.round`, String(round));
      const { service } = open(stores);
      return [
        service.isUnseen('offices', 'no', 'Oslo'),
        service.isUnseen('offices', 'no', 'Lund'),
        service.isUnseen('tags', 'unit', 'north'),
        service.isUnseen('tags', 'unit', 'south'),
      ];
    };
    expect(isUnseen(1)).toEqual([true, false, true, false]);
    expect(isUnseen(2)).toEqual([false, false, false, false]);
  });

  it('treat a name in the mirror as unseen if the newest list does not show it', () => {
    const stores = openTestStores();
    stores.mirror.save([observedOf('o:no/oslo', { country: 'no', name: 'Oslo' }, { entity: 'offices' })], 2);
    const isUnseen = (round: number) => {
      stores.mirror.setMark('offices.round', String(round));
      return open(stores, { offices: ['no/Oslo'] }).service.isUnseen('offices', 'no', 'Oslo');
    };
    expect([2, 3].map(isUnseen)).toEqual([false, true]);
  });

  it('list people who left long enough ago and are still inactive', () => {
    const stores = openTestStores();
    for (const [key, days] of [
      ['E1', 31],
      ['E2', 30],
      ['E3', 29],
    ] as const) {
      linkTo(stores, 'users', key, observedOf(`u-${key}`, {}, { active: false }));
      stores.departures.remember({ key, serviceId: `u-${key}`, run: 'r1', at: ago(days), stamp: null });
    }
    expect([...open(stores).memory.dueDepartures(30 * 86_400_000)].map(({ key }) => key)).toEqual(['E1', 'E2']);
  });

  it('show an object with the current name of its office', () => {
    const stores = openTestStores();
    stores.mirror.save(
      [
        observedOf('o1', { country: 'no', name: 'Bergen' }, { entity: 'offices' }),
        observedOf('u1', { office_id: 'o1', office: { country: 'no', name: 'Oslo' }, email: 'Jane@X.test' }),
      ],
      1,
    );
    const { service } = open(stores);
    expect(service.observed('users', 'u1')?.values.office).toEqual({ country: 'no', name: 'Bergen' });
    expect(service.observed('users', 'u9')).toBeNull();
    expect(service.findIds('users', 'email', 'JANE@x.test')).toEqual(['u1']);
  });

  it('add a need to its change once and in order, and none to an unknown change', () => {
    const stores = openTestStores();
    for (const key of ['E1', 'E2', 'E3'])
      stores.work.plan(changeOf('users', key, { needs: key === 'E1' ? ['users:E3'] : [] }));
    const { plan } = open(stores);
    const needs = () => stores.work.planned('users:E1')?.needs;
    plan.addNeed('users:E1', 'users:E2');
    expect(needs()).toEqual(['users:E2', 'users:E3']);
    plan.addNeed('users:E1', 'users:E2');
    expect(needs()).toEqual(['users:E2', 'users:E3']);
    plan.replaceNeed('users:E1', 'users:E3', 'offices:O1');
    expect(needs()).toEqual(['offices:O1', 'users:E2']);
    plan.replaceNeed('users:E1', 'offices:O1', null);
    expect(needs()).toEqual(['users:E2']);
    plan.addNeed('users:E9', 'users:E2');
    plan.replaceNeed('users:E9', 'users:E2', 'users:E3');
    expect(stores.work.isPlanned('users:E9')).toBe(false);
  });

  it('remember agreed values with what was written, but nothing written to another object', () => {
    const agree = (linkedId: string) => {
      const stores = openTestStores();
      linkTo(stores, 'users', 'E1', observedOf('u1', { name: 'Jane' }));
      const candidate = {
        ...{ desired: desiredOf('E1', { name: 'Jane' }), linkedId, desiredHash: 'h' },
        ...{ base: null, written: { tags: { unit: 'north' } }, untaken: {}, agreedHash: null },
      } as unknown as Parameters<ReturnType<typeof open>['memory']['agree']>[0];
      open(stores).memory.agreeInPart(candidate, observedOf('u1', { name: 'Jane' }), { name: 'Jane' });
      return [...stores.work.certainPairs()].flat().map(({ agreed }) => agreed);
    };
    expect(agree('u1')).toMatchObject([
      { key: 'E1', base: { name: 'Jane' }, written: { tags: { unit: 'north' } }, observedHash: '' },
    ]);
    expect(agree('u2')).toMatchObject([{ key: 'E1', base: { name: 'Jane' }, written: {} }]);
  });
});
