import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallAnswer, CallRequest, ReadCall } from '../../src/service/call.js';
import { type ChangesPage, readChanges } from '../../src/service/user-changes.js';
import { tries } from '../depth.js';

interface Row {
  readonly id: string;
  readonly profile_updated_at: string;
}
type Reading = 'exact' | 'keyset';

const stampOf = (second: number): string => `2026-11-20T10:${String(second).padStart(2, '0')}:00+00:00`;

function compare(a: Row, b: Row): number {
  if (a.profile_updated_at !== b.profile_updated_at) return a.profile_updated_at < b.profile_updated_at ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** The feed in memory, with either meaning of `after_id`. `onCall` may change rows between calls. */
function createFeed(rows: readonly Row[], reading: Reading): { call: ReadCall; requests: CallRequest[]; rows: Row[] } {
  const requests: CallRequest[] = [];
  const held = [...rows];
  const call: ReadCall = async (request) => {
    requests.push(request);
    const since = String(request.query?.profile_updated_since);
    const afterId = request.query?.after_id;
    const after = typeof afterId === 'string' ? { id: afterId, profile_updated_at: since } : null;
    const body = held
      .filter((row) => row.profile_updated_at >= since)
      .filter((row) => after === null || (reading === 'exact' ? row.id !== after.id : compare(row, after) > 0))
      .sort(compare)
      .slice(0, Number(request.query?.limit))
      .map((row) => ({ ...row }));
    const answer: CallAnswer = {
      endpoint: 'readUserChanges',
      path: '/api/v1/users/changes',
      status: 200,
      requestId: null,
      body,
      attempts: 1,
      repeat: 'idempotent',
      baseUrl: 'https://acme.example.com',
    };
    return answer;
  };
  return { call, requests, rows: held };
}

async function collect(pages: AsyncGenerator<ChangesPage>): Promise<ChangesPage[]> {
  const all: ChangesPage[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const feeds = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.boolean()), { maxLength: 80 })
  .map((seconds) =>
    seconds.map(
      ([second], index): Row => ({ id: `u${(index * 7919) % 101}-${index}`, profile_updated_at: stampOf(second) }),
    ),
  );
const readings = fc.constantFrom<Reading>('exact', 'keyset');

describe('readChanges', () => {
  it('delivers every user from the timestamp on, once, for any meaning, page size and ties', async () => {
    await fc.assert(
      fc.asyncProperty(
        feeds,
        readings,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 6 }),
        async (rows, reading, limit, from) => {
          const since = stampOf(from);
          const pages = await collect(readChanges(createFeed(rows, reading).call, { since, limit }));
          const expected = rows.filter((row) => row.profile_updated_at >= since).map((row) => row.id);
          const got = pages.flatMap((page) => page.users.map((user) => user.id));
          expect(got.toSorted()).toEqual(expected.toSorted());
          expect(pages.some((page) => page.overflow)).toBe(false);
          const last = rows
            .filter((row) => row.profile_updated_at >= since)
            .toSorted(compare)
            .at(-1);
          expect(pages.at(-1)?.resumeFrom).toBe(last?.profile_updated_at ?? since);
        },
      ),
      { numRuns: tries(500) },
    );
  });

  it('delivers everyone, or reports that it could not because of the longest limit', async () => {
    await fc.assert(
      fc.asyncProperty(feeds, readings, fc.integer({ min: 1, max: 8 }), async (rows, reading, longestLimit) => {
        const options = { since: stampOf(0), limit: 4, longestLimit };
        const pages = await collect(readChanges(createFeed(rows, reading).call, options));
        const got = new Set(pages.flatMap((page) => page.users.map((user) => user.id)));
        const overflow = pages.at(-1)?.overflow ?? false;
        expect(overflow || got.size === rows.length).toBe(true);
        // Only the exact meaning can get stuck.
        if (reading === 'keyset') expect(overflow).toBe(false);
      }),
      { numRuns: tries(500) },
    );
  });

  it('starts without after_id, and then sends the last timestamp back unchanged', async () => {
    const rows = [0, 1, 2].map((second): Row => ({ id: `u${second}`, profile_updated_at: stampOf(second) }));
    const { call, requests } = createFeed(rows, 'keyset');
    await collect(readChanges(call, { since: stampOf(0), limit: 2 }));
    expect(requests.map((request) => request.query)).toEqual([
      { profile_updated_since: stampOf(0), after_id: undefined, limit: 2 },
      { profile_updated_since: stampOf(1), after_id: 'u1', limit: 2 },
    ]);
  });

  it('takes one call without changes, and delivers the users at the cursor again', async () => {
    const { call, requests } = createFeed([{ id: 'u1', profile_updated_at: stampOf(3) }], 'exact');
    const pages = await collect(readChanges(call, { since: stampOf(3) }));
    expect(requests).toHaveLength(1);
    expect(pages).toMatchObject([{ users: [{ id: 'u1' }], resumeFrom: stampOf(3), overflow: false }]);
  });

  it('delivers a user who changes meanwhile again, with the new timestamp', async () => {
    const feed = createFeed(
      [0, 1, 2, 3].map((second): Row => ({ id: `u${second}`, profile_updated_at: stampOf(second) })),
      'exact',
    );
    const pages = readChanges(feed.call, { since: stampOf(0), limit: 2 });
    const seen: string[] = [];
    for await (const page of pages) {
      seen.push(...page.users.map((user) => `${user.id} ${user.profile_updated_at}`));
      if (seen.length === 2) feed.rows.splice(0, 1, { id: 'u0', profile_updated_at: stampOf(5) });
    }
    expect(seen).toContain(`u0 ${stampOf(0)}`);
    expect(seen).toContain(`u0 ${stampOf(5)}`);
    expect(seen).toHaveLength(5);
  });

  it('rejects a feed without timestamps, because it could not resume', async () => {
    const call: ReadCall = async () => ({
      endpoint: 'readUserChanges',
      path: '/x',
      status: 200,
      requestId: 'r1',
      body: [{ id: 'u1' }],
      attempts: 1,
      repeat: 'idempotent',
      baseUrl: 'https://a',
    });
    await expect(collect(readChanges(call, { since: stampOf(0) }))).rejects.toMatchObject({
      code: 'SYNC_SERVICE_ANSWER',
      requestId: 'r1',
    });
  });
});
