import { expect, it } from 'vitest';
import type { MergedLink } from '../../../src/model/desired.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { desiredOf, observedOf } from '../../samples.js';
import { createFakePorts, NO_PARKING, settingsOf } from '../fake-ports.js';

const object = (id: string) => observedOf(id, { project_name: id }, { entity: 'projects' });
const listed = (key: string) => desiredOf(key, { project_name: key }, { entity: 'projects' });

/** The outcome for the records that a source lists, of which `a` and `b` have objects. */
function reconcileMerges(keys: readonly string[], merges: readonly MergedLink[]) {
  const links: Readonly<Record<string, string>> = { 'projects:a': 'o1', 'projects:b': 'o2' };
  const fake = createFakePorts({ desired: keys.map(listed), observed: [object('o1'), object('o2')], links });
  const ports = {
    ...fake,
    sources: { ...fake.sources, merges: () => merges },
    memory: {
      ...fake.memory,
      link: (entity: string, key: string) => {
        const serviceId = links[`${entity}:${key}`];
        return serviceId === undefined ? null : { serviceId, base: null, written: null, was: null };
      },
    },
  };
  reconcileEntity({ ...settingsOf(), entity: 'projects', ...NO_PARKING }, ports);
  return {
    changes: fake.changes().map(({ action, key, target }) => `${action} ${key} ${target}`),
    created: fake.changes().filter(({ action }) => action === 'create'),
    claimed: ['o1', 'o2'].map((id) => fake.plan.claimants('projects', id)),
    held: fake.holds.map(({ key, code, reason }) => [key, code, reason]),
  };
}

const BOTH: readonly MergedLink[] = [
  { key: 'a', id: 'o1', into: 'c' },
  { key: 'b', id: 'o2', into: 'c' },
];

it.each<readonly [what: string, keys: readonly string[], into: string, held: readonly string[]]>([
  [
    'has an object of its own',
    ['b'],
    'b',
    ['a SYNC_LOOK_ALIKE Was merged into b, which has a project of its own: label of o1 (o1) is left unchanged.'],
  ],
  ['has one while the other record is still listed', ['a', 'b'], 'b', []],
  ['has none and takes the object over', ['b', 'c'], 'c', []],
])('treats a survivor correctly that %s', (_, keys, into, held) => {
  const { changes, held: found } = reconcileMerges(keys, [{ key: 'a', id: 'o1', into }]);
  expect(found.map((hold) => hold.join(' '))).toEqual(held);
  expect(changes).toEqual(into === 'c' ? ['relink c o1'] : []);
});

it('says nothing about an object that nobody has seen', () => {
  const { changes, held } = reconcileMerges(['b'], [{ key: 'a', id: 'o9', into: 'b' }]);
  expect([changes, held]).toEqual([[], []]);
});

it('does not create a survivor while the merged record is still listed', () => {
  const { created, held, claimed } = reconcileMerges(['a', 'b', 'c'], BOTH.slice(0, 1));
  expect(created).toEqual([]);
  expect(claimed).toEqual([[], []]);
  expect(held).toEqual([
    ['c', 'SYNC_LOOK_ALIKE', 'Record a was merged into it, but the source lists both: a has the object o1.'],
  ]);
});

it('does not create a survivor while one of two merged records is still listed', () => {
  for (const merges of [BOTH, BOTH.toReversed()]) {
    const { created, held, claimed } = reconcileMerges(['a', 'c'], merges);
    expect(created).toEqual([]);
    expect(held.map(([key, code]) => `${key} ${code}`)).toEqual(['c SYNC_LOOK_ALIKE']);
    expect(claimed[1]).toEqual(['c']);
  }
});
