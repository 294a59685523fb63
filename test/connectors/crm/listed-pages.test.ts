import { describe, expect, it } from 'vitest';
import type { ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import { oneIn, sweep } from '../../depth.js';
import { answerJson, catchSyncError, column, type Respond, serveFeed } from '../fixtures.js';
import { openFeed } from './listed-stream.js';

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `r${at}`, name: `n${at}` }));

/** Answers according to the query of a request. */
function answerBy(page: (query: URLSearchParams) => object, headers: Record<string, string> = {}): Respond {
  return (request, response) =>
    answerJson(response, page(new URL(request.url ?? '', 'http://feed').searchParams), 200, headers);
}

function byOffset(all: readonly object[], most: number): Respond {
  return answerBy((query) => {
    const skip = Number(query.get('skip'));
    return { results: all.slice(skip, skip + Math.min(most, Number(query.get('take')))), total: all.length };
  });
}

const OFFSET: Partial<ListedStreamConfig> = { next: { kind: 'offset', parameter: 'skip', limit: 'take', size: 3 } };

describe('pages', () => {
  it('follow a token, which is sent back unchanged', async () => {
    const feed = await openFeed(serveFeed(rows(5), 2), { query: { q: 'a b' }, headers: { 'x-tenant': 'acme' } });
    const read = await feed.read();
    expect(Object.keys(read.names)).toHaveLength(5);
    expect(read.complete).toBe(true);
    const tail = (cursor: string): string => `?q=a%20b&cursor=${encodeURIComponent(cursor)}`;
    expect(read.asked.map((url) => url.replace(/^.*people/, ''))).toEqual(['?q=a%20b', tail('t+/2'), tail('t+/4')]);
  });

  it('follow a link, absolute or relative', async () => {
    const feed = await openFeed(
      answerBy((query) => {
        const page = Number(query.get('page') ?? 0);
        const link = [`people?page=1`, `/scim/v2/v1/people?page=2&t=%2B`, null][page];
        return { results: rows(Math.min(5, page * 2 + 2)).slice(page * 2), paging: { next: { link } } };
      }),
      { next: { kind: 'link', at: '/paging/next/link' } },
    );
    expect(await feed.read()).toMatchObject({ names: { r0: 'n0', r2: 'n2', r4: 'n4' }, complete: true });
  });

  it('follow a link in a header', async () => {
    const feed = await openFeed(
      (request, response) => {
        const isFirst = !request.url?.includes('page=2');
        const link = isFirst ? '</scim/v2/v1/people?page=9>; rel="last", </scim/v2/v1/people?page=2>; rel="next"' : '';
        answerJson(response, isFirst ? rows(2) : rows(3).slice(2), 200, isFirst ? { link } : {});
      },
      { next: { kind: 'header', name: 'link' }, rows: '' },
    );
    const read = await feed.read();
    expect(read).toMatchObject({ names: { r0: 'n0', r2: 'n2' }, complete: true });
    expect(read.asked[1]).toContain('page=2');
  });

  it('follow an offset that counts the received rows, until a page is empty', async () => {
    const read = await (await openFeed(byOffset(rows(5), 2), OFFSET)).read();
    expect(read.asked.map((url) => new URL(url, 'http://feed').searchParams.get('skip'))).toEqual(['0', '2', '4', '5']);
    expect(read).toMatchObject({ complete: true });
  });

  sweep('end at the total, if offsets come with one', async () => {
    const read = await (await openFeed(byOffset(rows(5), 2), { ...OFFSET, total: '/total' })).read();
    expect(read.asked).toHaveLength(3);
    expect(read.complete).toBe(true);
  });

  sweep('can be a single response', async () => {
    const feed = await openFeed(
      answerBy(() => ({ results: rows(2) })),
      { next: { kind: 'none' } },
    );
    expect(await feed.read()).toMatchObject({ names: { r0: 'n0', r1: 'n1' }, complete: true });
  });
});

describe('a read without proof of absence', () => {
  it.each<[string, Respond, Partial<ListedStreamConfig>, string]>([
    [
      'a first page that does not mention a next one',
      answerBy(() => ({ results: rows(2) })),
      {},
      'names no next page at next.token (/next)',
    ],
    [
      'repeated pages',
      answerBy((query) => ({ results: rows(2), next: `${query.get('cursor')}x` })),
      {},
      'repeats its pages',
    ],
    [
      'fewer rows than the total of the CRM',
      answerBy(() => ({ results: rows(2), next: null, total: 3 })),
      { total: '/total' },
      '2 different rows arrived, but the CRM counts 3',
    ],
    [
      'a changing total',
      answerBy((query) => ({
        results: query.has('cursor') ? [{ id: 'z', name: 'z' }] : rows(2),
        next: query.has('cursor') ? null : 'x',
        total: query.has('cursor') ? 3 : 2,
      })),
      { total: '/total' },
      'changed from 2 to 3',
    ],
    ['no rows', answerBy(() => ({ results: [], next: null })), {}, 'no rows'],
  ])('results from %s', async (_, respond, rest, said) => {
    const read = await (await openFeed(respond, rest)).read();
    expect(read.complete).toBe(false);
    expect(read.because).toContain(said);
  });

  it('trusts a static file that answers every offset alike', async () => {
    const feed = await openFeed(
      answerBy(() => ({ results: rows(2) })),
      OFFSET,
    );
    expect(await feed.read()).toMatchObject({ complete: true });
  });

  it('trusts a single page that does not mention a next one, if the total matches', async () => {
    const feed = await openFeed(
      answerBy(() => ({ results: rows(2), total: '2' })),
      { total: '/total' },
    );
    expect((await feed.read()).complete).toBe(true);
  });
});

it('delivers an identical duplicate row once, and a different one twice', async () => {
  const pages = [
    [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ],
    [
      { id: 'b', name: 'B' },
      { id: 'c', name: 'C' },
      { id: 'a', name: 'other' },
    ],
  ];
  const feed = await openFeed(
    answerBy((query) => ({ results: pages[query.has('cursor') ? 1 : 0], next: query.has('cursor') ? null : 'x' })),
  );
  const keys: string[] = [];
  await feed.connector.read(({ records }) => keys.push(...records.map(({ key }) => key)));
  expect(keys).toEqual(['a', 'b', 'c', 'a']);
});

it('does not follow a link to another origin, which would receive the token', async () => {
  const feed = await openFeed(
    answerBy(() => ({ results: rows(1), next: 'https://evil.example.com/v1/people?page=2' })),
    { next: { kind: 'link', at: '/next' } },
  );
  const error = await catchSyncError(feed.read());
  expect(error.code).toBe('SYNC_SOURCE_FORMAT');
  expect(error.message).toContain('https://evil.example.com');
  expect(feed.requests).toHaveLength(1);
});

describe('an expired place in the listing', () => {
  /** Serves two pages and rejects the second this many times. */
  function lapsing(status: number, times: number): Respond {
    let left = times;
    return (request, response) => {
      const isSecond = request.url?.includes('cursor=') === true;
      if (isSecond && left-- > 0) return answerJson(response, { message: 'The cursor is too old.' }, status);
      answerJson(response, { results: isSecond ? rows(3).slice(2) : rows(2), next: isSecond ? null : 'x' });
    };
  }

  it.each(oneIn(1, [400, 404, 410]))('restarts the listing, with any vendor: %i', async (status) => {
    const feed = await openFeed(lapsing(status, 1));
    const read = await feed.read();
    expect(read).toMatchObject({ names: { r0: 'n0', r2: 'n2' }, complete: true });
    expect(read.asked).toHaveLength(4);
  });

  it('proves nothing if it expires every time, and quotes the reason of the CRM', async () => {
    const feed = await openFeed(lapsing(400, 99));
    const read = await feed.read();
    expect(read.complete).toBe(false);
    expect(read.because).toContain('lost 4 times before it ended (400: The cursor is too old)');
    expect(read.asked).toHaveLength(8);
  });

  it('does not apply to the first page, where the status is an error', async () => {
    const feed = await openFeed((_, response) => answerJson(response, {}, 404));
    expect((await catchSyncError(feed.read())).code).toBe('SYNC_SOURCE_UNREADABLE');
    expect(feed.requests).toHaveLength(1);
  });
});

it('stops the read if the rows are not where they should be', async () => {
  const feed = await openFeed(answerBy(() => ({ result: rows(1), next: null })));
  expect(await catchSyncError(feed.read())).toMatchObject({
    code: 'SYNC_SOURCE_FORMAT',
    message: expect.stringContaining('Nearest: "result"'),
  });
});

it('reads column values from inside a row', async () => {
  const feed = await openFeed(
    answerBy(() => ({
      results: [
        { attributes: { ref: 7 }, names: ['Ann'], owner: null },
        { attributes: { ref: 8 }, names: [] },
      ],
      next: null,
    })),
    {
      columns: {
        id: column('string', { from: '/attributes/ref' }),
        name: column('string', { from: '/names/0' }),
        owner: column('string', { from: '/owner/email', optional: true }),
      },
    },
  );
  expect(await feed.read()).toMatchObject({
    names: { 7: 'Ann' },
    rejected: [expect.stringContaining('nothing at /names/0')],
    complete: true,
  });
});

describe('a deleted row', () => {
  const serve = (...results: readonly object[]): Respond => answerBy(() => ({ results, next: null }));

  it.each(oneIn(1 / 2, [true, 1, 'true', '2026-01-01T10:00:00Z']))(
    'is reported as gone instead of as a record: %j',
    async (archived) => {
      const feed = await openFeed(serve({ id: 'a', name: 'A', archived }, { id: 'b', name: 'B', archived: null }), {
        deleted: { at: '/archived', is: null, key: null },
      });
      expect(await feed.read()).toMatchObject({ names: { b: 'B' }, gone: ['a'], complete: true });
    },
  );

  it('can be marked by a word', async () => {
    const feed = await openFeed(serve({ id: 'a', name: 'A', status: 'Deleted' }, { id: 'b', name: 'B', status: 'x' }), {
      deleted: { at: '/status', is: ['deleted'], key: null },
    });
    expect(await feed.read()).toMatchObject({ names: { b: 'B' }, gone: ['a'] });
  });

  it('is not guessed from a value that is not a flag', async () => {
    const feed = await openFeed(serve({ id: 'a', name: 'A', status: 'active' }), {
      deleted: { at: '/status', is: null, key: null },
    });
    const read = await feed.read();
    expect(read.gone).toEqual([]);
    expect(read.rejected[0]).toContain('"active", expected true, false or the time');
  });
});

describe('a row deleted according to an expression', () => {
  const ARCHIVED = { when: 'record.name == "archived" || record.?age.orValue(1) == 0' };

  it('is reported as gone, by its typed columns', async () => {
    const rows = [
      { id: 'a', name: ' archived ' },
      { id: 'b', name: 'B', age: '0' },
      { id: 'c', name: 'C' },
    ];
    const feed = await openFeed(
      answerBy(() => ({ results: rows, next: null })),
      { deleted: ARCHIVED },
    );
    expect(await feed.read()).toMatchObject({ names: { c: 'C' }, gone: ['a', 'b'], complete: true });
  });

  it('is rejected if a column is unreadable or the expression fails', async () => {
    const rows = [
      { id: 'a', name: 'archived', age: 'old' },
      { id: 'b', name: 'B', age: '0' },
    ];
    const feed = await openFeed(
      answerBy(() => ({ results: rows, next: null })),
      { deleted: { when: '1 / record.?age.orValue(1) > 0' } },
    );
    const read = await feed.read();
    expect([read.gone, read.names]).toEqual([[], {}]);
    expect(read.rejected).toEqual([
      expect.stringContaining('column "age"'),
      expect.stringContaining('`1 / record.?age.orValue(1) > 0` fails'),
    ]);
  });
});
