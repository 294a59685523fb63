import { describe, expect, it } from 'vitest';
import { findShift, type Mover } from '../../../src/reconcile/match/shifted-values.js';

/** `a>b`: has a now, and is to get b. */
function movers(field: string, ...moves: readonly string[]): readonly Mover[] {
  return moves.map((move) => {
    const [now = '', next = ''] = move.split('>');
    return { ref: `users:${now}`, now: { [field]: now }, wants: { [field]: next } };
  });
}

function both(...moves: readonly string[]): readonly Mover[] {
  return moves.map((move) => {
    const [now = '', next = ''] = move.split('>');
    const [address, taken] = [`${now}@x`, `${next}@x`];
    return { ref: `users:${now}`, now: { name: now, email: address }, wants: { name: next, email: taken } };
  });
}

const sizeOf = (people: readonly Mover[]): number => findShift(people)?.refs.size ?? 0;

describe('findShift', () => {
  it.each([
    ['names: two swap', movers('name', 'a>b', 'b>a'), 2],
    ['names: off by one', movers('name', 'a>x', 'b>a', 'c>b'), 3],
    ['names: one gets the name that another gives up', movers('name', 'a>x', 'b>a'), 0],
    ['names: a marriage', movers('name', 'a>x', 'b>y'), 0],
    ['addresses: three are passed on', movers('email', 'a>x', 'b>a', 'c>b'), 0],
    ['addresses: four are passed on', movers('email', 'a>x', 'b>a', 'c>b', 'd>c'), 4],
    ['addresses: a circle of three', movers('email', 'a>b', 'b>c', 'c>a'), 0],
    ['addresses: two circles of two', movers('email', 'a>b', 'b>a', 'c>d', 'd>c'), 4],
    [
      'addresses: five mailboxes handed over, each once',
      movers('email', ...[1, 2, 3, 4, 5].flatMap((i) => [`a${i}>x${i}`, `b${i}>a${i}`])),
      0,
    ],
    ['name and address of one person, who gets others', both('a>x', 'b>a'), 2],
    ['name and address: two swap', both('a>b', 'b>a'), 2],
    ['numbers: off by one', movers('telephone', 'a>x', 'b>a', 'c>b', 'd>c'), 4],
    ['user names: a circle of four', movers('upn', 'a>b', 'b>c', 'c>d', 'd>a'), 4],
  ] as const)('counts the people in a shift: %s', (_, people, involved) => {
    expect(sizeOf(people)).toBe(involved);
  });

  it('ignores a value that several people have now', () => {
    const shared = [...movers('telephone', '1>2', '1>2', '1>2', '2>1', '2>1', '2>1')].map((one, i) => ({
      ...one,
      ref: `users:${i}`,
    }));
    expect(findShift(shared)).toBeNull();
  });

  it('includes everybody in a column that was sorted alone, even in small circles', () => {
    const order = [3, 0, 1, 2, 5, 4, 6];
    const people = movers('email', ...order.map((to, from) => `${from}>${to}`)).filter(
      ({ now, wants }) => now.email !== wants.email,
    );
    expect(findShift(people)).toMatchObject({ fields: { email: 6 } });
    expect(sizeOf(people)).toBe(6);
  });
});
