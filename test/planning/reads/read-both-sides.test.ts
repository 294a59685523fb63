import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { readBothSides } from '../../../src/planning/reads/read-both-sides.js';
import type { StageContext } from '../../../src/planning/staging/stage-sources.js';
import { changeOf, openTestStores } from '../../samples.js';
import { contextOf, NOW, type World } from '../world.js';

interface Account extends Pick<World, 'shows'> {
  readonly full?: boolean;
  /** The time of the last full read, after which the feed continues. */
  readonly readAt?: string | null;
}

async function read({ full = false, readAt = '2026-11-20T11:00:00.000Z', shows = {} }: Account) {
  const stores = openTestStores();
  if (readAt !== null) {
    stores.mirror.setMark('users.full_read_at', readAt);
    stores.mirror.setMark('users.cursor', '2026-11-20T11:00:00+00:00');
  }
  // From an earlier derivation.
  stores.work.plan(changeOf('users', 'E9'));
  const { context, calls } = contextOf({ stores, shows });
  const { config, refresh, protectedBy } = context;
  const stageContext = { config, connectors: new Map(), work: stores.work } as unknown as StageContext;
  const tenant = {
    config,
    stores,
    clock: refresh.clock,
    mappers: {},
    refreshContext: refresh,
    stageContext,
    protectedBy,
  };
  const both = await readBothSides(tenant, full);
  return { ...both, people: calls.filter((call) => call.startsWith('users')), planned: stores.work.count('all') };
}

describe('reading both sides', () => {
  it.each<readonly [when: string, account: Account, people: readonly string[], isFull: boolean]>([
    ['the feed of people after a recent full read', {}, ['users.readChanges'], false],
    ['everybody on request', { full: true }, ['users.search'], true],
    ['everybody when a full read is due', { readAt: '2026-11-01T11:00:00.000Z' }, ['users.search'], true],
    ['everybody the first time', { readAt: null }, ['users.search'], true],
  ])('reads %s', async (_when, account, people, isFull) => {
    const both = await read(account);
    expect(both).toMatchObject({ people, usersFresh: isFull, isChecked: isFull, now: NOW, staged: [], planned: 0 });
    expect(both.mirrorRead.users).toBe(isFull ? 'full read' : 'feed');
  });

  it('records the reads that the service rejects', async () => {
    const shows = {
      get 'users.readChanges'(): never {
        throw new SyncError('SYNC_SERVICE_FORBIDDEN', { message: 'no', remedy: 'Ask.' });
      },
    };
    const both = await read({ shows });
    expect([both.mirrorRead.users, both.usersFresh]).toEqual(['not read', false]);
    expect(both.refused.all().map(({ area }) => area)).toEqual(['users']);
  });
});
