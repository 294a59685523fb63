import { describe, expect, it } from 'vitest';
import { observedOf } from '../../samples.js';
import { openBench, REPORT, type Script } from './bench.js';

const OFFICES = ['no/Bergen', 'no/Oslo', 'se/Lund', 'se/Stockholm'];

/** Runs a report with this number of CVs per office. The files of the reports are named by number. */
async function deliver(counts: Script['counts'], more: Partial<typeof REPORT> = {}, files?: readonly string[]) {
  const bench = await openBench({
    counts,
    files: files ?? OFFICES.map((office, i) => `Name,Note\r\n${office},"part\r\n${i + 1}"\r\n`),
  });
  bench.report = { ...REPORT, ...more } as typeof REPORT;
  const offices = OFFICES.map((name) => {
    const [country = '', city = ''] = name.split('/');
    return { ...observedOf(name, { country, name: city }), entity: 'offices' as const };
  });
  bench.stores.mirror.save(offices, 1);
  await bench.run('2026-11-19T12:00:00Z');
  const [result] = await bench.run('2026-11-20T02:00:00Z');
  const starts = bench.asked.filter((line) => line.includes('POST /api/v2')).length;
  const searches = bench.asked.filter((line) => line.includes('/api/v4/search')).length;
  return { bench, result, starts, searches };
}

describe('CVs of a report', () => {
  it.each([
    ['one less than the limit', { '*': 9_999 }, 1, 1],
    // A count that stops at the limit looks the same.
    ['exactly the limit', { '*': 10_000, 'no/Oslo': 9_000, 'se/Lund': 1_000 }, 3, 2],
    ['in three offices', { '*': 12_000, 'no/Bergen': 4_000, 'no/Oslo': 4_000, 'se/Lund': 4_000 }, 3, 2],
    ['in one full office', { '*': 10_001, 'no/Oslo': 10_000, 'se/Lund': 1 }, 5, 2],
    ['in only two offices', { '*': 19_000, 'no/Bergen': 9_500, 'no/Oslo': 9_500 }, 5, 2],
  ])('are split: %s', async (_, counts, searches, starts) => {
    const made = await deliver(counts);
    expect(made.result).toMatchObject({ status: 'delivered', files: [{ rows: starts }] });
    expect([made.searches, made.starts]).toEqual([searches, starts]);
    const parts = OFFICES.slice(0, starts).map((office, i) => `${office},"part\r\n${i + 1}"\r\n`);
    expect(made.bench.read('people-20261120-023000.csv')).toBe(`Name,Note\r\n${parts.join('')}`);
  });

  it.each([
    ['an office has too many', { '*': 12_000, 'no/Oslo': 12_000 }, 'The office no/Oslo alone has 12000 CVs'],
    [
      'some belong to no office',
      { '*': 12_000, 'no/Oslo': 6_000, 'se/Lund': 5_000 },
      '1000 CVs that match belong to no office',
    ],
  ])('%s: fails instead of omitting CVs', async (_, counts, message) => {
    const { result, starts, bench } = await deliver(counts);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'SYNC_REPORT_TOO_LARGE' } });
    expect(result?.error?.message).toContain(message);
    expect([starts, bench.files()]).toEqual([0, []]);
  });

  it('are split among the named offices only', async () => {
    const offices = [{ country: 'NO', name: null }];
    const { result, searches } = await deliver({ 'no/Bergen': 6_000, 'no/Oslo': 6_000 }, { offices });
    expect([result?.status, searches]).toEqual(['delivered', 3]);
  });

  it('become several files in a spreadsheet, which appear together', async () => {
    const counts = { '*': 12_000, 'no/Oslo': 6_000, 'se/Lund': 6_000 };
    const { bench, result } = await deliver(counts, { format: 'xlsx', fileName: 'people-{date}.xlsx' }, [
      'one',
      'three',
    ]);
    expect(bench.files()).toEqual(['people-20261120-1of2.xlsx', 'people-20261120-2of2.xlsx']);
    expect(bench.files().map(bench.read)).toEqual(['one', 'three']);
    expect(result?.files).toMatchObject([
      { rows: null, bytes: 3 },
      { rows: null, bytes: 5 },
    ]);
  });
});

describe('the parts of a table', () => {
  const counts = { '*': 12_000, 'no/Oslo': 6_000, 'se/Lund': 6_000 };

  it('are joined by a missing line end, and an empty part adds nothing', async () => {
    const { bench, result } = await deliver(counts, {}, ['Name\r\nAnna', 'Name\r\nBert\r\n']);
    expect(bench.read('people-20261120-023000.csv')).toBe('Name\r\nAnna\r\nBert\r\n');
    expect(result?.files).toMatchObject([{ rows: 2 }]);
    const empty = await deliver(counts, {}, ['Name\r\n', 'Name\r\nBert\r\n']);
    expect(empty.bench.read('people-20261120-023000.csv')).toBe('Name\r\nBert\r\n');
  });

  it('are rejected with differing columns', async () => {
    const { result } = await deliver(counts, {}, ['Name,Title (en)\r\nAnna,a\r\n', 'Name\r\nBert\r\n']);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'SYNC_REPORT_PARTS' } });
  });
});
