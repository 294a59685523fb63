import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { desiredOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, type FakePorts, JANE, OSLO, settingsOf, type World } from '../fake-ports.js';

const jane = desiredOf('E1', JANE);
const MATCH = matchBy(['external_unique_id'], ['email']);
const NAMES = { countries: ['no'], offices: ['no/Oslo'] };
const GONE = { due: true, text: 'missing from 3 reads', since: '2026-11-19T08:00:00.000Z' };

/** The outcome for the records of a world: `key action target`, the adoptions and the holds. */
function find(world: World, more: Parameters<typeof settingsOf>[0] = {}, prepare?: (ports: FakePorts) => void) {
  const ports = createFakePorts({ names: NAMES, ...world });
  prepare?.(ports);
  reconcileEntity(settingsOf({ match: MATCH, ...more }), ports);
  return {
    changes: ports.changes().map(({ key, action, target }) => `${key} ${action} ${target}`),
    adopted: ports.adopted,
    holds: ports.holds.map(({ key, code, reason, remedy }) => [`${key} ${code}`, reason, remedy]),
  };
}

describe('the account of a linked record', () => {
  it('is not created again while no read says that it is gone', () => {
    const world: World = { desired: [jane], links: { 'users:E1': 'u1' } };
    expect(find(world, {}, (ports) => Object.assign(ports.service, { isDoubted: () => true }))).toEqual({
      changes: [],
      adopted: [],
      holds: [
        [
          'E1 SYNC_OBJECT_UNSEEN',
          'The service does not list user u1, which the record is linked to, but no read proves that it is gone.',
          'No action needed: the next run looks again. If it was deleted, `talent-sync unlink users E1` and then `talent-sync undo --unpin user:E1` let the next run create it.',
        ],
      ],
    });
    expect(find(world)).toMatchObject({ changes: ['E1 create null'], holds: [] });
  });

  it('is not matched again after an operator removed the link', () => {
    const pins = { 'users:E1': [{ path: 'link', value: 'u1', mapping: 'm' }] };
    expect(find({ desired: [jane], observed: [observedOf('u1', JANE)], pins })).toEqual({
      changes: [],
      adopted: [],
      holds: [
        [
          'E1 SYNC_UNDONE_PINNED',
          'An operator removed its link to u1, so it is not matched again automatically.',
          'Link it: `talent-sync link users E1 ID`; or allow a new match: `talent-sync undo --unpin user:E1`',
        ],
      ],
    });
    const linked: World = { desired: [jane], observed: [observedOf('u1', JANE)], links: { 'users:E1': 'u1' }, pins };
    expect(find(linked).holds).toEqual([]);
  });
});

describe('a leaver', () => {
  const left = (key: string) => desiredOf(key, JANE, { leaver: true });
  const account = observedOf('u1', JANE);

  it('leaves with the account that only this record matches', () => {
    expect(find({ desired: [left('E1')], observed: [account] })).toEqual({
      changes: ['E1 deactivate u1'],
      adopted: ['users:E1=u1'],
      holds: [],
    });
  });

  it('does not touch an account that belongs to, or matches, somebody else', () => {
    const nothing = { changes: [], adopted: [], holds: [] };
    expect(find({ desired: [left('E1')], observed: [account], links: { 'users:E2': 'u1' } })).toEqual(nothing);
    expect(find({ desired: [left('E1'), desiredOf('E2', JANE)], observed: [account] })).toEqual({
      ...nothing,
      adopted: ['users:E2=u1'],
    });
  });

  it('is noted if a present record keeps the account', () => {
    const passed = (world: World) => {
      const ports = createFakePorts({ names: NAMES, ...world });
      reconcileEntity(settingsOf({ match: MATCH }), ports);
      return ports.passed.map(({ key, keptBy }) => `${key} by ${keptBy}`);
    };
    const two = { desired: [left('E1'), desiredOf('E2', JANE)], observed: [account] };
    expect(passed(two)).toEqual(['E1 by E2']);
    expect(passed({ ...two, links: { 'users:E2': 'u1' } })).toEqual(['E1 by E2']);
    // Nobody keeps the account of two leavers, and a linked leaver is decided by its own row.
    expect(passed({ ...two, desired: [left('E1'), left('E2')], links: { 'users:E2': 'u1' } })).toEqual([]);
  });

  it('is held if another leaver matches the same account', () => {
    const { holds, changes } = find({ desired: [left('E1'), left('E2')], observed: [account] });
    expect(changes).toEqual([]);
    expect(holds.map(([who, reason]) => [who, reason])).toEqual([
      ['E1 SYNC_MATCH_CLAIMED', 'Matches label of u1 (u1) by external_unique_id, but record E2 claims it too.'],
      ['E2 SYNC_MATCH_CLAIMED', 'Matches label of u1 (u1) by external_unique_id, but record E1 claims it too.'],
    ]);
  });
});

describe('an uncertain match', () => {
  const values: Values = { ...JANE, name: 'Jane' };
  const record = desiredOf('E2', { ...values, external_unique_id: 'E2' });
  const ask = 'Decide which record is right and correct the other one in the source.';

  it('is held if two records want one account', () => {
    const [first, second] = [
      desiredOf('E1', { email: 'jane@example.com' }),
      desiredOf('E2', { email: 'jane@example.com' }),
    ];
    expect(find({ desired: [first, second], observed: [observedOf('u1', values)] }).holds).toEqual([
      ['E1 SYNC_MATCH_CLAIMED', 'Matches label of u1 (u1) by email, but record E2 claims it too.', ask],
      ['E2 SYNC_MATCH_CLAIMED', 'Matches label of u1 (u1) by email, but record E1 claims it too.', ask],
    ]);
  });

  it.each<readonly [string, string, readonly string[]]>([
    ['is held if another record may mean the account, and it has another name', 'Carl Dahl', ['E1', 'E2']],
    ['is adopted if it has the name of the account, even if others may mean it', 'Anna Berg', ['E2']],
  ])('%s', (_, name, held) => {
    const anna = { name: 'Anna Berg' };
    const desired = [
      desiredOf('E1', { ...JANE, external_unique_id: 'E1', email: 'a@example.com', name }),
      desiredOf('E2', { ...JANE, ...anna, external_unique_id: 'E2', email: 'b@example.com' }),
    ];
    const observed = ['a@example.com', 'y@example.com'].map((email, at) =>
      observedOf(`u${at}`, { ...JANE, ...anna, email, external_unique_id: null }),
    );
    const { holds } = find({ desired, observed }, { match: matchBy(['external_unique_id'], ['email'], ['name']) });
    expect(holds.map(([who = '']) => who.split(' ')[0])).toEqual(held);
  });

  it('is held if the account is linked to an existing record', () => {
    const world: World = {
      desired: [desiredOf('E1', values), record],
      observed: [observedOf('u1', values)],
      links: { 'users:E1': 'u1' },
    };
    expect(find(world).holds).toEqual([
      [
        'E2 SYNC_MATCH_CLAIMED',
        'Matches label of u1 (u1) by email, but it is linked to record E1. Are they the same (for it: same e-mail, same name; against it: the source still has a row of E1)?',
        'If they are the same: `talent-sync link users E2 u1`; if not, correct the source.',
      ],
    ]);
  });

  it('is held if the number differs', () => {
    const world: World = { desired: [record], observed: [observedOf('u1', values)] };
    expect(find(world).holds).toEqual([
      [
        'E2 SYNC_MATCH_DOUBTFUL',
        'Matches label of u1 (u1) by email, but external_unique_id differs: "E2" in the source, "E1" in the service. It may be someone else.',
        'If they are the same: `talent-sync holds resolve user:E2 --same --reason "…"`; if not, correct email in the source.',
      ],
    ]);
  });

  describe('with an inactive account', () => {
    const closed = observedOf('u1', values, { active: false, label: 'Jane' });
    const world: World = { desired: [record], observed: [closed] };
    const parkingEmail = 'parked+{id}@x.test';

    it('offers to free the value, or says how it could be freed', () => {
      const [, , remedy] = find(world, { parkingEmail }).holds[0] ?? [];
      expect(remedy).toContain(
        ' If they are two: `talent-sync holds resolve user:E2 --new --reason "…"`, then `talent-sync approve --guard users.free_value --who user:E2',
      );
      expect(remedy).toContain('gives Jane the address parked+u1@x.test instead');
      expect(find(world).holds[0]?.[2]).toContain(' With `users.parking_email`, the inactive account can give it up.');
      const other = desiredOf('E2', { ...values, external_unique_id: 'E2', name: 'Joe' });
      expect(find({ ...world, desired: [other] }, { parkingEmail }).holds[0]?.[2]).toContain(
        '--guard users.free_value --who',
      );
    });

    it('creates a new person only once everything is approved', () => {
      const approve =
        (...fields: readonly string[]) =>
        (ports: FakePorts) => {
          ports.memory.isApproved = (id) =>
            ports.changes().some((one) => one.id === id && fields.includes(one.fields[0] ?? ''));
        };
      const both: World = {
        ...world,
        desired: [desiredOf('E1', { ...values, office: OSLO })],
        links: { 'users:E9': 'u1' },
      };
      const settings = { parkingEmail, match: matchBy(['email']) };
      const made = (...fields: readonly string[]) => find(both, settings, approve(...fields));
      expect(made().holds.map(([who]) => who)).toEqual(['E1 SYNC_MATCH_CLAIMED']);
      expect(made('email').holds.map(([who]) => who)).toEqual(['E1 SYNC_MATCH_CLAIMED']);
      expect(made('email', 'external_unique_id')).toMatchObject({ holds: [], adopted: [] });
      expect(made('email', 'external_unique_id').changes).toContain('E1 create null');
      expect(find(world, { parkingEmail }, approve('email')).changes).toContain('E2 create null');
    });

    it('offers nothing while others want the account too', () => {
      const rival = desiredOf('E3', { email: 'jane@example.com' });
      const crowded: World = { ...world, desired: [record, rival], links: { 'users:E9': 'u1' } };
      for (const [, reason, remedy] of find(crowded, { parkingEmail }).holds) {
        expect(reason).toMatch(/against it: .*record E[23] claims it too/);
        expect(remedy).not.toContain('approve');
      }
    });
  });

  it('takes over an account whose linked record is gone, if everything agrees', () => {
    const world: World = {
      desired: [record],
      observed: [observedOf('u1', values)],
      links: { 'users:E1': 'u1' },
      absent: GONE,
    };
    expect(find(world)).toEqual({ changes: ['E2 relink u1'], adopted: [], holds: [] });
    // The number agrees, but it is the key that has changed.
    const byNumber: World = { ...world, desired: [desiredOf('E2', { external_unique_id: 'E1', name: 'Jane' })] };
    expect(find(byNumber)).toMatchObject({ changes: ['E2 relink u1'] });
    const byKey: World = {
      ...world,
      desired: [desiredOf('E2', { external_unique_id: 'E2', name: 'Jane' })],
      observed: [observedOf('u1', { ...values, external_unique_id: 'E2' })],
    };
    expect(find(byKey).holds.map(([who]) => who)).toEqual(['E2 SYNC_MATCH_CLAIMED']);
    const nameless: World = { ...world, observed: [observedOf('u1', JANE)] };
    expect(find(nameless).holds[0]?.[1]).toContain('against it: no name to compare)?');
    const late: World = { ...world, absent: { ...GONE, since: '2026-01-02T08:00:00.000Z' } };
    expect(find(late).holds[0]?.[1]).toContain('against it: E1 left on 2026-01-02, more than 180d ago)?');
  });

  it('does not accept the name of a customer as proof', () => {
    const customer = { external_unique_id: 'X1', customer_name: { en: 'Fjord' } };
    const world: World = {
      desired: [desiredOf('C2', customer, { entity: 'customers' })],
      observed: [observedOf('k1', customer, { entity: 'customers' })],
      links: { 'customers:C1': 'k1' },
      absent: GONE,
    };
    const settings = { entity: 'customers', match: matchBy(['external_unique_id'], ['customer_name']) } as const;
    expect(find(world, settings).holds.map(([who]) => who)).toEqual(['C2 SYNC_MATCH_CLAIMED']);
  });
});

describe('the link of a person, if others have created several', () => {
  const entity = 'staffing';
  const names = { emails: ['E1'], projects: ['P1'] };
  const row = (key: string) => desiredOf(key, { project: 'P1', user: 'E1', link: true }, { entity });
  const made = (id: string, link: boolean) => observedOf(id, { project_id: 'p:p1', user_id: 'u:e1', link }, { entity });
  const settings = { entity, match: matchBy(['project', 'user']), removes: false } as const;
  it.each<readonly [what: string, world: World, adopted: readonly string[]]>([
    ['one of the wanted kind', { observed: [made('x1', false), made('x2', true)] }, ['x2']],
    ['the first if none is of the wanted kind', { observed: [made('x1', false), made('x2', false)] }, ['x1']],
    [
      'one without another record',
      { observed: [made('x1', true), made('x2', false)], links: { 'staffing:b': 'x1' } },
      ['x2'],
    ],
    [
      'one whose record no longer exists',
      { desired: [row('a')], observed: [made('x1', true), made('x2', false)], links: { 'staffing:b': 'x1' } },
      ['x1'],
    ],
  ])('adopts %s', (_, world, adopted) => {
    const desired = [row('a'), desiredOf('b', { project: 'P1', user: 'E9' }, { entity })];
    const found = find({ names, desired, ...world }, settings);
    expect(found.adopted).toEqual(adopted.map((id) => `staffing:a=${id}`));
  });

  it('is held if all of them belong to others', () => {
    const world: World = {
      names,
      desired: [
        row('a'),
        desiredOf('b', { project: 'P1', user: 'E9' }, { entity }),
        desiredOf('c', { project: 'P1', user: 'E8' }, { entity }),
      ],
      observed: [made('x1', true), made('x2', true)],
      links: { 'staffing:b': 'x1', 'staffing:c': 'x2' },
    };
    expect(find(world, settings).holds.map(([who, reason]) => `${who}: ${reason}`)).toContainEqual(
      'a SYNC_MATCH_AMBIGUOUS: 2 objects match by project + user: label of x1 (x1) [for it: same project + user]; label of x2 (x2) [for it: same project + user].',
    );
  });
});
