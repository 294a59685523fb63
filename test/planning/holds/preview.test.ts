import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { Mapper } from '../../../src/mapping/mapper.js';
import type { SourceRecord } from '../../../src/model/source.js';
import { previewEarlier } from '../../../src/planning/holds/preview.js';
import { openStores } from '../../../src/store/open-stores.js';
import { closeAfterTest } from '../../closing.js';
import { loadSample } from '../../config/sample.js';
import { evidenceOf, linkTo, makeFolder, observedOf, openTestStores } from '../../samples.js';
import { contextOf, personOf, readOf, rowOf, stagedOf } from '../world.js';

interface Again {
  /** The digest of the source when it is read again. */
  readonly digest?: string;
  readonly fails?: 'to open' | 'to be read';
  readonly source?: string;
}

/** Three people are linked. Under the earlier configuration two have another number, and one has left. */
async function preview({ digest = 'd1', fails, source = 'hr' }: Again = {}) {
  const folder = makeFolder();
  const stores = openTestStores(folder);
  for (const key of ['E1', 'E2', 'E3']) linkTo(stores, 'users', key, observedOf(`u-${key}`, personOf(key)));
  // Linked, but on no list: looking it up would take a call.
  stores.links.link({
    entity: 'users',
    sourceKey: 'E4',
    serviceId: 'u-E4',
    origin: 'created',
    run: 'r1',
    at: '2026-11-20T08:00:00.000Z',
  });
  const { context, calls } = contextOf({ stores, staged: [stagedOf('users', readOf('hr'))] });
  const keys = ['E1', 'E2', 'E3', 'E4'];
  const connector = {
    async read(take: Parameters<Connector['read']>[0]) {
      if (fails === 'to be read') throw new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'no file', remedy: 'x' });
      const records = keys.map((key): SourceRecord => ({ key, place: rowOf(key).place, cells: {} }));
      take({ records, rejected: [] });
      return evidenceOf({ source, digest, rows: 4 });
    },
  } as unknown as Connector;
  const mapper = {
    ...{
      origins: [source],
      enriching: [],
      vocabulary: [],
      entity: 'users',
      kept: '',
      isDated: false,
      reads: new Map(),
    },
    map: ({ key }: SourceRecord) => ({
      ...{ kind: 'desired', until: null, unread: [] },
      desired: rowOf(key, key === 'E3' ? {} : { telephone: '1' }, { leaver: key === 'E3' }),
    }),
  } as unknown as Mapper;
  let closed = 0;
  const open = async () => {
    if (fails === 'to open') throw new SyncError('SYNC_CONFIG_INVALID', { message: 'no such column', remedy: 'x' });
    const beside = openStores(folder, { lockedAt: null, isBeside: true });
    closeAfterTest({ close: () => beside.close() });
    const config = loadSample();
    const reading = {
      connectors: new Map([[source, connector]]),
      today: new Date(0),
      signal: undefined,
      mappedUnder: null,
    };
    return {
      ...{ config, stores: beside, mappers: { users: mapper }, protectedBy: () => null },
      stageContext: {
        ...reading,
        config,
        work: beside.work,
        vocabulary: () => ({ has: () => true, knows: () => true }),
      },
      close: async () => {
        closed += 1;
      },
    };
  };
  const previewOf = await previewEarlier({ paths: ['users.scope'], run: 'r1', open }, context);
  return { previewOf, calls, closed: () => closed, stores };
}

describe('the plan under the earlier configuration', () => {
  it('is counted per guard and closed, without calls to the service and without leftovers', async () => {
    const { previewOf, calls, closed, stores } = await preview();
    const countOf = (guard: string) => previewOf(guard, 9).before;
    expect(previewOf('users.update', 9)).toEqual({ before: 2, now: 9, paths: ['users.scope'], run: 'r1' });
    expect([countOf('users.deactivate'), countOf('users.fields.telephone'), countOf('users.fields.name')]).toEqual([
      1, 2, 0,
    ]);
    expect([countOf('users.out_of_scope'), countOf('users.create'), countOf('offices.create')]).toEqual([0, 1, 0]);
    expect([calls, closed(), stores.work.count('all')]).toEqual([[], 1, 0]);
  });

  it.each<readonly [why: string, again: Again, unknown: string, closes: number]>([
    ['the source gave other data', { digest: 'd2' }, 'hr had different data when it was read again', 1],
    ['it could not be read', { fails: 'to be read' }, 'hr had different data when it was read again', 1],
    ['it could not be opened', { fails: 'to open' }, 'no such column', 0],
  ])('is unknown if %s', async (_why, again, unknown, closes) => {
    const { previewOf, closed } = await preview(again);
    expect(previewOf('users.update', 9)).toEqual({ before: null, now: 9, paths: ['users.scope'], run: 'r1', unknown });
    expect(closed()).toBe(closes);
  });

  it('may depend on a source that this run did not read', async () => {
    const { previewOf } = await preview({ source: 'idp', digest: 'd2' });
    expect(previewOf('users.update', 9)).not.toHaveProperty('unknown');
  });
});
