import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

async function openGuarded(): Promise<Story> {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 1 } } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  expect((await story.plan()).code).toBe(3);
  return story;
}

sweep('rejects an approval without a reason outside a terminal', async () => {
  const story = await openGuarded();
  const refused = await story.type('approve', '--guard', 'users.create');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--reason "') });
  expect((await story.approve({ list: true })).json.approvals).toEqual([]);
});

sweep('reports changes that are approved already, and stores no second approval', async () => {
  const story = await openGuarded();
  const one = await story.approve({ who: 'user:E1', reason: 'seen' });
  const again = await story.type('approve', '--who', 'user:E1', '--reason', 'seen again');
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`Approved already: 1 change of plan`);
  expect(again.stdout).toContain(one.json.approval);
  const all = await story.approve({ guard: 'users.create', reason: 'all of them' });
  expect(all.json).toMatchObject({ approved: 2, already: 1 });
  expect((await story.approve({ list: true })).json.approvals.map(({ changes }) => changes)).toEqual([1, 2]);
  expect((await story.type('audit', 'list')).stdout.match(/approval given/g)).toHaveLength(2);
});

sweep('names the guard of an approval in approve, the list, pending changes and the audit', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.configure({ guards: { users: { fields: { name: { max: 0 }, title: { max: 0 } } } } });
  story.deliver([person('E1', { first: 'Other', title: 'Lead' }), person('E2', { first: 'Other' })]);
  await story.plan();
  const named = await story.type('approve', '--guard', 'users.fields.name', '--reason', 'wedding');
  expect(named.stdout + named.stderr).toMatch(
    /^Approved 1 change of plan \S+,\n {2}as \S+ \(users\.fields\.name\), until /,
  );
  await story.approve({ guard: 'users.fields.name,users.fields.title', reason: 'both' });
  const { approvals } = (await story.approve({ list: true })).json;
  expect(approvals.map(({ guards }) => guards)).toEqual([
    ['users.fields.name'],
    ['users.fields.name', 'users.fields.title'],
  ]);
  const audit = (await story.type('audit', 'list')).stdout;
  expect(audit).toMatch(/approval given .* approved a change of Person E[12] \(users\.fields\.name\): wedding/);
  expect(audit).toMatch(
    /approval given .* approved a change of Person E1 \(users\.fields\.(name|title), users\.fields\.\S+\): both/,
  );
  expect(audit).not.toContain('users.update');
});

test('needs no secrets to look and to approve; commands that send calls name every missing secret', async () => {
  const story = await openGuarded();
  const run = (await story.sync()).json.run;
  story.env.TALENT_API_KEY = '';
  for (const words of [
    ['status'],
    ['runs'],
    ['runs', run],
    ['holds', 'list'],
    ['audit', 'list'],
    ['audit', 'verify'],
    ['approve', '--list'],
    ['approve', '--guard', 'users.create', '--reason', 'known'],
    ['export', 'report', '--format', 'md', '--out', '-'],
    ['mirror', 'status'],
  ])
    expect([words, (await story.type(...words)).code]).toEqual([words, 0]);
  for (const command of ['plan', 'sync', 'check', 'explain user E1'])
    expect(await story.type(...command.split(' '))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SYNC_CONFIG_SECRET'),
    });
  rmSync(join(story.folder, 'drop'), { recursive: true });
  expect((await story.type('status')).code).toBe(0);
});
