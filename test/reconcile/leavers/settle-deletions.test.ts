import { describe, expect, it } from 'vitest';
import { type MatchKey, USUAL } from '../../../src/model/comparison.js';
import type { Namers } from '../../../src/model/departure.js';
import type { Observed } from '../../../src/model/observed.js';
import type { Change } from '../../../src/model/plan.js';
import { planUnowned } from '../../../src/reconcile/leavers/plan-unowned.js';
import { settleDeletions } from '../../../src/reconcile/leavers/settle-deletions.js';
import { changeOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, OSLO, settingsOf, type World } from '../fake-ports.js';

interface Around {
  readonly observed?: readonly Observed[];
  readonly peopleIn?: readonly Observed[];
  readonly offices?: Readonly<Record<string, Namers>>;
  readonly tags?: Readonly<Record<string, Namers>>;
  readonly people?: Readonly<Record<string, Namers>>;
}

function settle(changes: readonly Change[], around: Around = {}) {
  const ports = createFakePorts({ observed: around.observed ?? [] });
  for (const change of changes) ports.plan.add(change);
  settleDeletions({
    ...ports,
    peopleIn: (office) => (office === 'id-no/oslo' ? (around.peopleIn ?? []) : []),
    namersOfOffices: () => new Map(Object.entries(around.offices ?? {})),
    namersOfTags: (category) => new Map(Object.entries(category === 'unit' ? (around.tags ?? {}) : {})),
    namersOfPeople: () => new Map(Object.entries(around.people ?? {})),
  });
  const deleted = ports.changes().filter(({ action }) => action === 'delete');
  return {
    deleted: deleted.map(({ entity, key, needs }) => [`${entity}:${key}`, needs]),
    holds: ports.holds.map(({ code, reason }) => [code, reason]),
  };
}

const remove = (entity: Change['entity'], key: string, more: Partial<Change> = {}) =>
  changeOf(entity, key, { action: 'delete', target: `id-${key}`, ...more });

describe('deleting an office', () => {
  const oslo = remove('offices', 'no/oslo', { before: OSLO });
  const jane = observedOf('u1', {}, { label: 'Jane' });
  const ola = observedOf('u2', {}, { label: 'Ola', active: false });
  const moves = changeOf('users', 'E1', {
    action: 'update',
    target: 'u1',
    after: { office: { country: 'no', name: 'Bergen' } },
  });

  it('is planned if nobody is in it', () => {
    expect(settle([oslo])).toEqual({ deleted: [['offices:no/oslo', []]], holds: [] });
  });

  it('is planned after everybody leaves it in this plan', () => {
    const leaves = remove('users', 'E2', { target: 'u2' });
    expect(settle([moves, leaves, oslo], { peopleIn: [jane, ola] }).deleted).toContainEqual([
      'offices:no/oslo',
      ['users:E1', 'users:E2'],
    ]);
  });

  it('is held with the names of those who stay in it', () => {
    expect(settle([moves, oslo], { peopleIn: [jane, ola] })).toEqual({
      deleted: [],
      holds: [['SYNC_CHANGE_BLOCKED', 'It is to be deleted, but 1 person would still be in it (Ola (deactivated)).']],
    });
    const phone = changeOf('users', 'E1', { action: 'update', target: 'u1', after: { telephone: '1' } });
    expect(settle([phone, oslo], { peopleIn: [jane] }).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 1 person would still be in it (Jane).',
    ]);
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((label) => observedOf(label, {}, { label }));
    expect(settle([oslo], { peopleIn: seven }).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 7 people would still be in it (a, b, c, d, e and 2 more).',
    ]);
    expect(settle([oslo], { peopleIn: seven.slice(0, 5) }).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 5 people would still be in it (a, b, c, d, e).',
    ]);
  });

  it('is held if the service counts more people than the mirror knows', () => {
    const shown = observedOf('id-no/oslo', { num_users: 2 }, { entity: 'offices' });
    expect(settle([moves, oslo], { peopleIn: [jane], observed: [shown] }).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 1 person would still be in it.',
    ]);
    const one = observedOf('id-no/oslo', { num_users: 1 }, { entity: 'offices' });
    expect(settle([moves, oslo], { peopleIn: [jane], observed: [one] }).deleted).toHaveLength(1);
  });

  it('is held if somebody is about to move in', () => {
    const comes = changeOf('users', 'E3', { label: 'Kari', after: { office: OSLO } });
    expect(settle([comes, oslo]).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 1 person would move in (Kari).',
    ]);
    expect(settle([comes, oslo], { peopleIn: [jane] }).holds.map(([, reason]) => reason)).toEqual([
      'It is to be deleted, but 1 person would still be in it (Jane), and 1 person would move in (Kari).',
    ]);
  });

  it('is held if a manager has it in the scope', () => {
    const namer = { 'no/oslo': { records: 1, first: 'users:E9' } };
    expect(settle([oslo], { offices: namer })).toEqual({
      deleted: [],
      holds: [['SYNC_CHANGE_BLOCKED', 'It is to be deleted, but users:E9 names it.']],
    });
  });
});

describe('deleting a tag or a person', () => {
  const tag = remove('tags', 'unit/north');
  const observed = [
    observedOf('id-unit/north', { category_id: 'c1', external_unique_id: 'north' }, { entity: 'tags' }),
    observedOf('c1', { external_unique_id: 'unit' }, { entity: 'tag_categories' }),
  ];

  it('is held for a tag that records name, since the next run would create it again', () => {
    expect(settle([tag], { observed }).deleted).toHaveLength(1);
    expect(settle([tag], { observed, tags: { south: { records: 3, first: 'users:E1' } } }).deleted).toHaveLength(1);
    expect(settle([tag], { observed, tags: { north: { records: 3, first: 'users:E1' } } })).toEqual({
      deleted: [],
      holds: [['SYNC_CHANGE_BLOCKED', 'It is to be deleted, but 3 records name it, such as users:E1.']],
    });
  });

  it('is planned for an unknown tag or category, which no record can name', () => {
    const tags = { '': { records: 1, first: 'users:E1' }, north: { records: 1, first: 'users:E1' } };
    expect(settle([tag], { observed: observed.slice(0, 1), tags }).deleted).toHaveLength(1);
    expect(settle([tag], { tags }).deleted).toHaveLength(1);
  });

  it('is held for a person whom a record names by any word', () => {
    const person = remove('users', 'E1', {
      label: 'Jane',
      before: { email: 'Jane@x.test', external_unique_id: 'X1', telephone: '1' },
    });
    expect(settle([person], { people: { '1': { records: 1, first: 'projects:P1' } } }).deleted).toHaveLength(1);
    const both = { 'jane@x.test': { records: 1, first: 'projects:P1' }, x1: { records: 2, first: 'proposals:B1' } };
    expect(settle([person], { people: both })).toEqual({
      deleted: [],
      holds: [
        [
          'SYNC_CHANGE_BLOCKED',
          expect.stringMatching(
            /^Jane is to be deleted, but 3 records name the person, such as (projects:P1|proposals:B1)\.$/,
          ),
        ],
      ],
    });
  });
});

describe('accounts without an owner', () => {
  interface Rest {
    readonly unowned?: 'keep' | 'report' | 'deactivate';
    readonly policy?: 'sync' | 'upsert-only';
    readonly due?: boolean;
    readonly outsiders?: readonly { readonly key: string; readonly values: Observed['values'] }[];
    readonly protectedBy?: World['protectedBy'];
    readonly match?: readonly MatchKey[];
  }
  const stranger = (values: Observed['values'] = {}) =>
    observedOf('u9', { email: 'who@x.test', ...values }, { label: 'Who' });

  function judge(account: Observed | null, rest: Rest = {}) {
    const { protectedBy, match = matchBy(['email']) } = rest;
    const ports = createFakePorts({
      observed: account === null ? [] : [account],
      ...(protectedBy === undefined ? {} : { protectedBy }),
    });
    planUnowned(settingsOf({ unowned: rest.unowned ?? 'deactivate', policy: rest.policy ?? 'sync', match }), {
      ...ports,
      sources: { ...ports.sources, outsiders: () => rest.outsiders ?? [] },
      strangers: () => ['u9'].filter((id) => ports.plan.claimants('users.maybe', id).length === 0),
      unownedProof: () => (rest.due === false ? null : 'no row matches it'),
    });
    return {
      changes: ports.changes().map(({ action, key, target, reason }) => [action, key, target, reason.kind]),
      holds: ports.holds.map(({ code, key, reason, about }) => [code, key, reason, about]),
    };
  }

  const NOTHING = { changes: [], holds: [] };

  it('are left alone, reported or deactivated, as configured', () => {
    expect(judge(stranger())).toEqual({ changes: [['deactivate', 'id:u9', 'u9', 'unowned']], holds: [] });
    expect(judge(stranger(), { unowned: 'keep' })).toEqual(NOTHING);
    expect(judge(stranger(), { unowned: 'report' })).toEqual({
      changes: [],
      holds: [['SYNC_ACCOUNT_UNOWNED', 'id:u9', 'Who (u9): no row matches it.', 'unowned']],
    });
    expect(judge(stranger(), { policy: 'upsert-only' })).toEqual(NOTHING);
    expect(judge(null)).toEqual(NOTHING);
  });

  it('are left alone without proof', () => {
    expect(judge(stranger(), { due: false })).toEqual(NOTHING);
    expect(judge(stranger(), { due: false, unowned: 'report' })).toEqual(NOTHING);
  });

  it('do not include guests, administrators and protected accounts', () => {
    expect(judge(stranger({ role: 'external' }))).toEqual(NOTHING);
    expect(judge(stranger({ roles: ['external'] }))).toEqual(NOTHING);
    expect(judge(stranger({ roles: ['internationalmanager'] }))).toEqual(NOTHING);
    expect(judge(stranger(), { protectedBy: () => 'user.email == "who@x.test"' })).toEqual(NOTHING);
  });

  it('do not include the account of a row out of scope', () => {
    expect(judge(stranger(), { outsiders: [{ key: 'E1', values: { email: 'who@x.test' } }] })).toEqual(NOTHING);
    expect(judge(stranger(), { outsiders: [{ key: 'E1', values: { email: 'else@x.test' } }] }).changes).toHaveLength(1);
  });

  it('are reported, not deactivated, if only the rule of a `match` entry sets a row apart', () => {
    const match: readonly MatchKey[] = [{ fields: ['email'], compare: { ...USUAL, case: 'exact' } }];
    const outsiders = [{ key: 'E1', values: { email: 'Who@x.test' } }];
    for (const unowned of ['report', 'deactivate'] as const) {
      expect(judge(stranger(), { match, outsiders, unowned })).toEqual({
        changes: [],
        holds: [
          [
            'SYNC_ACCOUNT_UNOWNED',
            'id:u9',
            'Who (u9): no record matches it by `match`, but record E1 differs from it only in case, blanks or Unicode form.',
            'unowned',
          ],
        ],
      });
    }
  });
});
