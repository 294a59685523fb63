import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/* The texts about write-back in the plan, the run, check, status and the reports. */

async function openTold(back: { readonly [key: string]: Yaml } = {}): Promise<Story> {
  const story = await openStory();
  mkdirSync(join(story.folder, 'to-hr'));
  story.configure({
    sources: { hr: { write_back: { drop: './to-hr', ...back } } },
    users: {
      fields: { telephone: { value: 'record.?phone', authority: 'service', write_back: true } },
      write_back: { hr: { talent_id: 'user.id', talent_name: 'user.name' } },
    },
  });
  return story;
}

test('shows the cost of write-back in plan, its target in the run, pending values in status, and access in check', async () => {
  const story = await openTold();
  story.deliver([person('E1', { phone: '1' }), person('E2')]);
  expect((await story.type('plan')).stdout).toMatch(
    /To hr: 2 records, 4 values: [^\n]*\n[\s\S]*\nWriting back to hr takes 1 file\n/,
  );
  expect((await story.type('sync')).stdout).toMatch(/\n {2}wrote back to hr: 2 records \(talent-r\S+\.csv\)\n/);
  // HR never shows the columns with the ids, so no value can be pending.
  expect(JSON.parse((await story.type('status', '--json')).stdout)).not.toHaveProperty('outbox');
  await story.editUser('E1', { telephone: '2' });
  expect((await story.type('sync')).stdout).toContain('  wrote back to hr: 1 record (talent-r');
  const status = await story.type('status');
  expect(status.stdout).toContain(`1 record written back to hr and not shown by it yet, for a minute`);
  expect(JSON.parse((await story.type('status', '--json')).stdout).outbox).toMatchObject([
    { source: 'hr', records: 1, refused: 0, lost: 0 },
  ]);
  expect((await story.type('check')).stdout).toMatch(/ok {4}write back to hr: .*\/to-hr: writes talent-/);
  story.deliver([person('E1', { phone: '2' }), person('E2')]);
  await story.sync();
  expect(JSON.parse((await story.type('status', '--json')).stdout)).not.toHaveProperty('outbox');
});

sweep(
  'shows in the report of a plan what is known after apply, and in that of the run its value and target',
  async () => {
    const story = await openTold();
    story.deliver([person('E1', { phone: '1' })]);
    const rowsOf = async (kind: string) => {
      const { stdout } = await story.type('export', 'report', kind, '--format', 'csv', '--out', '-');
      const rows = parse(stdout, { columns: true }) as Readonly<Record<string, string>>[];
      return rows.filter(({ to_source }) => to_source === 'hr').map(({ field, after, state }) => [field, after, state]);
    };
    await story.plan();
    expect(await rowsOf('plan')).toContainEqual(['talent_id', 'known after apply', 'planned']);
    await story.sync();
    const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
    expect(await rowsOf('run')).toContainEqual(['talent_id', id, 'done']);
    const { stdout } = await story.type('export', 'report', 'run', '--format', 'md', '--out', '-');
    expect(stdout).toContain('1 change, 1 record to hr, 2 done');
    expect(stdout).toMatch(/done by talent-r[\w-]+\.csv/);
  },
);

sweep('names values that HR cannot take, and a missing folder', async () => {
  const story = await openTold({ encoding: 'windows-1252' });
  story.deliver([person('E1'), person('E2', { first: '王' })]);
  const run = await story.type('sync');
  expect(run.code).toBe(4);
  expect(run.stdout).toMatch(/wrote back to hr: 1 record \(talent-r\S+\.csv\), 1 refused\n {4}E2 refused\n/);
  const status = JSON.parse((await story.type('status', '--json')).stdout);
  expect(status.outbox).toMatchObject([{ source: 'hr', records: 1, refused: 1 }]);
  const page = (await story.type('export', 'report', 'run', '--format', 'md', '--out', '-')).stdout;
  expect(page).toMatch(/`E2` .* failed SYNC\\_WRITE\\_BACK\\_REFUSED/);

  rmSync(join(story.folder, 'to-hr'), { recursive: true });
  story.deliver([person('E1'), person('E2', { first: '王' }), person('E3')]);
  expect((await story.type('check')).stdout).toContain('FAIL  write back to hr');
  expect((await story.type('sync')).stdout).toMatch(/wrote back to hr: 0 records, 1 left for the next run/);
  const after = (await story.type('export', 'report', 'run', '--format', 'md', '--out', '-')).stdout;
  expect(after).toMatch(/\*\*The source hr could not be written to: SYNC/);
});

sweep('explains a held write-back of a person, even before anything was sent', async () => {
  const story = await openTold();
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '=cmd|x' });
  await story.sync();
  const { json } = await story.explain('user', 'E1');
  expect(json.steps.held).toMatchObject([{ code: 'SYNC_WRITE_BACK_FORMULA' }]);
});
