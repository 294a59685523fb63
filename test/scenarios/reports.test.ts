import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { WrittenReport } from '../../src/cli/report-files.js';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

interface WithReports {
  readonly reports?: readonly WrittenReport[];
}

const STAFF = Array.from({ length: 12 }, (_, i) => person(`E${i + 1}`));

function rowsOf(file: string): readonly Readonly<Record<string, string>>[] {
  return parse(readFileSync(file, 'utf8'), { columns: true }) as Readonly<Record<string, string>>[];
}

/** Twelve people are in the service. The next delivery lacks nine of them and has one unusable row. */
async function openShrunken(): Promise<Story> {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 3 } } } });
  story.deliver(STAFF);
  await story.sync();
  story.clock.advance(3_600_000);
  story.deliver([...STAFF.slice(0, 3), person('E13', { title: 'New' }), person('E14', { email: 'no address' })]);
  return story;
}

describe('reports of a plan', () => {
  it('writes reports with the plan in every named format, private to their owner', async () => {
    const story = await openShrunken();
    const file = join(story.folder, 'out', 'plan.md');
    const { json, code } = await story.plan({
      report: [
        { format: 'md', file },
        { format: 'html', file: null },
        { format: 'csv', file: null },
      ],
    });
    const { plan, reports = [] } = json as typeof json & WithReports;
    expect(code).toBe(4);
    expect(reports.map((one) => one.file)).toEqual([
      file,
      join(story.folder, 'var', 'reports', `${plan}.html`),
      join(story.folder, 'var', 'reports', `${plan}.csv`),
    ]);
    for (const one of reports) {
      expect(statSync(one.file).mode & 0o777).toBe(0o600);
      expect(statSync(one.file).size).toBe(one.bytes);
    }
    expect(readFileSync(file, 'utf8')).toContain('**Guard `users.deactivate` holds 9 changes:');
    const rows = rowsOf(reports[2]?.file ?? '');
    expect(
      rows.filter(({ action, about }) => action === 'deactivate' && about === 'for users.deactivate'),
    ).toHaveLength(9);
    expect(readFileSync(reports[1]?.file ?? '', 'utf8')).toMatch(/Read at<.*\d{4}-\d\d-\d\d \d\d:\d\d UTC/s);
  });

  sweep('says in advance that a report cannot be written, and plans nothing', async () => {
    const story = await openShrunken();
    const before = readdirSync(join(story.folder, 'var', 'plans'));
    writeFileSync(join(story.folder, 'taken'), '');
    const { code, error } = await story.plan({
      report: [{ format: 'md', file: join(story.folder, 'taken', 'plan.md') }],
    });
    expect([code, error?.code]).toEqual([1, 'SYNC_REPORT_UNWRITABLE']);
    expect(readdirSync(join(story.folder, 'var', 'plans'))).toEqual(before);
  });

  sweep('writes a report later from the newest plan, or from the named one', async () => {
    const story = await openShrunken();
    const { json } = await story.plan();
    const newest = await story.exportReport(undefined, undefined, { format: 'csv' });
    expect(newest.json).toMatchObject({ report: { kind: 'plan', id: json.plan }, format: 'csv' });
    const named = await story.exportReport(json.plan, undefined, { format: 'html' });
    expect(named.json.file).toBe(join(story.folder, 'var', 'reports', `${json.plan}.html`));
    const unknown = await story.exportReport('plan', 'p20200101T000000000Z-000000', { format: 'md' });
    expect([unknown.code, unknown.error?.code]).toEqual([1, 'SYNC_PLAN_MISSING']);
    const nonsense = await story.exportReport('nonsense', undefined, { format: 'md' });
    expect(nonsense.error?.code).toBe('SYNC_CLI_USAGE');
    expect((await story.exportReport('plan', undefined, {})).error?.place).toBe('--format');
  });
});

sweep("shows in a run's report its changes with calls, failures, and pending items", async () => {
  const story = await openShrunken();
  story.sandbox.faults.add({ method: 'POST', path: '/api/v1/users', kind: 'status', status: 422 });
  const { json } = await story.sync({
    report: [
      { format: 'csv', file: null },
      { format: 'html', file: null },
    ],
  });
  const { run, reports = [] } = json as typeof json & WithReports;
  const rows = rowsOf(reports[0]?.file ?? '');
  expect(new Set(rows.map(({ action, state }) => `${action} ${state}`))).toEqual(
    new Set(['create failed', 'deactivate waits']),
  );
  expect(rows.find(({ state }) => state === 'failed')?.about).toMatch(/^SYNC_SERVICE_REFUSED: .*422/);
  const page = readFileSync(reports[1]?.file ?? '', 'utf8');
  expect(page).toContain(`Run ${run}`);
  expect(page).toContain('SYNC_MAP_VALUE');
});

sweep('shows in the report of an approved plan who approved, the answers, and the request ids', async () => {
  const story = await openShrunken();
  await story.plan();
  await story.approve({ guard: 'users.deactivate', reason: 'ticket 4711' });
  const { json } = await story.apply();
  const { file } = (await story.exportReport('run', json.run, { format: 'csv' })).json;
  const gone = rowsOf(file).filter(({ action }) => action === 'deactivate');
  expect(gone).toHaveLength(9);
  for (const { state, approval, calls, ended_at } of gone) {
    expect([state, approval?.endsWith('ticket 4711')]).toEqual(['done', true]);
    expect(calls).toMatch(/PUT \/api\/v1\/users\/\{user_id\} 200 [\w-]{8,}/);
    expect(ended_at).toMatch(/^\d{4}-/);
  }
  const newest = await story.exportReport('run', undefined, { format: 'md' });
  expect(readFileSync(newest.json.file, 'utf8')).toContain(
    `## talent-sync (127.0.0.1): Run \`${json.run}\`: 10 changes, 10 done, 1 held`,
  );
});

sweep('shows in the report of an outdated plan what was left out, and why', async () => {
  const story = await openShrunken();
  await story.plan();
  story.clock.advance(3_600_000);
  story.deliver(STAFF);
  const { json } = await story.apply();
  const { file } = (await story.exportReport('run', json.run, { format: 'csv' })).json;
  expect(new Set(rowsOf(file).map(({ state, about }) => `${state}: ${about}`))).toEqual(
    new Set(['left: no longer derived']),
  );
});

sweep("says in a report that the run's plan is no longer stored, and lists the audit's entries", async () => {
  const story = await openShrunken();
  const { json } = await story.sync();
  rmSync(join(story.folder, 'var', 'plans'), { recursive: true });
  mkdirSync(join(story.folder, 'var', 'plans'));
  const { file } = (await story.exportReport('run', json.run, { format: 'md' })).json;
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('The plan is no longer stored');
  expect(text).toContain('1 change, 1 done, 1 held');
});

sweep('writes no report before the first run', async () => {
  const story = await openStory();
  const none = await story.exportReport('run', undefined, { format: 'md' });
  expect(none.error?.code).toBe('SYNC_NOT_FOUND');
});
