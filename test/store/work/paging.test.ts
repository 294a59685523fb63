import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import type { Stores } from '../../../src/store/open-stores.js';
import { desiredOf, openTestStores } from '../../samples.js';

const takeAll = (items: Iterable<unknown>): void => {
  for (const _item of items);
};

/** Reads of many rows, page by page or range by range. */
const READS: Readonly<Record<string, (stores: Stores) => void>> = {
  'rows to write back': ({ work }) => takeAll(work.writeBackRows('users', null)),
  'overlooked records': ({ work }) => {
    work.stage([{ desired: desiredOf('E1', {}), hash: 'hash' }]);
    takeAll(work.takeInUnderSteps('users', 'context'));
    takeAll(work.settleInSteps());
    takeAll(work.putOverlooked('users', 'context'));
  },
  'people with power': ({ work }) => takeAll(work.ruling()),
  'staged records': ({ work }) => takeAll(work.stagedRecords('users')),
};

/** A page that SQLite cuts from all rows of an entity makes the time of a run grow with the square of the rows. */
it.each(Object.entries(READS))('begins each page of %s where the last one ended', (_name, read) => {
  const stores = openTestStores();
  const plans: { readonly ranges: number; readonly isSorted: boolean; readonly plan: string }[] = [];
  const { prepare } = Database.prototype;
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database.Database,
    sql: string,
  ) {
    const names = [...sql.matchAll(/\$(\w+)/g)].map(([, name = '']) => [name, null]);
    const steps = prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all(Object.fromEntries(names));
    const plan = (steps as { detail: string }[]).map(({ detail }) => detail).join('; ');
    const isSorted = sql.includes('LIMIT') && plan.includes('TEMP B-TREE FOR ORDER BY');
    plans.push({ ranges: sql.split(' > $').length - 1, isSorted, plan });
    return prepare.call(this, sql);
  });
  try {
    read(stores);
  } finally {
    spy.mockRestore();
  }
  const paged = plans.filter(({ ranges }) => ranges > 0);
  expect(paged).not.toEqual([]);
  for (const { ranges, isSorted, plan } of paged)
    expect([plan, isSorted, plan.split('>?').length > ranges]).toEqual([plan, false, true]);
});
