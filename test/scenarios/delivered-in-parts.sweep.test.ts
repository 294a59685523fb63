import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { expect, it, vi } from 'vitest';
import { sweep } from '../depth.js';
import { countRows, DAY, openDelivery } from './delivered.js';

const OFFICES = [
  ['no', 'Oslo', 7_000],
  ['no', 'Bergen', 3_100],
  ['se', 'Stockholm', 20],
] as const;

const USERS = OFFICES.flatMap(([country, office, count]) =>
  Array.from({ length: count }, (_, i) => ({
    email: `${office.toLowerCase()}-${i}@example.com`,
    name: `${office} ${i}`,
    country,
    office,
  })),
);

it('a report of more CVs than one may hold is split by office and delivered as one table', async () => {
  const { story, reportAlone, files, read, takeCalls } = await openDelivery({ users: USERS });
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

sweep('as xlsx it is a workbook for each part, and each opens', async () => {
  const { story, reportAlone, files } = await openDelivery({ users: USERS });
  reportAlone({ people: { type: 'user_report', languages: ['en'], format: 'xlsx' } });
  await story.sync();
  story.clock.advance(DAY);
  // The story's clock runs ahead of the service, which makes 10,000 lines in real time: a later run takes the report up.
  await vi.waitFor(async () => expect((await story.sync()).json.deliveries).toMatchObject([{ status: 'delivered' }]), {
    timeout: 30_000,
    interval: 300,
  });
  const names = files();
  expect(names).toEqual([1, 2, 3].map((part) => expect.stringMatching(`^people-\\d{8}-${part}of3.xlsx$`)));
  const tables = await Promise.all(names.map((name) => readSheet(join(story.folder, 'out', name))));
  expect(tables.map(({ length }) => length - 1)).toEqual([3_100, 7_000, 20]);
  const emails = tables.flatMap(([titles = [], ...rows]) => rows.map((row) => row[titles.indexOf('Email')]));
  expect(new Set(emails).size).toBe(10_120);
});
