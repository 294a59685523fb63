import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { claimValues } from '../../../src/reconcile/fields/claim-values.js';
import { orderAlikeNames, orderUniqueValues } from '../../../src/reconcile/order/order.js';
import type { Parking } from '../../../src/reconcile/order/park.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { tries } from '../../depth.js';
import { changeOf, desiredOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, NO_PARKING, settingsOf, type World } from '../fake-ports.js';

const OSLO = { country: 'no', name: 'Oslo' };

type People = Readonly<Record<string, readonly [now: string | null, wanted: string]>>;

/** People by key, each with the current address and the wanted one; both sides know them already. */
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
  it('makes nobody wait for a value that is free, or held by the object itself', () => {
    const ports = passOn({ a: ['a@x.test', 'free@x.test'], b: ['B@x.test', 'b@x.test'] });
    expect(ports.changes().map(({ key, needs }) => [key, needs])).toEqual([['a', []]]);
    expect(ports.holds).toEqual([]);
  });

  it('lets an object spell its own value in another way', () => {
    const ports = createFakePorts({
      desired: [desiredOf('a', { external_unique_id: 'E1', email: 'a@x.test', office: OSLO })],
      observed: [observedOf('u', { external_unique_id: 'e1', email: 'a@x.test', office: OSLO })],
      links: { 'users:a': 'u' },
    });
    reconcileEntity(settingsOf(), ports);
    orderUniqueValues('users', NO_PARKING, ports);
    expect([ports.changes().map(({ after }) => after), ports.holds]).toEqual([[{ external_unique_id: 'E1' }], []]);
  });

  it('makes each taker wait for the one that gives the value up, to any length', () => {
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

  it('holds the taker of a value that an object keeps, even a deactivated one', () => {
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

  it('holds both records that want the same value', () => {
    const ports = passOn({ a: ['a@x.test', 'both@x.test'], b: [null, 'BOTH@x.test'], c: ['c@x.test', 'd@x.test'] });
    expect(held(ports)).toEqual(['a SYNC_VALUE_TAKEN', 'b SYNC_VALUE_TAKEN']);
    expect(ports.changes().map(({ key }) => key)).toEqual(['c']);
  });

  it('holds a circle and lets the others continue', () => {
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

  it('breaks a circle by parking one address first and setting it last', () => {
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

  it('breaks two circles, of which external ids need no configuration', () => {
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

  it('holds a taker together with its giver', () => {
    const keeper = observedOf('k', { email: 'kept@x.test' });
    const ports = passOn({ a: ['1@x.test', '2@x.test'], b: ['2@x.test', 'kept@x.test'] }, { observed: [keeper] });
    expect(held(ports)).toEqual(['a SYNC_VALUE_TAKEN', 'b SYNC_VALUE_TAKEN']);
    expect(ports.changes()).toEqual([]);
  });

  it('accepts two projects with the same external id', () => {
    const make = (key: string) =>
      desiredOf(key, { external_unique_id: 'same', customer: 'C1', project_name: { en: key } }, { entity: 'projects' });
    const ports = createFakePorts({ desired: [make('a'), make('b')], names: { customers: ['C1'] } });
    reconcileEntity(settingsOf({ entity: 'projects', match: matchBy(['project_name']) }), ports);
    orderUniqueValues('projects', NO_PARKING, ports);
    expect(ports.changes().map(({ key }) => key)).toEqual(['a', 'b']);
  });
});

describe('values of an inactive account', () => {
  const gone = observedOf('g', { email: 'a@x.test', external_unique_id: 'A' }, { active: false, label: 'Gone' });
  const kept = observedOf('k', { email: 'k@x.test', external_unique_id: 'K' }, { label: 'Kept' });
  const PARKS: Parking = { email: 'parked-{id}@x.test', configDigest: 'c' };

  function take(after: Values, { parking = PARKS, approved = false, target = null as string | null } = {}) {
    const ports = createFakePorts({ observed: [gone, kept] });
    const taker = changeOf('users', 'new', { after, fields: Object.keys(after).sort(), target });
    ports.plan.add({ ...taker, action: target === null ? 'create' : 'update' });
    claimValues(taker, after, ports.plan);
    orderUniqueValues('users', parking, { ...ports, memory: { ...ports.memory, isApproved: () => approved } });
    return {
      changes: ports.changes().map(({ key, after: wanted, needs }) => [key, wanted, needs]),
      holds: ports.holds.map(({ key, reason, remedy }) => [key, reason, remedy]),
    };
  }
  const BOTH = { email: 'a@x.test', external_unique_id: 'A' };

  it('are freed first, once a person has approved it', () => {
    expect(take({ email: 'a@x.test' }, { approved: true })).toEqual({
      changes: [
        ['new', { email: 'a@x.test' }, ['users:new~freed_email']],
        ['new~freed_email', { email: 'parked-g@x.test' }, []],
      ],
      holds: [],
    });
  });

  it('are offered until then: all shared ones to a new person, a single one to others', () => {
    const { changes, holds } = take(BOTH);
    expect(changes.map(([key]) => key).toSorted()).toEqual(['new~freed_email', 'new~freed_external_unique_id']);
    expect(holds).toEqual([
      [
        'new',
        expect.stringContaining('and the deactivated object Gone (g, external id A) has it.'),
        expect.stringContaining('Or free it: `talent-sync approve --guard users.free_value --who user:new'),
      ],
    ]);
    expect(take({ email: 'a@x.test', telephone: '1' }, { target: 'u1' }).changes.toSorted()).toEqual([
      ['new', { telephone: '1' }, []],
      ['new~freed_email', { email: 'parked-g@x.test' }, []],
    ]);
  });

  it('are not offered without a parking address', () => {
    const { changes, holds } = take({ email: 'a@x.test' }, { parking: NO_PARKING });
    expect(changes).toEqual([]);
    expect(holds.map(([, , remedy]) => remedy)).toEqual([
      expect.stringMatching(/With `users\.parking_email`, the inactive account can give it up\.$/),
    ]);
  });

  it('are not freed if their taker is held for another value', () => {
    const { changes, holds } = take({ external_unique_id: 'A', email: 'k@x.test' }, { approved: true });
    expect(changes).toEqual([]);
    expect(holds.map(([key, reason]) => [key, reason])).toEqual([
      ['new', 'email "k@x.test" is unique in the account, and the object Kept (k, external id K) has it.'],
    ]);
  });
});

describe('a value of a person that another account keeps', () => {
  const values: Values = { email: 'a@x.test', external_unique_id: 'J', name: 'Jane Doe', born_year: 1980 };
  const observed = [observedOf('u', values), observedOf('k', { email: 'k@x.test', external_unique_id: 'K' })];
  const rest: Values = { telephone: '1', title: { en: 'Lead' } };

  function take(after: Values, asks?: string) {
    const ports = createFakePorts({ observed });
    const update = { action: 'update', after, fields: Object.keys(after).sort(), target: 'u' } as const;
    const change = changeOf('users', 'a', { ...update, ...(asks === undefined ? {} : { asks }) });
    ports.plan.add(change);
    claimValues(change, { ...values, ...after }, ports.plan);
    orderUniqueValues('users', NO_PARKING, ports);
    return { kept: ports.changes().flatMap(({ fields }) => fields), holds: ports.holds.map(({ reason }) => reason) };
  }

  it.each<readonly [string, Values, readonly string[]]>([
    ['nothing else, if the person does not change', { external_unique_id: 'K' }, ['telephone', 'title']],
    ['the name with the external id', { external_unique_id: 'K', name: 'Jane Roe', email: 'j@x.test' }, ['title']],
    ['the year of birth with the external id', { external_unique_id: 'K', born_year: 1990 }, ['title']],
    ['not the new name after a marriage', { email: 'k@x.test', name: 'Jane Roe' }, ['name', 'telephone', 'title']],
    ['not another name in the same year', { email: 'k@x.test', name: 'Jo' }, ['name', 'telephone', 'title']],
    [
      'everything of another person with the address',
      { email: 'k@x.test', external_unique_id: 'P', name: 'Peter Pan', born_year: 1990 },
      ['title'],
    ],
  ])('holds back %s', (_, after, kept) => {
    expect(take({ ...after, ...rest }).kept).toEqual(kept);
  });

  it('says which other values stay unchanged', () => {
    expect(take({ external_unique_id: 'K', name: 'Jane Roe', born_year: 1990 }).holds).toEqual([
      'external_unique_id "K" is unique in the account, and the object label of k (k, external id K) has it. Until then, born_year, name stay unchanged too.',
    ]);
  });

  it('stays in a change that waits for the answer to a question', () => {
    expect(take({ external_unique_id: 'K', name: 'Jane Roe' }, 'answer')).toEqual({
      kept: ['external_unique_id', 'name'],
      holds: [],
    });
  });
});

describe('the name of an office, unique within its country', () => {
  type Place = readonly [country: string, name: string];
  const office = ([country, name]: Place) => ({ country, name });

  /** Offices by record: the current place, null for new ones, and the wanted one. */
  function rename(offices: Readonly<Record<string, readonly [Place | null, Place]>>, others: readonly Place[] = []) {
    const rows = Object.entries(offices);
    const idOf = ([country, name]: Place): string => `o:${country}/${name.toLowerCase()}`;
    const there = [...rows.flatMap(([, [now]]) => (now === null ? [] : [now])), ...others];
    const ports = createFakePorts({
      names: { countries: ['no', 'se'], offices: there.map((place) => place.join('/')) },
      desired: rows.map(([key, [, wanted]]) => desiredOf(key, office(wanted), { entity: 'offices' })),
      observed: there.map((place) => observedOf(idOf(place), office(place), { entity: 'offices', label: place[1] })),
      links: Object.fromEntries(rows.flatMap(([key, [now]]) => (now === null ? [] : [[`offices:${key}`, idOf(now)]]))),
    });
    reconcileEntity(settingsOf({ entity: 'offices', match: [] }), ports);
    orderUniqueValues('offices', { email: 'parked-{id}@x.test', configDigest: 'c' }, ports);
    return {
      changes: ports.changes().map(({ key, after, needs }) => [key, after.name, needs]),
      holds: ports.holds.map(({ key, reason }) => [key, reason]),
    };
  }

  it('waits for the office that gives it up', () => {
    expect(
      rename({
        a: [
          ['no', 'Oslo'],
          ['no', 'Bergen'],
        ],
        b: [
          ['no', 'Bergen'],
          ['no', 'Bodø'],
        ],
      }),
    ).toEqual({
      changes: [
        ['a', 'Bergen', ['offices:b']],
        ['b', 'Bodø', []],
      ],
      holds: [],
    });
  });

  it('is another name in another country', () => {
    expect(
      rename(
        {
          a: [
            ['no', 'Oslo'],
            ['no', 'Bergen'],
          ],
        },
        [['se', 'Bergen']],
      ),
    ).toEqual({
      changes: [['a', 'Bergen', []]],
      holds: [],
    });
  });

  it('is held if another office keeps it, or if two want it', () => {
    const taken = 'is unique in its country, and';
    expect(
      rename(
        {
          a: [
            ['no', 'Oslo'],
            ['no', 'Bergen'],
          ],
        },
        [['no', 'Bergen']],
      ),
    ).toEqual({
      changes: [],
      holds: [['a', `name "Bergen" ${taken} the object Bergen (o:no/bergen) has it.`]],
    });
    expect(
      rename({
        a: [
          ['no', 'Oslo'],
          ['no', 'Bodø'],
        ],
        b: [null, ['no', 'BODØ']],
      }),
    ).toEqual({
      changes: [],
      holds: [
        ['b', `name "BODØ" ${taken} record a wants it too as "Bodø".`],
        ['a', `name "Bodø" ${taken} record b wants it too as "BODØ".`],
      ],
    });
  });

  it('is held in a circle, since no office name can be parked', () => {
    const circle = 'It exchanges unique values with others in a circle, so no order of calls exists.';
    expect(
      rename({
        a: [
          ['no', 'Oslo'],
          ['no', 'Bergen'],
        ],
        b: [
          ['no', 'Bergen'],
          ['no', 'Oslo'],
        ],
      }),
    ).toEqual({
      changes: [],
      holds: [
        ['a', circle],
        ['b', circle],
      ],
    });
  });
});

describe('orderAlikeNames', () => {
  it('puts proposals with the same name one after the other, but nothing else', () => {
    const order = (entity: 'proposals' | 'customers') => {
      const ports = createFakePorts({});
      for (const [key, name] of Object.entries({ a: 'Dam', b: 'Road', c: ' DAM', d: 'dam' })) {
        ports.plan.add(changeOf(entity, key, { after: { name } }));
      }
      ports.plan.add(changeOf(entity, 'e', { action: 'update', target: 'x', after: { name: 'dam' } }));
      orderAlikeNames(entity, ports);
      return ports.changes().map(({ key, needs }) => [key, ...needs]);
    };
    expect(order('proposals')).toEqual([['a'], ['b'], ['c', 'proposals:a'], ['d', 'proposals:c'], ['e']]);
    expect(order('customers')).toEqual([['a'], ['b'], ['c'], ['d'], ['e']]);
  });
});

describe('orderUniqueValues with any wishes', () => {
  it('leaves a plan that can be carried out in its order without a rejection', () => {
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
        // Nobody stays parked: every parked person has a later change.
        const parked = inOrder.flatMap(({ partOf }) => partOf ?? []);
        expect(parked.filter((ref) => !ports.plan.has(ref))).toEqual([]);
      }),
      { numRuns: tries(1_000) },
    );
  });
});

describe('orderUniqueValues for many people who pass values on', () => {
  const address = (index: number): string => `${String(index).padStart(3, '0')}@x.test`;
  const company = (size: number, wanted: (index: number) => number) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        `p${String(at).padStart(3, '0')}`,
        [address(at), address(wanted(at))] as const,
      ]),
    );

  /** The number of times a change is looked up. */
  function countFinds(people: ReturnType<typeof company>, parking: Parking): number {
    const ports = makeWorld(people);
    const find = vi.spyOn(ports.plan, 'find');
    orderUniqueValues('users', parking, ports);
    return find.mock.calls.length;
  }

  it.each<[string, (size: number) => (index: number) => number]>([
    ['in one circle', (size) => (at) => (at + 1) % size],
    ['in circles of two', () => (at) => at ^ 1],
    ['along a chain whose last one keeps its value', (size) => (at) => Math.min(at + 1, size - 1)],
    ['along a chain whose first one keeps its value', () => (at) => Math.max(at - 1, 0)],
  ])('has the same cost per person %s', (_, build) => {
    for (const email of [null, 'parked-{id}@x.test']) {
      const [few, many] = [40, 160].map((size) => countFinds(company(size, build(size)), { ...NO_PARKING, email }));
      expect(many).toBeLessThanOrEqual(4.5 * (few ?? 0));
    }
  });
});
