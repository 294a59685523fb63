import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createDrawAhead } from '../../src/apply/draw-ahead.js';
import { createGroupCommit } from '../../src/store/state/group-commit.js';
import { closeAfterTest } from '../closing.js';

/** Draws numbers from 1, each within a transaction. */
function open(slots: number, last: number, isHalted = (): boolean => false) {
  const sqlite = new Database(':memory:');
  closeAfterTest(sqlite);
  const commits = createGroupCommit(sqlite);
  let drawn = 0;
  const draw = (): number | null => {
    expect(sqlite.inTransaction).toBe(true);
    if (drawn === last) return null;
    drawn += 1;
    return drawn;
  };
  const ahead = createDrawAhead({ commits, slots, draw, isHalted });
  return { ...ahead, drawn: () => drawn, commits };
}

describe('items drawn before a slot is free', () => {
  test('draws only the started item for one slot', async () => {
    const { next, drawn } = open(1, 3);
    for (const item of [1, 2, 3]) {
      expect(await next()).toBe(item);
      expect(drawn()).toBe(item);
    }
    expect(await next()).toBeNull();
    expect(await next()).toBeNull();
  });

  test('draws one per slot and two more for each other slot, in one commit', async () => {
    const { next, drawn, commits } = open(4, 100);
    const first = await Promise.all([next(), next(), next(), next()]);
    expect(first).toEqual([1, 2, 3, 4]);
    expect([drawn(), commits.stats().commits]).toEqual([10, 1]);
    // Drawn items start without a commit; the next commit draws more.
    expect(await Promise.all([next(), next(), next(), next(), next(), next()])).toEqual([5, 6, 7, 8, 9, 10]);
    expect(commits.stats().commits).toBe(1);
    await commits.now(() => undefined);
    expect(drawn()).toBe(16);
  });

  test('gives each item to one slot, for any number of slots', async () => {
    const { next, rest } = open(8, 50);
    const taken: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let item = await next(); item !== null; item = await next()) taken.push(item);
      }),
    );
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(rest()).toEqual([]);
  });

  test('lets a slot wait for the next item if another one took its item', async () => {
    const { next, commits } = open(1, 3);
    const waiting = next();
    let other: Promise<number | null> | undefined;
    // This is notified of the same commit before the waiting slot continues.
    commits.soon(
      () => undefined,
      () => {
        other = next();
      },
    );
    expect([await waiting, await other]).toEqual([2, 1]);
  });

  test('does not start drawn items when the run is halted', async () => {
    let isHalted = false;
    const { next, rest } = open(4, 100, () => isHalted);
    expect(await next()).toBe(1);
    isHalted = true;
    expect(await next()).toBeNull();
    expect(rest()).toEqual([2, 3, 4, 5, 6, 7]);
  });

  test('does not ask a finished run if it is halted', async () => {
    let asked = 0;
    const { next } = open(1, 1, () => {
      asked += 1;
      return false;
    });
    expect([await next(), await next(), asked]).toEqual([1, null, 1]);
  });
});
