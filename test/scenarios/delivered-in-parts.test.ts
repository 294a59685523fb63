import { expect, it } from 'vitest';
import { countRows, DAY, openDelivery } from './delivered.js';

const OFFICES = [
  ['no', 'Oslo', 7_000],
  ['no', 'Bergen', 3_100],
  ['se', 'Stockholm', 20],
] as const;

it('a report of more CVs than one may hold is split by office and delivered as one table', async () => {
  const users = OFFICES.flatMap(([country, office, count]) =>
    Array.from({ length: count }, (_, i) => ({
      email: `${office.toLowerCase()}-${i}@example.com`,
      name: `${office} ${i}`,
      country,
      office,
    })),
  );
  const { story, reportAlone, files, read, takeCalls } = await openDelivery({ users });
  reportAlone({
    people: { type: 'user_report', languages: ['en'] },
    oslo: { type: 'languages', filter: { offices: [{ country: 'no', name: 'Oslo' }] } },
  });
  await story.sync();
  story.clock.advance(DAY);
  takeCalls();
  const { code, json } = await story.sync();
  expect(code).toBe(0);
  // All three offices; the first two in the order of their names, and the third; each of the two.
  const calls = takeCalls();
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([
    'POST /api/v4/search 200',
    'POST /api/v4/search 200',
    'POST /api/v4/search 200',
    'POST /api/v4/search 200',
    'POST /api/v4/search 200',
    'POST /api/v2/cv-report 200',
    'POST /api/v2/cv-report 200',
    'POST /api/v2/cv-report 200',
    'POST /api/v4/search 200',
    'POST /api/v2/cv-report 200',
  ]);
  expect(json.deliveries).toMatchObject([
    { report: 'people', status: 'delivered', files: [{ rows: 10_120 }] },
    { report: 'oslo', status: 'delivered', files: [{ rows: 0 }] },
  ]);
  const table = read(files().find((name) => name.startsWith('people')) ?? '');
  expect(countRows(table)).toBe(10_120);
  expect(table.match(/^Name,Name \(multilang\)/gm)).toHaveLength(1);
  expect(new Set(table.match(/[\w-]+@example\.com/g)).size).toBe(10_120);
  // The next forecast knows what it takes.
  story.clock.advance(DAY);
  expect((await story.plan()).json.cost.by_endpoint).toMatchObject({
    'POST /api/v4/search': 6,
    'POST /api/v2/cv-report': 4,
    'GET (signed link)': 4,
  });
});
