import { describe, expect, it } from 'vitest';
import { CV_REPORT_TYPES } from '../../src/model/report-kinds.js';
import type { ReportRow } from '../../src/service/report-rows.js';
import { createTalentService, type TalentService } from '../../src/service/talent-service.js';
import type { ReportProgress } from '../../src/service/wire-report.js';
import { BASE, collect } from './desk.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

const LINK = 'https://files.example.org/r1.csv?signature=s3cret';

interface Asked {
  readonly line: string;
  readonly atMs: number;
  readonly authorization: string | null;
}

interface Bench {
  readonly service: TalentService;
  readonly clock: VirtualClock;
  readonly asked: Asked[];
}

interface BenchOptions {
  /** The number of polls until the report is finished. */
  readonly polls?: number;
  readonly csv?: string;
  /** Answers from the signed link before the file, in order. */
  readonly refusals?: readonly number[];
  readonly links?: readonly string[];
}

/** A service that needs this many polls for a report, and a server that keeps its file. */
function openBench({ polls = 2, csv = 'Name\nAnna\n', refusals = [], links = [LINK] }: BenchOptions = {}): Bench {
  const clock = createVirtualClock();
  const startMs = clock.now();
  const asked: Asked[] = [];
  const refused = [...refusals];
  let left = polls;
  let given = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    const authorization = new Headers(init?.headers).get('authorization');
    asked.push({ line: `${init?.method} ${url.host}${url.pathname}`, atMs: clock.now() - startMs, authorization });
    if (!url.pathname.startsWith('/api/')) {
      const status = refused.shift();
      return status === undefined ? new Response(csv) : new Response('<Error>Request has expired</Error>', { status });
    }
    const finished = init?.method === 'GET' && left-- <= 1;
    if (finished) given += 1;
    const link = finished ? (links[Math.min(given, links.length) - 1] ?? null) : null;
    const state = finished ? 'finished' : 'started';
    return new Response(
      JSON.stringify({ _id: 'r1', state, cv_report: { url: link }, file: { url: link }, percent_complete: 50 }),
    );
  };
  return { service: createTalentService({ baseUrl: BASE, apiKey: 'secret-key', clock, fetch }), clock, asked };
}

const rowsOf = (pages: AsyncIterable<ReportRow>): Promise<ReportRow[]> => collect(pages);

describe('a report', () => {
  it('is started, polled with growing pauses, and fetched immediately without the key', async () => {
    const { service, clock, asked } = openBench({ polls: 4 });
    const rows = await clock.run(rowsOf(service.reader.reports.readCvReportRows({ type: 'user_report' })));
    expect(rows).toEqual([{ Name: 'Anna' }]);
    expect(asked).toEqual([
      { line: 'POST acme.example.com/api/v2/cv-report', atMs: 0, authorization: 'Bearer secret-key' },
      { line: 'GET acme.example.com/api/v2/cv-report/r1', atMs: 1_000, authorization: 'Bearer secret-key' },
      { line: 'GET acme.example.com/api/v2/cv-report/r1', atMs: 2_500, authorization: 'Bearer secret-key' },
      { line: 'GET acme.example.com/api/v2/cv-report/r1', atMs: 4_750, authorization: 'Bearer secret-key' },
      { line: 'GET acme.example.com/api/v2/cv-report/r1', atMs: 8_125, authorization: 'Bearer secret-key' },
      { line: 'GET files.example.org/r1.csv', atMs: 8_125, authorization: null },
    ]);
  });

  it('works the same way for reference projects', async () => {
    const { service, clock, asked } = openBench();
    const rows = await clock.run(rowsOf(service.reader.reports.readProjectReportRows({ stage: 'live' })));
    expect(rows).toEqual([{ Name: 'Anna' }]);
    expect(asked.map(({ line }) => line)).toEqual([
      'POST acme.example.com/api/v4/references/reports',
      'GET acme.example.com/api/v4/references/reports/r1',
      'GET acme.example.com/api/v4/references/reports/r1',
      'GET files.example.org/r1.csv',
    ]);
  });

  it('reports its progress, with pauses up to the configured limit', async () => {
    const { service, clock, asked } = openBench({ polls: 5 });
    const seen: ReportProgress[] = [];
    const wait = {
      firstPauseMs: 100,
      longestPauseMs: 200,
      onProgress: (report: ReportProgress) => void seen.push(report),
    };
    const file = await clock.run(service.reader.reports.downloadCvReport({ type: 'courses' }, wait));
    await file.cancel();
    expect(seen.map(({ state, percent }) => [state, percent])).toEqual([
      ...Array.from({ length: 5 }, () => ['started', 50]),
      ['finished', 50],
    ]);
    expect(asked.map(({ atMs }) => atMs).slice(0, 6)).toEqual([0, 100, 250, 450, 650, 850]);
  });

  it('gives up after the time limit, and reports its state', async () => {
    const { service, clock } = openBench({ polls: 1_000 });
    const work = service.reader.reports.downloadCvReport({ type: 'courses' }, { longestMs: 60_000 });
    await expect(clock.run(work)).rejects.toMatchObject({
      code: 'SYNC_REPORT_UNFINISHED',
      message: expect.stringMatching(/r1 was not finished within 60 s.*'started'/),
    });
  });

  it('asks once for a new link if the first one is rejected', async () => {
    const links = [LINK, 'https://files.example.org/again.csv?signature=x'];
    const { service, clock, asked } = openBench({ polls: 1, refusals: [403], links });
    const rows = await clock.run(rowsOf(service.reader.reports.readCvReportRows({ type: 'courses' })));
    expect(rows).toHaveLength(1);
    expect(asked.map(({ line }) => line).slice(2)).toEqual([
      'GET files.example.org/r1.csv',
      'GET acme.example.com/api/v2/cv-report/r1',
      'GET files.example.org/again.csv',
    ]);

    const other = openBench({ polls: 1, refusals: [403, 403] });
    const failed = other.clock.run(other.service.reader.reports.downloadCvReport({ type: 'courses' }));
    const error: unknown = await failed.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 403, path: '/r1.csv' });
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
  });

  it('may refer to its file by a path of the service', async () => {
    const { service, clock, asked } = openBench({ polls: 1, links: ['/files/r1?signature=x'] });
    await clock.run(rowsOf(service.reader.reports.readCvReportRows({ type: 'courses' })));
    expect(asked.at(-1)).toMatchObject({ line: 'GET acme.example.com/files/r1', authorization: null });
  });

  it('cannot be opened without a file, or with an unsupported link', async () => {
    const { service } = openBench();
    const report = { id: 'r1', state: 'started', percent: 1, url: null };
    await expect(service.reader.reports.openFile(report)).rejects.toThrow(/no file yet: its state is 'started'/);
    for (const url of ['file:///etc/passwd', 'http://']) {
      await expect(service.reader.reports.openFile({ ...report, url })).rejects.toThrow(/cannot be fetched/);
    }
  });

  it('stops between two polls', async () => {
    const { service, clock } = openBench({ polls: 1_000 });
    const controller = new AbortController();
    const seen: ReportProgress[] = [];
    const onProgress = (report: ReportProgress): void => {
      if (seen.push(report) === 3) controller.abort(new Error('stop'));
    };
    const query = { type: 'courses', signal: controller.signal } as const;
    const work = clock.run(service.reader.reports.downloadCvReport(query, { onProgress }));
    await expect(work).rejects.toMatchObject({ fault: 'stopped', outcome: 'not_sent' });
  });

  it('has the thirteen types of the interface', () => {
    expect(CV_REPORT_TYPES).toHaveLength(13);
  });
});

describe('the rows of a report', () => {
  const read = async (csv: string): Promise<ReportRow[]> => {
    const { service, clock } = openBench({ polls: 1, csv });
    return clock.run(rowsOf(service.reader.reports.readCvReportRows({ type: 'courses' })));
  };

  it('use the titles as keys, and support quotes, line breaks and a byte order mark', async () => {
    expect(await read('\uFEFFName,Long description\r\n"Berg, Åse","two\nlines"\r\n')).toEqual([
      { Name: 'Berg, Åse', 'Long description': 'two\nlines' },
    ]);
  });

  it('number repeated titles', async () => {
    expect(await read('Name,Name,Name\na,b,c\n')).toEqual([{ Name: 'a', 'Name (2)': 'b', 'Name (3)': 'c' }]);
  });

  it('are empty for a file without rows', async () => {
    expect(await read('Name\n')).toEqual([]);
    expect(await read('')).toEqual([]);
  });

  it('can be read in part', async () => {
    const { service, clock } = openBench({ polls: 1, csv: `Name\n${'Anna\n'.repeat(50_000)}` });
    const first = async (): Promise<ReportRow | null> => {
      for await (const row of service.reader.reports.readCvReportRows({ type: 'courses' })) return row;
      return null;
    };
    expect(await clock.run(first())).toEqual({ Name: 'Anna' });
    await service.close();
  });
});
