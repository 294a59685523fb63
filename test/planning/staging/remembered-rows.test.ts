import { expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { Mapper } from '../../../src/mapping/mapper.js';
import { dayNumber } from '../../../src/model/day-number.js';
import type { Backing } from '../../../src/model/desired.js';
import type { SourceRecord } from '../../../src/model/source.js';
import { stageEntities } from '../../../src/planning/staging/stage-sources.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { desiredOf, openTestStores } from '../../samples.js';

type Rows = Readonly<Record<string, string>>;

/** Stages rows of `hr`, with their content as digest, and returns the keys that were mapped. */
async function stage(
  stores: Stores,
  rows: Rows,
  how: {
    mappedUnder: string | null;
    complete?: boolean;
    back?: Backing;
    fails?: boolean;
    today?: Date;
    /** The last day on which rows are valid; without it nothing depends on the day. */
    until?: string | null;
  },
) {
  const mapped: string[] = [];
  const record = (key: string, digest: string): SourceRecord => {
    return { key, place: { source: 'hr', at: '/hr.csv', line: 2 }, cells: {}, digest };
  };
  const evidence = { source: 'hr', rows: 2, complete: how.complete !== false };
  const hr = {
    read: async (take: Parameters<Connector['read']>[0]) => {
      take({
        records: Object.entries(rows).map(([key, content]) => record(key, `${key}=${content}`.padEnd(22, '='))),
        rejected: [],
      });
      if (how.fails === true) throw new Error('down');
      return evidence;
    },
  };
  const { until = null } = how;
  const mapper = {
    origins: ['hr'],
    enriching: [],
    vocabulary: [],
    entity: 'users',
    kept: '',
    isDated: how.until !== undefined,
    map: ({ key, place, digest }: SourceRecord) => {
      mapped.push(key);
      return {
        kind: 'desired',
        unread: [],
        until: until === null ? null : dayNumber(new Date(until)),
        desired: desiredOf(
          key,
          { name: digest?.split('=')[1] ?? '' },
          { place, ...(how.back === undefined ? {} : { writeBack: how.back }) },
        ),
      };
    },
  };
  stores.work.reset();
  await stageEntities(
    { users: mapper as unknown as Mapper },
    {
      config: { mappings: {} } as unknown as Config,
      connectors: new Map([['hr', hr as unknown as Connector]]),
      work: stores.work,
      today: how.today ?? new Date(0),
      signal: undefined,
      mappedUnder: how.mappedUnder,
      vocabulary: () => ({ has: () => true, knows: () => true }),
    },
  );
  return mapped;
}

function valuesOf({ work }: Stores) {
  return Object.fromEntries(work.desiredAfter('users', '', 10).map(({ key, values }) => [key, values.name]));
}

it('maps changed rows again, and only those', async () => {
  const stores = openTestStores();
  expect(await stage(stores, { a: '1', b: '1' }, { mappedUnder: 'monday' })).toEqual(['a', 'b']);
  expect(await stage(stores, { a: '1', b: '2', c: '1' }, { mappedUnder: 'monday' })).toEqual(['b', 'c']);
  expect(valuesOf(stores)).toEqual({ a: '1', b: '2', c: '1' });
  expect(await stage(stores, { a: '1', b: '2', c: '1' }, { mappedUnder: 'monday' })).toEqual([]);
  expect(valuesOf(stores)).toEqual({ a: '1', b: '2', c: '1' });
});

it('maps all rows under another context, and neither uses nor stores anything without one', async () => {
  const stores = openTestStores();
  await stage(stores, { a: '1' }, { mappedUnder: 'monday' });
  expect(await stage(stores, { a: '2' }, { mappedUnder: null })).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday' })).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday' })).toEqual([]);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'tuesday' })).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday' })).toEqual(['a']);
});

it('forgets a row missing from a read, complete or not, but none if the read failed', async () => {
  const stores = openTestStores();
  const under = { mappedUnder: 'monday' };
  await stage(stores, { a: '1', b: '1' }, under);
  await stage(stores, { a: '1' }, { ...under, complete: false });
  expect(valuesOf(stores)).toEqual({ a: '1' });
  expect(await stage(stores, { a: '1', b: '1' }, under)).toEqual(['b']);
  await stage(stores, {}, { ...under, fails: true });
  expect(valuesOf(stores)).toEqual({});
  expect(await stage(stores, { a: '1', b: '1' }, under)).toEqual([]);
  expect(valuesOf(stores)).toEqual({ a: '1', b: '1' });
});

it('maps a row again after its last day, and every row on a day before an earlier run', async () => {
  const stores = openTestStores();
  const rows = { a: '1', b: '1' };
  const on = (day: string, until: string | null) => ({ mappedUnder: 'one', today: new Date(day), until });
  await stage(stores, { a: '1' }, on('2026-11-21', '2026-11-23'));
  await stage(stores, rows, on('2026-11-21', null));
  expect(await stage(stores, rows, on('2026-11-21', null))).toEqual([]);
  expect(await stage(stores, rows, on('2026-11-23', null))).toEqual([]);
  expect(await stage(stores, rows, on('2026-11-24', '2026-11-24'))).toEqual(['a']);
  expect(await stage(stores, rows, on('2026-11-24', null))).toEqual([]);
  expect(await stage(stores, rows, on('2027-11-24', null))).toEqual(['a']);
  expect(await stage(stores, rows, on('2027-11-25', null))).toEqual([]);
  expect(await stage(stores, rows, on('2027-11-24', null))).toEqual(['a', 'b']);
  expect(await stage(stores, rows, on('2027-11-24', null))).toEqual([]);
});

it('maps no row again for its day if nothing depends on it', async () => {
  const stores = openTestStores();
  const on = (day: string) => ({ mappedUnder: 'one', today: new Date(day) });
  expect(await stage(stores, { a: '1' }, on('2026-11-21'))).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, on('2031-01-01'))).toEqual([]);
  expect(await stage(stores, { a: '1' }, on('2020-01-01'))).toEqual([]);
});

it('keeps the values behind written columns, mapped again or not', async () => {
  const stores = openTestStores();
  const back: Backing = { records: { hr: { record: 'a', cells: { phone: '1' } } }, modified: null };
  for (const mapped of [['a'], []]) {
    expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday', back })).toEqual(mapped);
    expect([...stores.work.writeBackRows('users', null)].map(({ desired }) => desired.writeBack)).toEqual([back]);
  }
});
