import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseFormat, parseReport } from '../../src/cli/parse-options.js';
import { writeReport, writeReports } from '../../src/cli/report-files.js';
import { parseTarget } from '../../src/cli/report-target.js';
import { leaver, planReport } from '../report/sample-report.js';
import { makeFolder } from '../samples.js';

describe('the target of a report', () => {
  const cases = [
    ['html', { format: 'html', file: null }],
    ['csv', { format: 'csv', file: null }],
    ['out/plan.md', { format: 'md', file: 'out/plan.md' }],
    ['PLAN.HTM', { format: 'html', file: 'PLAN.HTM' }],
    ['plan.pdf', null],
    ['plan', null],
  ] as const;
  for (const [text, expected] of cases) it(text, () => expect(parseTarget(text)).toEqual(expected));

  it('may be repeated, and is rejected if unknown', () => {
    expect(parseReport('a.csv', parseReport('html'))).toHaveLength(2);
    expect(() => parseReport('plan.pdf')).toThrow('Name a format (html, md, csv), or a file with such an ending.');
    expect(() => parseFormat('pdf')).toThrow('Name one of html, md, csv.');
  });
});

describe('writeReport', () => {
  it('keeps the newest 200 reports in the state folder, and removes nothing else', async () => {
    const state = makeFolder();
    const report = await planReport([leaver('E1', 'Jane')]);
    await writeReport(report, { format: 'csv', file: null }, state);
    const folder = join(state, 'reports');
    for (let i = 0; i < 201; i += 1)
      writeFileSync(
        join(folder, `${i % 2 === 0 ? 'p' : 'r'}20250101T000000${String(i).padStart(3, '0')}Z-abcdef.md`),
        '',
      );
    writeFileSync(join(folder, 'notes.md'), 'mine');
    await writeReport(report, { format: 'html', file: null }, state);
    const names = readdirSync(folder);
    expect(names).toHaveLength(201);
    expect(names).toContain('notes.md');
    expect(names).toContain(`${report.id}.html`);
    expect(names.some((name) => name.includes('T000000000Z'))).toBe(false);
  });

  it('keeps the earlier file and leaves no other if it fails halfway', async () => {
    const folder = makeFolder();
    const file = join(folder, 'plan.csv');
    writeFileSync(file, 'the one before');
    const report = await planReport([leaver('E1', 'Jane')]);
    const broken = {
      ...report,
      // biome-ignore lint/correctness/useYield: it fails before it has anything
      async *changes() {
        throw new Error('disk full');
      },
    };
    const { written, error } = await writeReports([{ format: 'csv', file }], folder, async () => broken);
    expect([written, error?.code]).toEqual([[], 'SYNC_REPORT_UNWRITABLE']);
    expect(readFileSync(file, 'utf8')).toBe('the one before');
    expect(readdirSync(folder)).toEqual(['plan.csv']);
  });
});
