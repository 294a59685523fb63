import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { readBothSides } from '../../../src/planning/reads/read-both-sides.js';
import type { StageContext } from '../../../src/planning/staging/stage-sources.js';
import { changeOf, openTestStores } from '../../samples.js';
import { contextOf, NOW, type World } from '../world.js';

interface Account extends Pick<World, 'shows'> {
  readonly full?: boolean;
  /** When everybody was read last, and up to where the feed was. */
  readonly readAt?: string | null;
}

async function read({ full = false, readAt = '2026-11-20T11:00:00.000Z', shows = {} }: Account) {
  const stores = openTestStores();
  if (readAt !== null) {
    stores.mirror.setMark('users.full_read_at', readAt);
    stores.mirror.setMark('users.cursor', '2026-11-20T11:00:00+00:00');
  }
  // Of an earlier derivation.
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

describe('both sides, as of one time', () => {
  it.each<readonly [when: string, account: Account, people: readonly string[], isFull: boolean]>([
    ['the feed of people where everybody was read lately', {}, ['users.readChanges'], false],
    ['everybody when that is asked for', { full: true }, ['users.search'], true],
    ['everybody when that is due', { readAt: '2026-11-01T11:00:00.000Z' }, ['users.search'], true],
    ['everybody the first time', { readAt: null }, ['users.search'], true],
  ])('are %s', async (_when, account, people, isFull) => {
    const both = await read(account);
    expect(both).toMatchObject({ people, usersFresh: isFull, isChecked: isFull, now: NOW, staged: [], planned: 0 });
    expect(both.mirrorRead.users).toBe(isFull ? 'full read' : 'feed');
  });

  it('with what the service refused, for which the rest is left alone', async () => {
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
