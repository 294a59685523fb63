import { expect, it } from 'vitest';
import { BY_TIME, openFeed } from './listed-stream.js';

it('hands over 20,000 rows page by page, and keeps them out of memory', async () => {
  const count = 20_000;
  const size = 1_000;
  let asked = 0;
  const feed = await openFeed(
    (request, response) => {
      asked++;
      const start = Number(new URL(request.url ?? '', 'http://feed').searchParams.get('cursor') ?? 0);
      const results = Array.from({ length: size }, (_, at) => ({
        id: `r${start + at}`,
        name: `Company ${start + at}`,
        note: 'x'.repeat(200),
        changed: '2026-01-01T00:00:00Z',
      }));
      const next = start + size < count ? String(start + size) : null;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results, next, count }));
    },
    { total: '/count', incremental: BY_TIME },
  );
  let [rows, mostAhead] = [0, 0];
  const evidence = await feed.connector.read(({ records }) => {
    rows += records.length;
    // Memory holds the rows that were requested but not handed over yet.
    mostAhead = Math.max(mostAhead, asked * size - rows);
  });
  expect(evidence).toMatchObject({ rows: count, complete: true });
  expect(rows).toBe(count);
  expect(mostAhead).toBeLessThanOrEqual(size);
});
