import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CV_REPORT_TYPES } from '../../src/model/report-kinds.js';
import { sweep } from '../depth.js';
import { countRows, DAY, openDelivery } from './delivered.js';
import type { Ran, RunDocument } from './documents.js';

const COUNT = 'POST /api/v4/search 200';
const START = 'POST /api/v2/cv-report 200';
const POLL = 'GET /api/v2/cv-report/:report_id 200';
const FILE = 'GET /files/:file_id 200';

/** `20261120`: the day of the first delivery's slot, as in file names. */
function dayOf({ json: { deliveries } }: Pick<Ran<RunDocument>, 'json'>): string {
  return deliveries?.[0]?.slot?.slice(0, 10).replaceAll('-', '') ?? '';
}

describe('scheduled reports', () => {
  it('owes nothing for past slots, then delivers once per slot and records it in the audit', async () => {
    const { story, report, files, read, takeCalls } = await openDelivery();
    report({ people: { type: 'user_report' } });
    const first = await story.sync();
    expect(first).toMatchObject({ code: 0, json: { done: 1 } });
    expect(first.json.deliveries).toBeUndefined();
    expect(takeCalls()).toEqual([]);

    story.clock.advance(DAY);
    const planned = await story.plan();
    expect(planned.json.deliveries).toMatchObject([{ report: 'people', of: 'cv user_report', missed: 0 }]);
    expect(planned.json.cost).toMatchObject({
      writes: 0,
      by_endpoint: {
        'POST /api/v4/search': 1,
        'POST /api/v2/cv-report': 1,
        'GET /api/v2/cv-report/{report_id}': 2,
        'GET (signed link)': 1,
      },
    });
    expect([takeCalls(), files()]).toEqual([[], []]);

    const second = await story.sync();
    const name = `people-${dayOf(second)}.csv`;
    expect(files()).toEqual([name]);
    const sha256 = createHash('sha256').update(read(name)).digest('hex');
    expect(second).toMatchObject({ code: 0, json: { done: 0 } });
    expect(second.json.deliveries).toEqual([
      {
        report: 'people',
        of: 'cv user_report',
        slot: expect.stringMatching(/:00\.000Z$/),
        status: 'delivered',
        missed: 0,
        files: [{ at: join(story.folder, 'out', name), name, rows: 1, bytes: Buffer.byteLength(read(name)), sha256 }],
      },
    ]);
    expect(read(name)).toContain('e1@example.com');
    const calls = takeCalls();
    expect(calls.filter((call) => call !== POLL)).toEqual([COUNT, START, FILE]);

    const third = await story.sync();
    expect([third.json.deliveries, takeCalls()]).toEqual([undefined, []]);
    const { stdout } = await story.type('audit', 'list', '--json');
    const told = (JSON.parse(stdout) as { entries: { kind: string }[] }).entries.filter(
      ({ kind }) => kind === 'report delivered',
    );
    expect(told).toMatchObject([{ run: second.json.run, report: 'people', files: [{ rows: 1, sha256 }] }]);
    expect(stdout).not.toContain('Cv Last updated');
    expect((await story.verify()).json.ok).toBe(true);
  });

  sweep('delivers every type of report, and references, each in its own file', async () => {
    const { story, report, files, read } = await openDelivery({
      users: [{ email: 'old@example.com', name: 'Old Hand', country: 'se', office: 'Stockholm' }],
    });
    const types = CV_REPORT_TYPES.map((type) => [type, { type }] as const);
    report({ ...Object.fromEntries(types), references: { kind: 'reference', filter: { stage: 'all' } } });
    await story.sync();
    story.clock.advance(DAY);
    const { code, json } = await story.sync();
    expect(code).toBe(0);
    expect(json.deliveries?.map(({ status }) => status)).toEqual(Array.from({ length: 14 }, () => 'delivered'));
    const day = dayOf({ json });
    expect(files()).toEqual([...CV_REPORT_TYPES, 'references'].map((name) => `${name}-${day}.csv`).sort());
    expect(countRows(read(`user_report-${day}.csv`))).toBe(2);
    expect(read(`technologies-${day}.csv`)).toMatch(/^Name,Email,.*Proficiency/);
    expect(read(`references-${day}.csv`)).toMatch(/^id,/);
  });

  sweep('limits a report by office, country, tag, text and languages', async () => {
    const { story, report, read } = await openDelivery({
      users: ['Oslo', 'Bergen', 'Stockholm'].map((office) => ({
        email: `${office.toLowerCase()}@example.com`,
        name: `In ${office}`,
        country: office === 'Stockholm' ? 'se' : 'no',
        office,
      })),
    });
    report({
      norway: {
        type: 'user_report',
        filter: { offices: [{ country: 'NO' }] },
        deliver: { drop: './out', name: 'a.csv' },
      },
      bergen: {
        type: 'user_report',
        languages: ['sv'],
        filter: { offices: [{ country: 'no', name: 'bergen' }], text: 'in bergen', any_field: { name: 'Bergen' } },
        deliver: { drop: './out', name: 'b.csv' },
      },
      nobody: { type: 'user_report', filter: { tags: { unit: ['north'] } }, deliver: { drop: './out', name: 'c.csv' } },
    });
    await story.sync();
    story.clock.advance(DAY);
    expect((await story.sync()).code).toBe(0);
    expect(read('a.csv').match(/In \w+/g)).toEqual(['In Bergen', 'In Oslo']);
    expect(read('b.csv').match(/In \w+/g)).toEqual(['In Bergen']);
    expect(read('b.csv').match(/Title \(\w+\)/g)).toEqual(['Title (sv)']);
    expect(countRows(read('c.csv'))).toBe(0);
  });

  sweep('delivers once, for the newest of several slots without a run', async () => {
    const { story, report, files } = await openDelivery();
    report({ people: { type: 'user_report' } });
    await story.sync();
    story.clock.advance(3 * DAY);
    const { json } = await story.sync();
    expect(json.deliveries).toMatchObject([{ status: 'delivered', missed: 2 }]);
    expect(files()).toEqual([`people-${dayOf({ json })}.csv`]);
    expect((await story.sync()).json.deliveries).toBeUndefined();
  });

  sweep('shows a report in the plan, the run and its page', async () => {
    const { story, report } = await openDelivery();
    report({ people: { type: 'user_report' }, lost: { type: 'courses', deliver: { drop: './gone' } } });
    await story.sync();
    story.clock.advance(DAY);
    expect((await story.type('plan')).stdout).toMatch(
      / {2}report people \(cv user_report\) of \d{4}-\d\d-\d\d \d\d:\d\d UTC\n {4}delivered by the next run: 5 calls\n {2}report lost/,
    );
    const { stdout } = await story.type('sync');
    expect(stdout).toMatch(/report people \(cv user_report\) of .*\n {4}1 row to .*\/out\/people-\d{8}\.csv\n/);
    expect(stdout).toMatch(
      /x report lost \(cv courses\) of .* not delivered\n {4}SYNC_SOURCE_MISSING: [\s\S]*Create\s+the\s+folder/,
    );
    const page = (await story.type('export', 'report', 'run', '--format', 'md', '--out', '-')).stdout;
    expect(page).toMatch(/`people` \| cv user\\?_report \| .* \| delivered \| 1 row to/);
    expect(page.replaceAll('\\', '')).toContain('Report lost (cv courses) not delivered');
  });

  sweep('delivers nothing in runs of one object, or in an undo', async () => {
    const { story, report, takeCalls } = await openDelivery();
    report({ people: { type: 'user_report' } });
    const { json } = await story.sync();
    story.clock.advance(DAY);
    expect((await story.plan({ only: 'user:E1' })).json.deliveries).toBeUndefined();
    expect((await story.sync({ only: 'user:E1' })).json.deliveries).toBeUndefined();
    expect((await story.undo(json.run)).json.deliveries).toBeUndefined();
    expect(takeCalls()).toEqual([]);
  });
});

sweep('stops nothing else for a failing report, and finishes it in the next run without a new start', async () => {
  const { story, report, files, takeCalls } = await openDelivery();
  report({
    people: { type: 'user_report', deliver: { drop: './gone' } },
    skills: { type: 'technologies' },
    lost: { type: 'courses', filter: { offices: [{ country: 'no', name: 'Olso' }] } },
  });
  await story.sync();
  story.clock.advance(DAY);
  const { code, json } = await story.sync();
  expect(code).toBe(4);
  expect(json.deliveries).toMatchObject([
    {
      report: 'people',
      status: 'failed',
      files: [],
      error: { code: 'SYNC_SOURCE_MISSING', place: expect.any(String) },
    },
    { report: 'skills', status: 'delivered' },
    {
      report: 'lost',
      status: 'failed',
      error: { code: 'SYNC_REFERENCE_UNKNOWN', message: expect.stringContaining('Oslo') },
    },
  ]);
  expect(takeCalls().filter((call) => call === START)).toHaveLength(2);
  expect(files()).toHaveLength(1);
  const { stdout } = await story.type('status');
  expect(stdout).toMatch(/people\s+not delivered yet, due since[^\n]*\n\s+failed: SYNC_SOURCE_MISSING/);
  expect(stdout).toMatch(/skills\s+0 rows delivered .*, next /);
  // The failures are pending like everything else, and are mentioned once.
  expect(stdout).toMatch(/Waiting: .*2 failing deliveries/);
  expect((await story.type('holds', 'list')).stdout).toMatch(/Delivery “people”, for [\s\S]*SYNC_SOURCE_MISSING/);

  story.configure({
    reports: { people: { deliver: { drop: './out' } }, lost: { filter: { offices: [{ country: 'se' }] } } },
  });
  const again = await story.sync();
  expect(again).toMatchObject({ code: 0, json: { deliveries: [{ report: 'people' }, { report: 'lost' }] } });
  // The run fetches the report that was begun; the other had not been begun.
  expect(takeCalls().filter((call) => call === START)).toHaveLength(1);
  expect(files()).toHaveLength(3);
  expect((await story.type('status')).stdout).not.toMatch(/failed:|The delivery/);
});

sweep('survives a limited poll, an expired link and a truncated file of a report', async () => {
  const { story, report, takeCalls } = await openDelivery();
  report({ people: { type: 'user_report' } });
  await story.sync();
  story.clock.advance(DAY);
  story.sandbox.faults.add(
    { method: 'GET', path: '/api/v2/cv-report', kind: 'status', status: 429, retry_after: 7 },
    { path: '/files/', kind: 'status', status: 403 },
    { path: '/files/', kind: 'truncate' },
  );
  const before = story.clock.now();
  expect(await story.sync()).toMatchObject({
    code: 0,
    json: { deliveries: [{ status: 'delivered', files: [{ rows: 1 }] }] },
  });
  expect(story.clock.now() - before).toBeGreaterThan(7_000);
  const calls = takeCalls();
  expect(calls.filter((call) => call === START)).toHaveLength(1);
  expect(calls.filter((call) => call.startsWith('GET /api/v2/cv-report/:report_id 429'))).toHaveLength(1);
  expect(calls.filter((call) => call.includes('/files/')).length).toBeGreaterThanOrEqual(3);
});

sweep('begins a report again that the service no longer knows', async () => {
  const { story, report, takeCalls } = await openDelivery();
  report({ people: { type: 'user_report', deliver: { drop: './later' } } });
  await story.sync();
  story.clock.advance(DAY);
  expect((await story.sync()).code).toBe(4);
  takeCalls();
  story.sandbox.faults.add({ method: 'GET', path: '/api/v2/cv-report', kind: 'status', status: 404 });
  story.configure({ reports: { people: { deliver: { drop: './out' } } } });
  expect((await story.sync()).code).toBe(0);
  expect(takeCalls().filter((call) => call === START)).toHaveLength(1);
});

sweep('reports that the key may not create a report', async () => {
  const { story, report } = await openDelivery();
  report({ people: { type: 'user_report' } });
  await story.sync();
  story.env.TALENT_API_KEY = 'reference-key';
  story.clock.advance(DAY);
  const { json } = await story.sync();
  expect(json.deliveries).toMatchObject([{ status: 'failed', error: { code: 'SYNC_SERVICE_FORBIDDEN' } }]);
});

sweep('runs one report immediately on export delivery, and leaves its schedule unchanged', async () => {
  const { story, report, files, read } = await openDelivery();
  report({ people: { type: 'user_report', deliver: { drop: './out', name: '{report}-{date}-{time}.csv' } } });
  await story.sync();
  const { code, stdout } = await story.type('export', 'delivery', 'people', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ report: 'people', of: 'cv user_report', files: [{ rows: 1 }] });
  expect(files()).toEqual([expect.stringMatching(/^people-\d{8}-\d{6}\.csv$/)]);
  expect(countRows(read(files()[0] ?? ''))).toBe(1);
  const status = JSON.parse((await story.type('status', '--json')).stdout) as { deliveries: object[] };
  expect(status.deliveries).toMatchObject([{ report: 'people', last: expect.any(String), due: false }]);
  story.clock.advance(DAY);
  expect((await story.sync()).json.deliveries).toMatchObject([{ status: 'delivered' }]);
  const unknown = await story.type('export', 'delivery', 'poeple');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There are: people.')]);
});

sweep('checks the folders of reports', async () => {
  const { story, report } = await openDelivery();
  report({ people: { type: 'user_report' } });
  expect((await story.check()).json.checks).toContainEqual(
    expect.objectContaining({ name: 'report people', ok: true }),
  );
  rmSync(join(story.folder, 'out'), { recursive: true });
  const found = (await story.check()).json.checks.find(({ name }) => name === 'report people');
  expect(found?.error?.code).toBe('SYNC_SOURCE_MISSING');
});
