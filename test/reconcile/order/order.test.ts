import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { orderUniqueValues } from '../../../src/reconcile/order/order.js';
import type { Parking } from '../../../src/reconcile/order/park.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { desiredOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, NO_PARKING, settingsOf, type World } from '../fake-ports.js';

const OSLO = { country: 'no', name: 'Oslo' };

type People = Readonly<Record<string, readonly [now: string | null, wanted: string]>>;

/** People by key, each with the address now and the address wanted; both sides know them already. */
function passOn(people: People, more: World = {}, parking: Parking = NO_PARKING) {
  const ports = makeWorld(people, more);
  orderUniqueValues('users', parking, ports);
  return ports;
}

/** The same, with everything planned and nothing in order yet. */
function makeWorld(people: People, more: World = {}) {
  const known = Object.entries(people).filter(([, [now]]) => now !== null);
  const ports = createFakePorts({
    names: { countries: ['no'], offices: ['no/Oslo'] },
    desired: Object.entries(people).map(([key, [, email]]) => desiredOf(key, { email, office: OSLO })),
    observed: [
      ...known.map(([key, [email]]) => observedOf(`u-${key}`, { email, office: OSLO })),
      ...(more.observed ?? []),
    ],
    links: Object.fromEntries(known.map(([key]) => [`users:${key}`, `u-${key}`])),
  });
  reconcileEntity(settingsOf({ match: matchBy(['external_unique_id']) }), ports);
  return ports;
}

const held = (ports: ReturnType<typeof passOn>) => ports.holds.map(({ key, code }) => `${key} ${code}`).sort();

describe('orderUniqueValues: the table above it', () => {
  it('held by nobody, or by the object itself: nothing to wait for', () => {
    const ports = passOn({ a: ['a@x.test', 'free@x.test'], b: ['B@x.test', 'b@x.test'] });
    expect(ports.changes().map(({ key, needs }) => [key, needs])).toEqual([['a', []]]);
    expect(ports.holds).toEqual([]);
  });

  it('the object itself may spell its own value again', () => {
    const ports = createFakePorts({
      desired: [desiredOf('a', { external_unique_id: 'E1', email: 'a@x.test', office: OSLO })],
      observed: [observedOf('u', { external_unique_id: 'e1', email: 'a@x.test', office: OSLO })],
      links: { 'users:a': 'u' },
    });
    reconcileEntity(settingsOf(), ports);
    orderUniqueValues('users', NO_PARKING, ports);
    expect([ports.changes().map(({ after }) => after), ports.holds]).toEqual([[{ external_unique_id: 'E1' }], []]);
  });

  it('given up now: each waits for the next, to any length', () => {
    const ports = passOn({
      a: ['1@x.test', '2@x.test'],
      b: ['2@x.test', '3@x.test'],
      c: ['3@x.test', '4@x.test'],
      new: [null, '1@x.test'],
    });
    expect(ports.changes().map(({ key, needs }) => [key, needs])).toEqual([
      ['a', ['users:b']],
      ['b', ['users:c']],
      ['c', []],
      ['new', ['users:a']],
    ]);
    expect([...ports.levels()].toSorted()).toEqual([
      ['users:a', 2],
      ['users:b', 1],
      ['users:c', 0],
      ['users:new', 3],
    ]);
    expect(ports.holds).toEqual([]);
  });

  it('held by an object that keeps it, deactivated ones too: the taker is held', () => {
    const keeper = observedOf('k', { email: 'kept@x.test' }, { active: false });
    const ports = passOn({ a: ['a@x.test', 'kept@x.test'] }, { observed: [keeper] });
    expect(ports.changes()).toEqual([]);
    expect(ports.holds.map(({ code, reason }) => [code, reason])).toEqual([
      [
        'SYNC_VALUE_TAKEN',
        'email "kept@x.test" is unique in the account, and the deactivated object label of k (k) has it.',
      ],
    ]);
  });

  it('wanted by two records: both are held', () => {
    const ports = passOn({ a: ['a@x.test', 'both@x.test'], b: [null, 'BOTH@x.test'], c: ['c@x.test', 'd@x.test'] });
    expect(held(ports)).toEqual(['a SYNC_VALUE_TAKEN', 'b SYNC_VALUE_TAKEN']);
    expect(ports.changes().map(({ key }) => key)).toEqual(['c']);
  });

  it('a circle: held; others go on', () => {
    const ports = passOn({
      a: ['1@x.test', '2@x.test'],
      b: ['2@x.test', '1@x.test'],
      waits: [null, '3@x.test'],
      c: ['3@x.test', '4@x.test'],
      d: ['4@x.test', '5@x.test'],
    });
    expect(held(ports)).toEqual(['a SYNC_VALUE_TAKEN', 'b SYNC_VALUE_TAKEN']);
    expect(ports.changes().map(({ key, needs }) => [key, needs])).toEqual([
      ['waits', ['users:c']],
      ['c', ['users:d']],
      ['d', []],
    ]);
  });

  it('in a circle, where an address may be parked: one goes out of the way first, and comes last', () => {
    const ports = passOn(
      { a: ['1@x.test', '2@x.test'], b: ['2@x.test', '3@x.test'], c: ['3@x.test', '1@x.test'] },
      {},
      { email: 'parked-{id}@x.test', configDigest: 'c' },
    );
    expect(ports.holds).toEqual([]);
    expect(ports.changes().map(({ key, after, needs, partOf }) => [key, after.email, needs, partOf])).toEqual([
      ['a', '2@x.test', ['users:b'], undefined],
      ['b', '3@x.test', ['users:c'], undefined],
      ['c', '1@x.test', ['users:a~parked'], undefined],
      ['a~parked', 'parked-u-a@x.test', [], 'users:a'],
    ]);
    const levels = ports.levels();
    expect(['a~parked', 'c', 'b', 'a'].map((key) => levels.get(`users:${key}`))).toEqual([0, 1, 2, 3]);
  });

  it('two circles at once, and an external id that needs no configuration', () => {
    const ports = createFakePorts({
      names: { countries: ['no'], offices: ['no/Oslo'] },
      desired: [
        desiredOf('a', { external_unique_id: '2', email: 'a@x.test', office: OSLO }),
        desiredOf('b', { external_unique_id: '1', email: 'b@x.test', office: OSLO }),
        desiredOf('c', { external_unique_id: '3', email: 'd@x.test', office: OSLO }),
        desiredOf('d', { external_unique_id: '4', email: 'c@x.test', office: OSLO }),
      ],
      observed: ['a', 'b', 'c', 'd'].map((key, index) =>
        observedOf(`u-${key}`, { external_unique_id: String(index + 1), email: `${key}@x.test`, office: OSLO }),
      ),
      links: { 'users:a': 'u-a', 'users:b': 'u-b', 'users:c': 'u-c', 'users:d': 'u-d' },
    });
    reconcileEntity(settingsOf(), ports);
    orderUniqueValues('users', NO_PARKING, ports);
    expect(ports.changes().map(({ key, after }) => [key, after])).toEqual([
      ['a', { external_unique_id: '2' }],
      ['b', { external_unique_id: '1' }],
      ['a~parked', { external_unique_id: 'parked-u-a' }],
    ]);
    expect(held(ports)).toEqual(['c SYNC_VALUE_TAKEN', 'd SYNC_VALUE_TAKEN']);
  });

  it('a taker falls with its giver', () => {
    const keeper = observedOf('k', { email: 'kept@x.test' });
    const ports = passOn({ a: ['1@x.test', '2@x.test'], b: ['2@x.test', 'kept@x.test'] }, { observed: [keeper] });
    expect(held(ports)).toEqual(['a SYNC_VALUE_TAKEN', 'b SYNC_VALUE_TAKEN']);
    expect(ports.changes()).toEqual([]);
  });

  it('of a project the external id is not unique: two may have the same', () => {
    const make = (key: string) =>
      desiredOf(key, { external_unique_id: 'same', customer: 'C1', project_name: { en: key } }, { entity: 'projects' });
    const ports = createFakePorts({ desired: [make('a'), make('b')], names: { customers: ['C1'] } });
    reconcileEntity(settingsOf({ entity: 'projects', match: matchBy(['project_name']) }), ports);
    orderUniqueValues('projects', NO_PARKING, ports);
    expect(ports.changes().map(({ key }) => key)).toEqual(['a', 'b']);
  });
});

describe('orderUniqueValues, whoever wants what', () => {
  it('what stays planned can be carried out in its order without the service refusing it', () => {
    const addresses = fc.constantFrom('1@x.test', '2@x.test', '3@x.test', '4@x.test', '5@x.test');
    const people = fc
      .tuple(
        fc.uniqueArray(addresses, { minLength: 1, maxLength: 4 }),
        fc.array(addresses, { minLength: 6, maxLength: 6 }),
      )
      .map(([now, wanted]) =>
        Object.fromEntries(
          wanted.map((email, i) => [`p${i}`, [now[i] ?? null, email] as readonly [string | null, string]]),
        ),
      );
    fc.assert(
      fc.property(people, fc.constantFrom(null, 'parked-{id}@x.test'), (all, parkingEmail) => {
        const ports = passOn(all, {}, { email: parkingEmail, configDigest: 'c' });
        const taken = new Map(Object.entries(all).flatMap(([key, [now]]) => (now === null ? [] : [[now, key]])));
        const levels = ports.levels();
        const inOrder = ports
          .changes()
          .toSorted((a, b) => (levels.get(`users:${a.key}`) ?? 0) - (levels.get(`users:${b.key}`) ?? 0));
        for (const { key: ref, after } of inOrder) {
          const key = ref.replace('~parked', '');
          const email = String(after.email);
          const owner = taken.get(email);
          expect(owner === undefined || owner === key, `${key} takes ${email} of ${owner}`).toBe(true);
          for (const [address, holder] of taken) if (holder === key) taken.delete(address);
          taken.set(email, key);
        }
        const silent = Object.entries(all).filter(
          ([key, [now, wanted]]) =>
            now !== wanted && !ports.plan.has(`users:${key}`) && !ports.holds.some((hold) => hold.key === key),
        );
        expect(silent).toEqual([]);
        // Nobody is left parked: whoever is, has a change of its own that comes later.
        const parked = inOrder.flatMap(({ partOf }) => partOf ?? []);
        expect(parked.filter((ref) => !ports.plan.has(ref))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('orderUniqueValues, however many pass on what they have', () => {
  const address = (index: number): string => `${String(index).padStart(3, '0')}@x.test`;
  const company = (size: number, wanted: (index: number) => number) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        `p${String(at).padStart(3, '0')}`,
        [address(at), address(wanted(at))] as const,
      ]),
    );

  /** How often a change is looked up. */
  function countFinds(people: ReturnType<typeof company>, parking: Parking): number {
    const ports = makeWorld(people);
    const find = vi.spyOn(ports.plan, 'find');
    orderUniqueValues('users', parking, ports);
    return find.mock.calls.length;
  }

  it.each<[string, (size: number) => (index: number) => number]>([
    ['in one circle', (size) => (at) => (at + 1) % size],
    ['in circles of two', () => (at) => at ^ 1],
    ['along a row whose last keeps what it has', (size) => (at) => Math.min(at + 1, size - 1)],
    ['along a row whose first keeps what it has', () => (at) => Math.max(at - 1, 0)],
  ])('%s: it costs the same for each', (_, build) => {
    for (const email of [null, 'parked-{id}@x.test']) {
      const [few, many] = [40, 160].map((size) => countFinds(company(size, build(size)), { ...NO_PARKING, email }));
      expect(many).toBeLessThanOrEqual(4.5 * (few ?? 0));
    }
  });
});
