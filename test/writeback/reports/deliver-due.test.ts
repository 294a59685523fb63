import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBench, REPORT } from './bench.js';

const NIGHT = '2026-11-20T01:30:00.000Z';

describe('requesting a report', () => {
  it('has growing pauses, and opens the link immediately', async () => {
    const bench = await openBench({ polls: 4 });
    await bench.run('2026-11-19T12:00:00Z');
    expect(bench.asked).toEqual([]);
    expect(await bench.run('2026-11-20T02:00:00Z')).toMatchObject([{ slot: NIGHT, status: 'delivered' }]);
    expect(bench.asked).toEqual([
      '+0 POST /api/v4/search',
      '+0 POST /api/v2/cv-report',
      '+1000 GET /api/v2/cv-report/r1',
      '+1500 GET /api/v2/cv-report/r1',
      '+2250 GET /api/v2/cv-report/r1',
      '+3375 GET /api/v2/cv-report/r1',
      '+0 GET /r1',
    ]);
    // The next forecast is based on the calls of this one.
    expect(bench.due('2026-11-21T02:00:00Z')).toMatchObject([
      {
        calls: {
          'POST /api/v4/search': 1,
          'POST /api/v2/cv-report': 1,
          'GET /api/v2/cv-report/{report_id}': 4,
          'GET (signed link)': 1,
        },
      },
    ]);
  });

  it('continues with the same report in the next run if the service takes too long', async () => {
    const bench = await openBench({ polls: 60 });
    await bench.run('2026-11-19T12:00:00Z');
    expect(await bench.run('2026-11-20T02:00:00Z')).toMatchObject([
      { status: 'failed', error: { code: 'SYNC_REPORT_UNFINISHED', message: expect.stringContaining('600 s') } },
    ]);
    expect(await bench.run('2026-11-20T02:15:00Z')).toMatchObject([{ slot: NIGHT, status: 'delivered' }]);
    expect(bench.asked.filter((line) => line.includes('POST /api/v2'))).toHaveLength(1);
  });

  it('asks again for an expired link', async () => {
    const bench = await openBench({ refusals: [403] });
    await bench.run('2026-11-19T12:00:00Z');
    expect(await bench.run('2026-11-20T02:00:00Z')).toMatchObject([{ status: 'delivered' }]);
    expect(bench.asked.map((line) => line.replace(/^\+\d+ /, ''))).toEqual([
      'POST /api/v4/search',
      'POST /api/v2/cv-report',
      'GET /api/v2/cv-report/r1',
      'GET /r1',
      'GET /api/v2/cv-report/r1',
      'GET /r1',
    ]);
  });
});

describe('a call budget', () => {
  it.each([0, 1, 2, 3])('with %i calls is never exceeded; the next run continues the report', async (budget) => {
    const bench = await openBench({ polls: 3 });
    await bench.run('2026-11-19T12:00:00Z');
    bench.budget = budget;
    expect(await bench.run('2026-11-20T02:00:00Z')).toMatchObject([{ slot: NIGHT, status: 'left', files: [] }]);
    expect(bench.asked).toHaveLength(budget);
    bench.budget = 100;
    expect(await bench.run('2026-11-20T02:15:00Z')).toMatchObject([{ slot: NIGHT, status: 'delivered', missed: 0 }]);
    expect(bench.asked.filter((line) => line.includes('POST /api/v2'))).toHaveLength(1);
  });
});

describe('the schedule', () => {
  it.each([
    // Summer time begins on 29 March at 02:00, so that night has no 02:30.
    [
      'spring',
      '2026-03-27',
      4,
      ['28T01:30', '29T01:00', '30T00:30', '31T00:30'],
      ['0328-0230', '0329-0300', '0330-0230'],
    ],
    // It ends on 25 October at 03:00, so that night has 02:30 twice.
    [
      'autumn',
      '2026-10-23',
      4,
      ['24T00:30', '25T00:30', '26T01:30', '27T01:30'],
      ['1024-0230', '1025-0230', '1026-0230'],
    ],
  ])('in %s delivers once a night, in the time zone of the schedule', async (_, from, nights, slots, names) => {
    const bench = await openBench();
    const startMs = Date.parse(`${from}T12:00:00Z`);
    for (let atMs = startMs; atMs < startMs + nights * 86_400_000; atMs += 15 * 60_000) {
      await bench.run(new Date(atMs).toISOString());
    }
    expect(bench.results.map(({ slot }) => slot?.slice(8, 16))).toEqual(slots);
    expect(bench.results.every(({ status, missed }) => status === 'delivered' && missed === 0)).toBe(true);
    const found = bench.files().map((name) => name.replace(/people-2026(\d{4})-(\d{4})00.csv/, '$1-$2'));
    expect(found).toEqual(expect.arrayContaining(names));
    expect(found).toHaveLength(slots.length);
  });

  it('delivers the newest of several missed slots, and counts the others', async () => {
    const bench = await openBench();
    await bench.run('2026-11-17T12:00:00Z');
    expect(bench.due('2026-11-20T09:00:00Z')).toMatchObject([{ slot: NIGHT, missed: 2 }]);
    expect(await bench.run('2026-11-20T09:00:00Z')).toMatchObject([{ slot: NIGHT, missed: 2, status: 'delivered' }]);
    expect(await bench.run('2026-11-20T09:15:00Z')).toEqual([]);
  });

  it('counts from its edit', async () => {
    const bench = await openBench();
    await bench.run('2026-11-19T12:00:00Z');
    bench.report = { ...REPORT, schedule: { every: '0 1 * * *', timezone: 'UTC' } };
    expect(await bench.run('2026-11-20T09:00:00Z')).toEqual([]);
    expect(await bench.run('2026-11-21T09:00:00Z')).toMatchObject([{ slot: '2026-11-21T01:00:00.000Z', missed: 0 }]);
  });
});

/** The moment at which the process dies, the files then, and the calls of the next process. */
describe('a process that dies', () => {
  const ALL = ['POST /api/v4/search', 'GET /api/v2/cv-report/r1', 'GET /r1'];
  it.each([
    ['before it is written', 'write', 'before', [], ALL],
    ['while it is written', 'write', 'after', ['.partial'], ALL],
    ['before it gets its name', 'rename', 'before', ['.partial'], []],
    ['after it has its name', 'rename', 'after', ['.csv'], []],
  ] as const)('%s: the next one delivers once, without a second report', async (_, step, when, lies, asked) => {
    const bench = await openBench();
    await bench.run('2026-11-19T12:00:00Z');
    bench.dieAt(step, when);
    await bench.run('2026-11-20T02:00:00Z');
    expect(bench.files().map((name) => name.slice(name.lastIndexOf('.')))).toEqual(lies);
    bench.asked.length = 0;
    const [result] = await bench.run('2026-11-20T02:15:00Z');
    expect(result).toMatchObject({ slot: NIGHT, status: 'delivered', files: [{ rows: 1, bytes: 12 }] });
    expect(bench.asked.map((line) => line.replace(/^\+\d+ /, ''))).toEqual(asked);
    expect(bench.files()).toEqual(['people-20261120-023000.csv']);
    expect(bench.read('people-20261120-023000.csv')).toBe('Name\r\nAnna\r\n');
    expect(await bench.run('2026-11-20T02:30:00Z')).toEqual([]);
    expect(bench.stores.audit.count()).toBe(1);
  });

  it('after naming the file, which a reader took: is not delivered again', async () => {
    const bench = await openBench();
    await bench.run('2026-11-19T12:00:00Z');
    bench.dieAt('rename', 'after');
    await bench.run('2026-11-20T02:00:00Z');
    rmSync(join(bench.folder, 'people-20261120-023000.csv'));
    expect(await bench.run('2026-11-20T02:15:00Z')).toMatchObject([{ status: 'delivered' }]);
    expect(bench.files()).toEqual([]);
  });

  it('and restarts after the next slot: removes the old partial file', async () => {
    const bench = await openBench();
    await bench.run('2026-11-19T12:00:00Z');
    bench.dieAt('rename');
    await bench.run('2026-11-20T02:00:00Z');
    expect(bench.files()).toEqual(['.people-20261120-023000.csv.partial']);
    expect(await bench.run('2026-11-21T02:00:00Z')).toMatchObject([{ missed: 1, status: 'delivered' }]);
    expect(bench.files()).toEqual(['people-20261121-023000.csv']);
    expect(bench.asked.filter((line) => line.includes('POST /api/v2'))).toHaveLength(2);
  });
});
