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

it('splits a report of too many CVs by office and delivers it as one table', async () => {
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
  // One report of all three offices; then the first two by name together, and the third; then each of the two.
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
  // The next forecast knows the number of calls.
  story.clock.advance(DAY);
  expect((await story.plan()).json.cost.by_endpoint).toMatchObject({
    'POST /api/v4/search': 6,
    'POST /api/v2/cv-report': 4,
    'GET (signed link)': 4,
  });
});

sweep('delivers one workbook per part as xlsx, and each opens', async () => {
  const { story, reportAlone, files } = await openDelivery({ users: USERS });
  reportAlone({ people: { type: 'user_report', languages: ['en'], format: 'xlsx' } });
  await story.sync();
  story.clock.advance(DAY);
  // The story's clock is ahead of the service, which needs real time for 10,000 lines: a later run finishes the report.
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
