import { expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import type { Connector } from '../../src/connectors/connector.js';
import type { Mapper } from '../../src/mapping/mapper.js';
import type { SourceRecord } from '../../src/model/source.js';
import type { Backing } from '../../src/model/write-back.js';
import { stageEntities } from '../../src/staging/stage-sources.js';
import type { Stores } from '../../src/store/open-stores.js';
import { desiredOf, openTestStores } from '../samples.js';

type Rows = Readonly<Record<string, string>>;

/** Stages rows of `hr`, whose content is their digest, and answers the keys that were mapped for it. */
async function stage(
  stores: Stores,
  rows: Rows,
  how: { mappedUnder: string | null; complete?: boolean; back?: Backing },
) {
  const mapped: string[] = [];
  const record = (key: string, digest: string): SourceRecord => {
    return { key, place: { source: 'hr', at: '/hr.csv', line: 2 }, cells: {}, digest };
  };
  const evidence = { source: 'hr', rows: 2, complete: how.complete !== false };
  const hr = {
    read: async (take: Parameters<Connector['read']>[0]) => {
      take({ records: Object.entries(rows).map(([key, digest]) => record(key, digest)), rejected: [] });
      return evidence;
    },
  };
  const mapper = {
    origins: ['hr'],
    enriching: [],
    vocabulary: [],
    entity: 'users',
    map: ({ key, place, digest }: SourceRecord) => {
      mapped.push(key);
      return {
        kind: 'desired',
        desired: desiredOf(
          key,
          { name: digest ?? '' },
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
      today: new Date(0),
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

it('maps again what changed, and only that', async () => {
  const stores = openTestStores();
  expect(await stage(stores, { a: '1', b: '1' }, { mappedUnder: 'monday' })).toEqual(['a', 'b']);
  expect(await stage(stores, { a: '1', b: '2', c: '1' }, { mappedUnder: 'monday' })).toEqual(['b', 'c']);
  expect(valuesOf(stores)).toEqual({ a: '1', b: '2', c: '1' });
  expect(await stage(stores, { a: '1', b: '2', c: '1' }, { mappedUnder: 'monday' })).toEqual([]);
  expect(valuesOf(stores)).toEqual({ a: '1', b: '2', c: '1' });
});

it('maps all rows under another context, and neither uses nor remembers anything without one', async () => {
  const stores = openTestStores();
  await stage(stores, { a: '1' }, { mappedUnder: 'monday' });
  expect(await stage(stores, { a: '2' }, { mappedUnder: null })).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday' })).toEqual([]);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'tuesday' })).toEqual(['a']);
  expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday' })).toEqual(['a']);
});

it('forgets a row that a complete read did not bring, and no row for an incomplete one', async () => {
  const stores = openTestStores();
  const under = { mappedUnder: 'monday' };
  await stage(stores, { a: '1', b: '1' }, under);
  await stage(stores, { a: '1' }, { ...under, complete: false });
  expect(await stage(stores, { a: '1', b: '1' }, under)).toEqual([]);
  await stage(stores, { a: '1' }, under);
  expect(await stage(stores, { a: '1', b: '1' }, under)).toEqual(['b']);
});

it('maps a row whose columns are written back in every run, and has what is in them', async () => {
  const stores = openTestStores();
  const backingOf = (phone: string): Backing => ({
    records: { hr: { record: 'a', cells: { phone } } },
    modified: null,
  });
  for (const back of [backingOf('1'), backingOf('2')]) {
    expect(await stage(stores, { a: '1' }, { mappedUnder: 'monday', back })).toEqual(['a']);
    expect([...stores.work.writeBackRows('users', null)].map(({ desired }) => desired.writeBack)).toEqual([back]);
  }
});
