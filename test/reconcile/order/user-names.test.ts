import { describe, expect, it } from 'vitest';
import { orderUniqueValues } from '../../../src/reconcile/order/order.js';
import { reconcileEntity } from '../../../src/reconcile/reconcile.js';
import { desiredOf, matchBy, observedOf } from '../../samples.js';
import { createFakePorts, NO_PARKING, OSLO, settingsOf } from '../fake-ports.js';

/** Person → current user name and the wanted one; `-` for none. */
type Row = readonly [key: string, now: string, wanted: string];

function pass(rows: readonly Row[], isOut = false) {
  const value = (upn: string) => (upn === '-' ? {} : { upn });
  const known = rows.filter(([, now]) => now !== 'new');
  const at = (key: string) => ({ email: `${key}@x.test`, office: OSLO });
  const ports = createFakePorts({
    names: { countries: ['no'], offices: ['no/Oslo'] },
    desired: rows
      .filter(([, , wanted]) => wanted !== 'no row')
      .map(([key, , wanted]) => desiredOf(key, { ...at(key), ...value(wanted) })),
    observed: known.map(([key, now]) =>
      observedOf(`u-${key}`, { ...at(key), ...value(now) }, { active: !(isOut && key === 'a') }),
    ),
    links: Object.fromEntries(known.map(([key]) => [`users:${key}`, `u-${key}`])),
  });
  reconcileEntity(settingsOf({ match: matchBy(['external_unique_id']) }), ports);
  orderUniqueValues('users', NO_PARKING, ports);
  return {
    changes: ports
      .changes()
      .map(({ key, after, needs }) => [key, after.upn, ...needs].join(' '))
      .sort(),
    held: ports.holds.map(({ key, code, reason }) => `${key} ${code} ${reason}`).sort(),
  };
}

describe('a user name that another account has', () => {
  it.each<readonly [what: string, rows: readonly Row[], changes: readonly string[]]>([
    [
      'which gives it up in the same run',
      [
        ['a', 'one', 'two'],
        ['b', '-', 'ONE'],
      ],
      ['a two', 'b ONE users:a'],
    ],
    [
      'in a swap',
      [
        ['a', 'one', 'two'],
        ['b', 'two', 'one'],
      ],
      ['a two users:b', 'a~parked ', 'b one users:a~parked'],
    ],
    ['which is the same person', [['a', 'one', 'ONE']], []],
  ])('is planned from an account %s', (_what, rows, changes) => expect(pass(rows)).toEqual({ changes, held: [] }));

  it.each<readonly [what: string, rows: readonly Row[]]>([
    [
      'which keeps it',
      [
        ['a', 'one', 'one'],
        ['b', 'two', 'One'],
      ],
    ],
    [
      'which no row is about',
      [
        ['a', 'one', 'no row'],
        ['b', '-', 'one'],
      ],
    ],
  ])('is held for an account %s', (_what, rows) => {
    expect(pass(rows)).toEqual({
      changes: [],
      held: [
        expect.stringMatching(
          /^b SYNC_VALUE_TAKEN upn "one" is unique in the account, and the object label of u-a \(u-a\) has it( as "one")?\.$/i,
        ),
      ],
    });
  });

  it('is held for a newcomer, and for two who want the same one', () => {
    expect(
      pass([
        ['a', 'one', 'one'],
        ['b', 'new', 'one'],
      ]).held,
    ).toHaveLength(1);
    expect(
      pass([
        ['a', 'one', 'three'],
        ['b', 'two', 'three'],
      ]).held,
    ).toHaveLength(2);
  });

  it('is offered to be freed from a deactivated account', () => {
    const { changes, held } = pass(
      [
        ['a', 'one', 'no row'],
        ['b', '-', 'one'],
      ],
      true,
    );
    expect([changes, held.length]).toEqual([['b~freed_upn '], 1]);
  });
});
