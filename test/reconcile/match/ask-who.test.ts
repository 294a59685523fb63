import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { desiredOf, matchBy, observedOf } from '../../samples.js';
import { OSLO, reconcileWorld } from '../fake-ports.js';

/** Left-out values are unknown. */
interface Person {
  readonly id?: string;
  readonly name?: string;
  readonly mail: string;
  readonly year?: number;
  readonly upn?: string;
  readonly leaver?: true;
  readonly inactive?: true;
}

function valuesOf({ id, name, mail, year, upn }: Person): Values {
  return {
    ...{ office: OSLO, email: `${mail}@example.com`, telephone: mail },
    ...(id === undefined ? {} : { external_unique_id: id }),
    ...(name === undefined ? {} : { name }),
    ...(year === undefined ? {} : { born_year: year }),
    ...(upn === undefined ? {} : { upn }),
  };
}

/** Accounts `u0`, `u1` … and rows, whose keys are their external ids. */
interface FirstContact {
  readonly accounts: readonly Person[];
  readonly rows: readonly Person[];
  readonly match?: readonly (readonly string[])[];
}

/** The rows that are asked about, and the rows that change an account. */
function meet({ accounts, rows, match = [['email'], ['external_unique_id']] }: FirstContact) {
  const ports = reconcileWorld(
    {
      observed: accounts.map((one, at) => observedOf(`u${at}`, valuesOf(one), { active: one.inactive !== true })),
      desired: rows.map((one) => desiredOf(one.id ?? 'E9', valuesOf(one), { leaver: one.leaver === true })),
    },
    { match: matchBy(...match) },
  );
  const asked = ports.holds.map(({ key, code }) => `${key} ${code}`);
  return { asked, adopted: ports.adopted, ports };
}

const kari = { id: 'E1', name: 'Kari Åsen', mail: 'kari', year: 1970 };
const lars = { id: 'E2', name: 'Lars Åsen', mail: 'lars', year: 1971 };
const mette = { id: 'E3', name: 'Mette Berg', mail: 'mette', year: 1972 };
const svein = { id: 'E9', name: 'Svein Krogh', mail: 'kari', year: 1977 };
const without = <K extends keyof Person>(person: Person, ...names: readonly K[]): Person =>
  Object.fromEntries(Object.entries(person).filter(([name]) => !names.includes(name as K))) as unknown as Person;
const [E1, E2, E3, E9] = ['E1', 'E2', 'E3', 'E9'].map((key) => `${key} SYNC_OTHER_PERSON`);

const ASKED: readonly (readonly [string, FirstContact, readonly unknown[]])[] = [
  [
    'two addresses are swapped',
    {
      accounts: [kari, lars],
      rows: [
        { ...kari, mail: 'lars' },
        { ...lars, mail: 'kari' },
      ],
    },
    [E1, E2],
  ],
  [
    'two user names are swapped, and match has no external id',
    {
      accounts: [
        { ...kari, upn: 'k@x' },
        { ...lars, upn: 'l@x' },
      ],
      rows: [
        { ...kari, upn: 'l@x' },
        { ...lars, upn: 'k@x' },
      ],
      match: [['upn'], ['email']],
    },
    [E1, E2],
  ],
  [
    'two people of one name have each other’s address and external id',
    {
      accounts: [kari, { ...kari, id: 'E2', mail: 'kari2', year: 1985 }],
      rows: [
        { ...kari, mail: 'kari2' },
        { ...kari, id: 'E2', year: 1985 },
      ],
    },
    [E1, E2],
  ],
  [
    'three addresses go round',
    {
      accounts: [kari, lars, mette],
      rows: [
        { ...kari, mail: 'lars' },
        { ...lars, mail: 'mette' },
        { ...mette, mail: 'kari' },
      ],
    },
    [E1, E2, E3],
  ],
  ['a row has the address of someone else', { accounts: [kari], rows: [svein] }, [E9]],
  [
    'a row has the address of someone else, and the account has no external id',
    { accounts: [without(kari, 'id')], rows: [svein] },
    [E9],
  ],
  [
    'a row has the address of someone else, and the account has no external id, which comes first in match',
    { accounts: [without(kari, 'id')], rows: [svein], match: [['external_unique_id'], ['email']] },
    [E9],
  ],
  [
    'a row has the address of someone else, and no year is known',
    { accounts: [without(kari, 'year')], rows: [without(svein, 'year')] },
    [E9],
  ],
  ['address and external id match two accounts', { accounts: [kari, lars], rows: [{ ...kari, mail: 'lars' }] }, [E1]],
  [
    'address and external id match two accounts, one of them inactive, and the first names are the same',
    {
      accounts: [
        { ...kari, inactive: true },
        { ...lars, name: 'Kari Berg' },
      ],
      rows: [{ ...kari, mail: 'lars' }],
    },
    [E1],
  ],
  [
    'address and name with year match two accounts',
    {
      accounts: [without(kari, 'id'), { ...without(lars, 'id', 'year'), name: 'Kari Berg' }],
      rows: [{ ...kari, mail: 'lars' }],
      match: [['email'], ['name', 'born_year']],
    },
    [E1],
  ],
  [
    'the account has the external id of another row',
    {
      accounts: [kari, lars],
      rows: [
        { ...kari, id: 'E9', name: 'Kari Berg' },
        { ...kari, mail: 'lars' },
      ],
    },
    [E9, E1],
  ],
  [
    'a leaver with the address of someone with the same first name',
    { accounts: [kari, { ...lars, name: 'Kari Berg' }], rows: [{ ...kari, mail: 'lars', leaver: true }] },
    [E1],
  ],
  [
    'a leaver without a name has the address of another account',
    { accounts: [kari, lars], rows: [{ ...without(kari, 'name'), mail: 'lars', leaver: true }] },
    [E1],
  ],
];

const married = { ...kari, name: 'Kari Berg' };
const NOT_ASKED: readonly (readonly [string, FirstContact])[] = [
  ['marriage', { accounts: [kari], rows: [married] }],
  ['marriage, and a year that was wrong', { accounts: [kari], rows: [{ ...married, year: 1907 }] }],
  ['marriage, and a new number', { accounts: [kari], rows: [{ ...married, id: 'E9' }] }],
  [
    'marriage, a new address, and the old user name',
    {
      accounts: [{ ...kari, upn: 'k@x' }],
      rows: [{ ...married, mail: 'kari.berg', upn: 'k@x' }],
      match: [['upn'], ['email']],
    },
  ],
  ['another name, and no other sign', { accounts: [without(kari, 'id', 'year')], rows: [svein] }],
  ['another name in the same year', { accounts: [kari], rows: [{ ...svein, year: 1970 }] }],
  ['a new number', { accounts: [kari], rows: [{ ...kari, id: 'E9' }] }],
  ['a number in another form', { accounts: [{ ...kari, id: 'no-1' }], rows: [kari] }],
  [
    'numbers that were given again',
    {
      accounts: [kari, lars],
      rows: [
        { ...kari, id: 'E2' },
        { ...lars, id: 'E1' },
      ],
    },
  ],
  ['a name in another order', { accounts: [kari, lars], rows: [{ ...kari, id: 'E2', name: 'Åsen, Kari' }] }],
  ['a leaver who has married', { accounts: [kari], rows: [{ ...married, leaver: true }] }],
];

describe('a match by an address', () => {
  it.each(ASKED)('is asked about, and not linked: %s', (_, world, expected) => {
    const { asked, adopted } = meet(world);
    expect({ asked, adopted }).toEqual({ asked: expected, adopted: [] });
  });

  it.each(NOT_ASKED)('is adopted: %s', (_, world) => {
    const { asked, adopted } = meet(world);
    expect({ asked, adopted: adopted.length }).toEqual({ asked: [], adopted: world.rows.length });
  });

  it('names the other account and the other record in the question', () => {
    const { ports } = meet({
      accounts: [kari, lars],
      rows: [
        { ...svein, name: 'Kari Berg' },
        { ...kari, mail: 'lars' },
      ],
    });
    expect(ports.holds.map(({ reason }) => /, ([^,()]*)\.$/.exec(reason)?.[1])).toEqual([
      'the external id of the account is that of record E1',
      'its external id is that of label of u0',
    ]);
  });

  it('claims the other account, which is then not unowned', () => {
    const { ports } = meet({ accounts: [kari, lars], rows: [{ ...kari, mail: 'lars' }] });
    expect(
      ['u0', 'u1'].map((id) => [...ports.plan.claimants('users.left', id), ...ports.plan.claimants('users', id)]),
    ).toEqual([['E1'], ['E1']]);
  });
});
