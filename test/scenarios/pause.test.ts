import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

const inHours = ({ clock }: Story, hours: number): string => new Date(clock.now() + hours * HOUR).toISOString();
const pause = (story: Story, hours: number) =>
  story.type('pause', '--until', inHours(story, hours), '--reason', 'payroll migration');

test('plans and writes nothing while a tenant is paused, unless a person insists next to the state', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.deliver([person('E1'), person('E2')]);
  await story.plan();
  story.takeWrites();
  story.takeReads();
  const paused = await pause(story, 48);
  expect(paused).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Paused until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n/),
  });

  const quiet = await story.type('sync');
  expect([quiet.code, quiet.stderr]).toEqual([0, '']);
  expect(quiet.stdout).toMatch(/^Nothing was done\. The tenant is paused by \S+ until .* UTC: payroll migration\./);
  for (const words of [['plan'], ['apply'], ['undo', 'r1', '--reason', 'no']])
    expect(await story.type(...words), words[0]).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SYNC_PAUSED'),
    });
  expect([story.takeWrites(), story.takeReads()]).toEqual([[], []]);
  expect((await story.type('status')).stdout).toMatch(/Paused by \S+ until .* UTC: payroll migration\.\n/);

  expect((await story.type('sync', '--during-pause')).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  story.deliver([person('E1'), person('E2'), person('E3')]);
  expect((await story.type('resume', '--reason', 'done')).code).toBe(0);
  expect((await story.sync()).json).toMatchObject({ done: 1 });
  expect((await story.type('resume', '--reason', 'again')).stderr).toContain('SYNC_NOT_PAUSED');
  const audit = (await story.type('audit', 'list')).stdout;
  expect(audit).toMatch(/\S+ paused the tenant until .* UTC: payroll migration/);
  expect(audit).toMatch(/\S+ ended the pause until .* UTC: done/);
});

sweep('does not end a pause when its reason names an erased person', async () => {
  const story = await openStory();
  story.deliver([person('E1', { first: 'Åse', last: 'Quimby' }), person('E2')]);
  await story.sync();
  await story.type('pause', '--until', inHours(story, 48), '--reason', 'dispute with Åse Quimby');
  const erased = await story.type('audit', 'erase', 'E1', '--reason', 'request 7', '--yes');
  expect(erased.code).toBe(0);
  const { stdout } = await story.type('status');
  expect(stdout).toMatch(/Paused by \S+ until .* UTC: /);
  expect(stdout).not.toContain('Quimby');
});

test('keeps decisions through a pause, which ends by itself', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 0 } } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.plan();
  await story.approve({ who: 'user:E1', reason: 'seen', expires: 2 * HOUR });
  await story.type('decline', '--who', 'user:E3', '--until', inHours(story, 3), '--reason', 'not yet');
  await pause(story, 100);
  story.clock.advance(50 * HOUR);
  await story.approve({ who: 'user:E2', reason: 'seen', expires: 2 * HOUR });
  story.clock.advance(51 * HOUR);
  expect((await story.sync()).json).toMatchObject({ done: 2 });
  expect(
    story
      .users()
      .map(({ external_unique_id: id }) => id)
      .sort(),
  ).toEqual(['E1', 'E2']);
  expect((await story.type('decline', '--list')).stdout).toContain('1 change, until');
});
